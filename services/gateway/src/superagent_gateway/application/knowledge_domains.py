"""Domains of documents, as administrators name and describe them (ING-14)."""

from __future__ import annotations

from collections.abc import Sequence

from superagent_common.errors import NotFound
from superagent_gateway.application.configuration import CurrentConfiguration
from superagent_gateway.domain import KnowledgeDomain, checked_domain
from superagent_gateway.ports import DomainStore


class KnowledgeDomains:
    """Those that somebody described; documents may carry other codes, too. Every change reaches all services."""

    def __init__(self, store: DomainStore, configuration: CurrentConfiguration) -> None:
        self._store = store
        self._configuration = configuration

    def all(self) -> Sequence[KnowledgeDomain]:
        """By code."""
        return self._configuration.current.domains

    def name(self, code: str) -> str:
        """What people call a domain: its code as long as nobody has named it."""
        return next((domain.name for domain in self.all() if domain.code == code), code)

    async def add(self, code: str, name: str, description: str, owner_org_tag: str) -> KnowledgeDomain:
        """Describes a domain. Raises InvalidInput, AlreadyExists."""
        domain = checked_domain(code, name, description, owner_org_tag)
        await self._store.add(domain)
        await self._configuration.changed()
        return domain

    async def replace(self, code: str, name: str, description: str, owner_org_tag: str) -> KnowledgeDomain:
        """Describes a domain anew. Raises InvalidInput, NotFound."""
        domain = checked_domain(code, name, description, owner_org_tag)
        if not await self._store.replace(domain):
            raise _unknown()
        await self._configuration.changed()
        return domain

    async def remove(self, code: str) -> None:
        """Forgets name and description; documents keep the code. Raises NotFound."""
        if not await self._store.remove(code):
            raise _unknown()
        await self._configuration.changed()


def _unknown() -> NotFound:
    return NotFound("unknown_domain", "There is no such domain.")
