"""What administrators do: /admin."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends

from superagent_common.clock import rfc3339
from superagent_common.paging import DEFAULT_LIMIT
from superagent_gateway.api.models.accounts import (
    ListedUserAnswer,
    OrgTagAnswer,
    OrgTagBody,
    OrgTagsAnswer,
    UserOrgTagsBody,
    UsersAnswer,
)
from superagent_gateway.api.persons import Door
from superagent_gateway.api.routes.accounts import user_json
from superagent_gateway.api.routes.common import PREFIX, Cursor, Limit
from superagent_gateway.application.organisation import Organisation
from superagent_gateway.domain import OrgTag, User


def administration_routes(organisation: Organisation, door: Door) -> APIRouter:
    """/admin/*."""
    router = APIRouter(prefix=f"{PREFIX}/admin", tags=["admin"], dependencies=[Depends(door.administrator)])

    @router.get("/users", response_model=UsersAnswer)
    async def users(limit: Limit = DEFAULT_LIMIT, cursor: Cursor = "") -> dict[str, Any]:
        """People, oldest account first."""
        found, next_cursor = await organisation.users(limit, cursor)
        return {"users": [_listed(user) for user in found], "next_cursor": next_cursor or None}

    @router.put("/users/{user_id}/org-tags", response_model=ListedUserAnswer)
    async def set_org_tags(user_id: str, body: UserOrgTagsBody) -> dict[str, Any]:
        """Replaces a person's direct org tags; their access tokens must be renewed."""
        return _listed(await organisation.set_org_tags(user_id, body.org_tags))

    @router.get("/org-tags", response_model=OrgTagsAnswer)
    async def org_tags() -> dict[str, Any]:
        """The whole tree, by code."""
        return {"org_tags": [_tag(tag) for tag in organisation.org_tags()]}

    @router.post("/org-tags", status_code=201, response_model=OrgTagAnswer)
    async def add_org_tag(body: OrgTagBody) -> dict[str, Any]:
        """Adds a node to the tree."""
        return _tag(await organisation.add_org_tag(body.code, body.name, body.parent_code or ""))

    return router


def _listed(user: User) -> dict[str, Any]:
    return {**user_json(user), "created_at": rfc3339(user.created_at)}


def _tag(tag: OrgTag) -> dict[str, Any]:
    return {"code": tag.code, "name": tag.name, "parent_code": tag.parent_code or None}
