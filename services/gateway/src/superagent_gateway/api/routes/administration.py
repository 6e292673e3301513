"""What administrators do: /admin."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from superagent_common.clock import rfc3339
from superagent_common.identity import current_principal
from superagent_common.paging import DEFAULT_LIMIT
from superagent_gateway.api.models.accounts import (
    ListedUserAnswer,
    OrgTagAnswer,
    OrgTagBody,
    OrgTagChangeBody,
    OrgTagsAnswer,
    UserChangeBody,
    UserOrgTagsBody,
    UsersAnswer,
)
from superagent_gateway.api.persons import Door
from superagent_gateway.api.routes.accounts import org_tag_json, user_json
from superagent_gateway.api.routes.common import PREFIX, Cursor, Limit
from superagent_gateway.application.organisation import Organisation
from superagent_gateway.application.people import People
from superagent_gateway.domain import User


def administration_routes(people: People, organisation: Organisation, door: Door) -> APIRouter:
    """/admin/*."""
    router = APIRouter(prefix=f"{PREFIX}/admin", tags=["admin"], dependencies=[Depends(door.administrator)])

    @router.get("/users", response_model=UsersAnswer)
    async def users(
        query: Annotated[str, Query(max_length=200, description="part of a username")] = "",
        limit: Limit = DEFAULT_LIMIT,
        cursor: Cursor = "",
    ) -> dict[str, Any]:
        """People, oldest account first."""
        found, next_cursor = await people.page(query, limit, cursor)
        return {"users": [_listed(user) for user in found], "next_cursor": next_cursor or None}

    @router.patch("/users/{user_id}", response_model=ListedUserAnswer)
    async def change_user(user_id: str, body: UserChangeBody) -> dict[str, Any]:
        """Gives and takes roles, bans and lets back in. A ban ends all sessions of the person."""
        by = current_principal().user_id
        return _listed(await people.change(user_id, body.roles, body.banned, by))

    @router.put("/users/{user_id}/org-tags", response_model=ListedUserAnswer)
    async def set_org_tags(user_id: str, body: UserOrgTagsBody) -> dict[str, Any]:
        """Replaces a person's direct org tags; their access tokens must be renewed."""
        return _listed(await people.set_org_tags(user_id, body.org_tags))

    @router.get("/org-tags", response_model=OrgTagsAnswer)
    async def org_tags() -> dict[str, Any]:
        """The whole tree, by code."""
        return {"org_tags": [org_tag_json(tag) for tag in organisation.org_tags()]}

    @router.post("/org-tags", status_code=201, response_model=OrgTagAnswer)
    async def add_org_tag(body: OrgTagBody) -> dict[str, Any]:
        """Adds a node to the tree."""
        return org_tag_json(await organisation.add(body.code, body.name, body.parent_code or ""))

    @router.patch("/org-tags/{code}", response_model=OrgTagAnswer)
    async def change_org_tag(code: str, body: OrgTagChangeBody) -> dict[str, Any]:
        """Renames or moves a node with all below it; who reads what follows the tree."""
        is_moved = "parent_code" in body.model_fields_set
        return org_tag_json(await organisation.change(code, body.name, (body.parent_code or "") if is_moved else None))

    @router.delete("/org-tags/{code}", status_code=204)
    async def remove_org_tag(code: str) -> Response:
        """Removes a node that no person and no other node has. Documents that carry it stay with their owners."""
        await organisation.remove(code)
        return Response(status_code=204)

    return router


def _listed(user: User) -> dict[str, Any]:
    return {**user_json(user), "banned": user.banned_at is not None, "created_at": rfc3339(user.created_at)}
