"""The catalogue in a few lines of Python: a fake for tests of what happens in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from superagent_common.errors import NotFound
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import DocumentMetadata, DomainSummary, IndexedDocument, OutlineEntry


class MemoryCatalogue:
    """`Catalogue` whose calls take effect at once. Domains are not kept."""

    def __init__(self) -> None:
        self._known: dict[str, DocumentMetadata] = {}
        self._answering: dict[str, IndexedDocument] = {}
        self._parents: dict[str, tuple[str, Parent]] = {}
        self._removed: list[str] = []

    async def learn(self, document_id: str, metadata: DocumentMetadata) -> DocumentMetadata:
        self._refuse_removed(document_id)
        known = self._known.get(document_id)
        if known is None or known.revision <= metadata.revision:
            self._known[document_id] = metadata
        return self._known[document_id]

    async def metadata(self, document_id: str) -> DocumentMetadata | None:
        return self._known.get(document_id)

    async def answering(self, document_id: str) -> IndexedDocument | None:
        document = self._answering.get(document_id)
        return replace(document, metadata=self._known[document_id]) if document else None

    async def generations(self, document_ids: Sequence[str]) -> dict[str, str]:
        return {key: self._answering[key].generation for key in document_ids if key in self._answering}

    async def write_parents(self, parents: Sequence[Parent], generation: str) -> None:
        for parent in parents:
            self._parents.setdefault(parent.parent_id, (generation, parent))

    async def parents_behind(self, document_id: str, generation: str, position: int, limit: int) -> list[Parent]:
        if (await self.generations([document_id])).get(document_id) != generation:
            return []
        found = [
            parent
            for of, parent in self._parents.values()
            if (parent.document_id, of) == (document_id, generation) and parent.position > position
        ]
        return sorted(found, key=lambda parent: parent.position)[:limit]

    async def count(self, document_id: str, generation: str) -> int:
        return sum((each.document_id, of) == (document_id, generation) for of, each in self._parents.values())

    async def discard(self, document_id: str, generation: str) -> None:
        self._keep(lambda of, parent: (parent.document_id, of) != (document_id, generation))

    async def activate(self, document: IndexedDocument) -> bool:
        self._refuse_removed(document.document_id)
        if self._known[document.document_id].revision != document.metadata.revision:
            return False
        self._answering[document.document_id] = document
        self._keep(lambda of, parent: parent.document_id != document.document_id or of == document.generation)
        return True

    async def remove(self, document_id: str) -> None:
        self._known.pop(document_id, None)
        self._answering.pop(document_id, None)
        self._keep(lambda _, parent: parent.document_id != document_id)
        self._removed.append(document_id)

    async def removed(self) -> list[str]:
        return sorted(set(self._removed))

    async def parents(self, parent_ids: Sequence[str], scope: AccessScope) -> dict[str, Parent]:
        found = {}
        for key in parent_ids:
            generation, parent = self._parents.get(key, ("", None))
            document = await self.readable(parent.document_id, scope) if parent else None
            if parent and document and document.generation == generation:
                metadata = document.metadata
                found[key] = replace(parent, title=metadata.title, domain=metadata.attributes.domain)
        return found

    async def readable(self, document_id: str, scope: AccessScope) -> IndexedDocument | None:
        document = await self.answering(document_id)
        return document if document and scope.admits(document.metadata.attributes.access) else None

    async def outline(self, document_id: str, scope: AccessScope) -> tuple[OutlineEntry, ...] | None:
        document = await self.readable(document_id, scope)
        return document.outline if document else None

    async def domains(self, scope: AccessScope) -> Sequence[DomainSummary]:
        return []

    async def totals(self) -> tuple[int, int, int]:
        documents = self._answering.values()
        return len(documents), sum(each.parents for each in documents), sum(each.children for each in documents)

    def _refuse_removed(self, document_id: str) -> None:
        if document_id in self._removed:
            raise NotFound("unknown_document")

    def _keep(self, wanted: object) -> None:
        self._parents = {key: stored for key, stored in self._parents.items() if wanted(*stored)}  # type: ignore[operator]
