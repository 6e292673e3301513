"""Accounts, sessions and the org tree."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from superagent_gateway.api.models.base import Answer, Body, Codes, NextCursor, Time

# Lengths are judged by the rules for names and passwords, whose reasons say more; these bound the work.
Name = Annotated[str, Field(max_length=1000, json_schema_extra={"minLength": 3, "maxLength": 64})]
Password = Annotated[str, Field(max_length=1000, json_schema_extra={"minLength": 8, "maxLength": 256})]


class RegisterBody(Body):
    username: Name
    password: Password
    invite: str | None = Field(default=None, max_length=200)


class RegisteredAnswer(Answer):
    user_id: str


class LoginBody(Body):
    username: Annotated[str, Field(max_length=1000)]
    password: Annotated[str, Field(max_length=1000)]


class RefreshBody(Body):
    refresh_token: Annotated[str, Field(max_length=1000)]


class LogoutBody(Body):
    refresh_token: Annotated[str, Field(max_length=1000)] | None = Field(
        default=None, description="ends this session; without it all sessions of the person end"
    )


class UserAnswer(Answer):
    id: str
    username: str
    roles: list[str]
    org_tags: list[str] = Field(description="codes of the tags given directly")


class ListedUserAnswer(UserAnswer):
    banned: bool
    created_at: Time


class SessionAnswer(Answer):
    access_token: str
    refresh_token: str
    expires_in: int = Field(description="seconds until the access token expires")
    user: UserAnswer


class UsersAnswer(Answer):
    users: list[ListedUserAnswer]
    next_cursor: NextCursor


class OrgTagBody(Body):
    code: Annotated[str, Field(max_length=1000, json_schema_extra={"minLength": 1, "maxLength": 64})]
    name: Annotated[str, Field(max_length=1000, json_schema_extra={"minLength": 1, "maxLength": 200})]
    parent_code: Annotated[str, Field(max_length=1000)] | None = None


class OrgTagAnswer(Answer):
    code: str
    name: str
    parent_code: str | None


class OrgTagsAnswer(Answer):
    org_tags: list[OrgTagAnswer]


class OwnAccountAnswer(UserAnswer):
    created_at: Time
    reachable_org_tags: list[OrgTagAnswer] = Field(
        description="the tags given directly and all below them: whose documents the person reads and may upload"
    )


class UserChangeBody(Body):
    roles: Codes | None = Field(default=None, description="`user`, for administrators with `admin`; absent leaves them")
    banned: bool | None = Field(default=None, description="absent leaves it")


class OrgTagChangeBody(Body):
    name: Annotated[str, Field(max_length=1000, json_schema_extra={"minLength": 1, "maxLength": 200})] | None = Field(
        default=None, description="absent leaves it"
    )
    parent_code: Annotated[str, Field(max_length=1000)] | None = Field(
        default=None, description="null moves the tag to the root; absent leaves it"
    )


class UserOrgTagsBody(Body):
    org_tags: Codes
