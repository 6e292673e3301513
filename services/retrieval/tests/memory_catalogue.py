"""The catalogue in a few lines of Python: a fake for tests of what happens in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from superagent_common.errors import NotFound
from superagent_common.ids import new_id
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import DocumentMetadata, DomainSummary, IndexedDocument, OutlineEntry
from superagent_retrieval.domain.embeddings import IndexName, IndexRun, IndexStates


class MemoryCatalogue:
    """`Catalogue` and `IndexCatalogue` whose calls take effect at once. Domains are not kept."""

    def __init__(self) -> None:
        self._states: IndexStates | None = None
        self._held: dict[str, str] = {}
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

    async def texts(self, parent_ids: Sequence[str]) -> dict[str, str]:
        return {key: self._parents[key][1].text for key in parent_ids if key in self._parents}

    async def count(self, document_id: str, generation: str) -> int:
        return sum((each.document_id, of) == (document_id, generation) for of, each in self._parents.values())

    async def discard(self, document_id: str, generation: str) -> None:
        self._keep(lambda of, parent: (parent.document_id, of) != (document_id, generation))

    async def activate(self, document: IndexedDocument, index: IndexName) -> bool:
        self._refuse_removed(document.document_id)
        if self._known[document.document_id].revision != document.metadata.revision:
            return False
        if (await self.states()).answering.index != index:
            return False
        self._held.pop(document.document_id, None)
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

    async def claim(self, default: IndexName) -> IndexStates:
        states = self._states
        run = IndexRun(new_id(), default, 0)
        if states is None:
            self._states = IndexStates(run)
        elif not (self._answering or states.building or default in (states.answering.index, *states.retired)):
            self._states = IndexStates(run, None, (*states.retired, states.answering.index))
        return await self.states()

    async def states(self) -> IndexStates:
        assert self._states is not None
        return self._states

    async def start(self, run: IndexRun) -> None:
        self._states = replace(await self.states(), building=run)

    async def behind(self, run_id: str, after: str, limit: int) -> list[str]:
        return sorted(key for key in self._answering if self._held.get(key) != run_id and key > after)[:limit]

    async def mark(self, run_id: str, document_id: str, generation: str) -> None:
        if document_id in self._answering and self._answering[document_id].generation == generation:
            self._held[document_id] = run_id

    async def progress(self, run_id: str) -> tuple[int, int]:
        return len(self._answering) - len(await self.behind(run_id, "", len(self._answering))), len(self._answering)

    async def finish(self, run_id: str) -> bool:
        states = await self.states()
        if states.building is None or states.building.run_id != run_id or await self.behind(run_id, "", 1):
            return False
        self._states = IndexStates(states.building, None, (*states.retired, states.answering.index))
        return True

    async def abandon(self, run_id: str) -> None:
        states = await self.states()
        assert states.building is not None and states.building.run_id == run_id
        self._states = IndexStates(states.answering, None, (*states.retired, states.building.index))

    async def forget(self, index: IndexName) -> None:
        states = await self.states()
        self._states = replace(states, retired=tuple(name for name in states.retired if name != index))

    def _refuse_removed(self, document_id: str) -> None:
        if document_id in self._removed:
            raise NotFound("unknown_document")

    def _keep(self, wanted: object) -> None:
        self._parents = {key: stored for key, stored in self._parents.items() if wanted(*stored)}  # type: ignore[operator]
