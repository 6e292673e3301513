"""Accounts and sessions: /auth."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from superagent_common.clock import rfc3339
from superagent_common.errors import Unimplemented
from superagent_common.identity import current_identity, current_principal
from superagent_gateway.api.models.accounts import (
    LoginBody,
    LogoutBody,
    OwnAccountAnswer,
    RefreshBody,
    RegisterBody,
    RegisteredAnswer,
    SessionAnswer,
)
from superagent_gateway.api.persons import Door
from superagent_gateway.api.routes.common import PREFIX
from superagent_gateway.application.accounts import Accounts, Session
from superagent_gateway.application.limits import EdgeLimits
from superagent_gateway.application.organisation import Organisation
from superagent_gateway.domain import OrgTag, User


def account_routes(accounts: Accounts, organisation: Organisation, limits: EdgeLimits, door: Door) -> APIRouter:
    """/auth/*."""
    router = APIRouter(prefix=f"{PREFIX}/auth", tags=["auth"])
    person = [Depends(door.person)]

    @router.post("/register", status_code=201, response_model=RegisteredAnswer)
    async def register(body: RegisterBody, request: Request) -> dict[str, Any]:
        """Makes an account."""
        await limits.registration(_address(request))
        if body.invite:
            raise Unimplemented("invites_not_served", "This version knows no invites; register without one.")
        return {"user_id": await accounts.register(body.username, body.password)}

    @router.post("/login", response_model=SessionAnswer)
    async def login(body: LoginBody, request: Request) -> dict[str, Any]:
        """Opens a session. The access token lives an hour, the refresh token seven days."""
        await limits.login(_address(request))
        return _session(await accounts.login(body.username, body.password))

    @router.post("/refresh", response_model=SessionAnswer)
    async def refresh(body: RefreshBody) -> dict[str, Any]:
        """Trades a refresh token for a new session. A token that was traded more than 10 s ago ends all sessions."""
        return _session(await accounts.renew(body.refresh_token))

    @router.post("/logout", status_code=204, dependencies=person)
    async def logout(body: LogoutBody | None = None) -> Response:
        """Ends this session, or all of the person's without a refresh token."""
        refresh_token = body.refresh_token if body else None
        await accounts.logout(current_identity(), current_principal().user_id, refresh_token)
        return Response(status_code=204)

    @router.get("/me", response_model=OwnAccountAnswer, dependencies=person)
    async def me() -> dict[str, Any]:
        """The account as it is now, and the org tags it reaches."""
        user = await accounts.me(current_principal().user_id)
        reached = organisation.reached(user.org_tags)
        return {
            **user_json(user),
            "created_at": rfc3339(user.created_at),
            "reachable_org_tags": [org_tag_json(tag) for tag in reached],
        }

    return router


def user_json(user: User) -> dict[str, Any]:
    """A person as the API shows them."""
    return {
        "id": user.user_id,
        "username": user.username,
        "roles": list(user.roles),
        "org_tags": list(user.org_tags),
    }


def org_tag_json(tag: OrgTag) -> dict[str, Any]:
    """A node of the org tree as the API shows it."""
    return {"code": tag.code, "name": tag.name, "parent_code": tag.parent_code or None}


def _session(session: Session) -> dict[str, Any]:
    return {
        "access_token": session.access_token,
        "refresh_token": session.refresh_token,
        "expires_in": session.expires_in,
        "user": user_json(session.user),
    }


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"
