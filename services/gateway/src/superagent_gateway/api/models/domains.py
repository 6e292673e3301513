"""Knowledge domains as administrators keep them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from superagent_gateway.api.models.base import Answer, Body

# Lengths are judged by the rules for domains, whose reasons say more; these bound the work.
_Text = Annotated[str, Field(max_length=20_000, json_schema_extra={"maxLength": 1000})]


class DomainChangeBody(Body):
    name: Annotated[str, Field(max_length=1000, json_schema_extra={"minLength": 1, "maxLength": 200})]
    description: _Text = Field(default="", description="what it holds; the planner reads this")
    owner_org_tag: Annotated[str, Field(max_length=1000)] | None = Field(
        default=None, description="whose people see the domain even without documents in it; null: everybody"
    )


class DomainBody(DomainChangeBody):
    code: Annotated[str, Field(max_length=1000, json_schema_extra={"minLength": 1, "maxLength": 64})]


class ManagedDomainAnswer(Answer):
    code: str
    name: str
    description: str
    owner_org_tag: str | None


class ManagedDomainsAnswer(Answer):
    domains: list[ManagedDomainAnswer]
