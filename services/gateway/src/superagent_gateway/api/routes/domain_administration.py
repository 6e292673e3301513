"""What administrators do with knowledge domains: /admin/domains."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Response

from superagent_gateway.api.models.domains import (
    DomainBody,
    DomainChangeBody,
    ManagedDomainAnswer,
    ManagedDomainsAnswer,
)
from superagent_gateway.api.persons import Door
from superagent_gateway.api.routes.common import PREFIX
from superagent_gateway.application.knowledge_domains import KnowledgeDomains
from superagent_gateway.domain import KnowledgeDomain


def domain_administration_routes(domains: KnowledgeDomains, door: Door) -> APIRouter:
    """/admin/domains*."""
    router = APIRouter(prefix=f"{PREFIX}/admin/domains", tags=["admin"], dependencies=[Depends(door.administrator)])

    @router.get("", response_model=ManagedDomainsAnswer)
    async def listed() -> dict[str, Any]:
        """Domains that are described, by code. Documents may carry other codes, which are their own names."""
        return {"domains": [_domain(domain) for domain in domains.all()]}

    @router.post("", status_code=201, response_model=ManagedDomainAnswer)
    async def add(body: DomainBody) -> dict[str, Any]:
        """Names and describes a domain, with documents in it or without."""
        return _domain(await domains.add(body.code, body.name, body.description, body.owner_org_tag or ""))

    @router.put("/{code}", response_model=ManagedDomainAnswer)
    async def replace(code: str, body: DomainChangeBody) -> dict[str, Any]:
        """Replaces name, description and owner."""
        return _domain(await domains.replace(code, body.name, body.description, body.owner_org_tag or ""))

    @router.delete("/{code}", status_code=204)
    async def remove(code: str) -> Response:
        """Forgets name and description. Documents stay, and keep the code."""
        await domains.remove(code)
        return Response(status_code=204)

    return router


def _domain(domain: KnowledgeDomain) -> dict[str, Any]:
    return {
        "code": domain.code,
        "name": domain.name,
        "description": domain.description,
        "owner_org_tag": domain.owner_org_tag or None,
    }
