"""Generations of documents: written into both indexes, and answering only when both hold all of one.

What is said of a document may change at any moment, also while a generation is written. The catalogue learns it first
and at once keeps from the document whoever may not read it any more; the indexes follow before a generation answers.
Whoever wrote to them looks whether something newer has been learnt meanwhile, so that the newest is what stays.

What decides over a document takes turns in this process, the only one that writes to embedded engines; chunks of several
runs may come in at the same time, and a run whose chunks another one removed begins anew. Replicas on servers take no turns:
each change is in the catalogue before it is in the indexes, and whoever wrote looks there again.

A run writes its children to the space that answered when it began. When another one answers at its end, they are carried
over first; a space that is being built gets them from there in its own time (see `rebuilding`). Everything else concerns
all spaces at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import replace
from weakref import WeakValueDictionary

from opentelemetry.trace import Span, SpanKind

from superagent_common.errors import NotFound, Unavailable
from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.carrying import Carrying
from superagent_retrieval.application.spaces import Space, Spaces
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import DocumentMetadata, IndexedDocument
from superagent_retrieval.domain.records import ChildVector, ParentText
from superagent_retrieval.ports import Catalogue, KeywordIndex

# Something newer may come in between each time; so often it does not.
_ACTIVATION_TRIES = 100


class Generations:
    """Writes documents, whatever their chunks come from."""

    def __init__(
        self,
        spaces: Spaces,
        keywords: KeywordIndex,
        catalogue: Catalogue,
        carrying: Carrying,
        follow: Callable[[], Awaitable[None]],
        telemetry: Telemetry,
    ) -> None:
        """follow: see `Following.follow`."""
        self._spaces = spaces
        self._keywords = keywords
        self._catalogue = catalogue
        self._carrying = carrying
        self._follow_switch = follow
        self._telemetry = telemetry
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def run(self, document: IndexedDocument) -> AsyncIterator[tuple[IndexedDocument, Space]]:
        """For writing a generation: gives the document with the newest that is known of it, and where its children go.

        Raises NotFound when the document has been removed. When it is removed meanwhile, nothing of it is left behind.
        """
        document_id = document.document_id
        metadata = await self._catalogue.learn(document_id, document.metadata)
        with self._spaces.pinned() as space:
            try:
                yield replace(document, metadata=metadata), space
            finally:
                # Also when the caller is gone: nobody else would remove what was written after the removal.
                await asyncio.shield(self._clear_removed(document_id))

    async def write_parents(self, document: IndexedDocument, parents: Sequence[Parent]) -> None:
        """Adds parents to the document's generation; those that are there stay."""
        await self._catalogue.write_parents(parents, document.generation)
        metadata = document.metadata
        texts = [
            ParentText(
                parent.parent_id,
                document.document_id,
                document.generation,
                metadata.attributes,
                metadata.title,
                parent.heading_path,
                parent.text,
            )
            for parent in parents
        ]
        with self._keyword_span("upsert"):
            await self._keywords.upsert(texts)

    async def write_children(self, space: Space, children: Sequence[ChildVector]) -> None:
        """Adds children to their generation; one that is there is replaced."""
        with self._vector_span("upsert"):
            await space.index.upsert(children)

    async def finish(self, document: IndexedDocument, space: Space, *, all_written_now: bool) -> None:
        """Makes the document's generation the answering one, and removes all others.

        space: where its children were written. all_written_now: whether each chunk was written with `document.metadata`,
        and none by an earlier try.

        Raises NotFound when the document has been removed, Unavailable when one of the indexes does not hold all of it.
        What is there is thrown away then, so that the next try begins with nothing; whatever answered before goes on
        answering.
        """
        document_id, generation = document.document_id, document.generation
        async with self._turn(document_id):
            await self._check_whole(document, space)
            indexed = document.metadata if all_written_now else None
            await self._follow_switch()
            for _ in range(_ACTIVATION_TRIES):
                if self._spaces.answering is not space:
                    space, indexed = await self._carry_over(document, space), None
                indexed = await self._follow(document_id, indexed)
                if await self._catalogue.activate(replace(document, metadata=indexed), space.name):
                    break
                await self._follow_switch()
            else:
                raise Unavailable("index_switching", "Another index answers than this process knows of.")
            await self._keep_only(document_id, generation)

    async def complete(self, document: IndexedDocument, space: Space) -> bool:
        """Whether a space that is being built holds the document's answering generation, with the newest that is known.

        document: as it was when its children were carried there. False when something else answers by now; what was
        carried is removed then. Raises Unavailable when not all of it is there.
        """
        document_id, generation = document.document_id, document.generation
        async with self._turn(document_id):
            answering = await self._swept(document, space)
            if answering is None:
                return False
            await space.index.delete_document(document_id, keep_generation=generation)
            if answering.metadata != document.metadata:
                await space.index.update_document(document_id, answering.metadata.attributes)
            await space.index.refresh()
            if await space.index.count(document_id, generation) != answering.children:
                raise Unavailable("index_incomplete", "Not all of the document is in the index yet.")
            return True

    async def sweep(self, document: IndexedDocument, space: Space) -> None:
        """Removes from a space that is being built what was carried of a generation that does not answer any more."""
        async with self._turn(document.document_id):
            await self._swept(document, space)

    async def update(self, document_id: str, metadata: DocumentMetadata) -> None:
        """Changes what is said of a document in both indexes; what is older than what is known changes nothing.

        It also holds for a generation that is being written, or will be. Raises NotFound for a document that has been
        removed.
        """
        newest = await self._catalogue.learn(document_id, metadata)
        if newest.revision <= metadata.revision:
            await self._follow_switch()
            async with self._turn(document_id):
                await self._follow(document_id, None)

    async def delete(self, document_id: str) -> None:
        """Removes a document from everything that answers; removing what is not there is no error."""
        await self._catalogue.remove(document_id)
        await self._follow_switch()
        async with self._turn(document_id):
            await self._keep_only(document_id, None)

    async def clear_removed(self) -> None:
        """Removes what a process that died may have written of documents after they were removed."""
        for document_id in await self._catalogue.removed():
            with self._spaces.written() as spaces:
                for space in spaces:
                    await space.index.delete_document(document_id)
            await self._keywords.delete_document(document_id)
        await self._refresh()

    async def _swept(self, document: IndexedDocument, space: Space) -> IndexedDocument | None:
        """The document with the newest that is known; None when its generation does not answer, and is removed."""
        answering = await self._catalogue.answering(document.document_id)
        if answering is not None and answering.generation == document.generation:
            return answering
        await space.index.delete_generation(document.document_id, document.generation)
        return None

    async def _carry_over(self, document: IndexedDocument, source: Space) -> Space:
        """Carries a generation that does not answer yet to the space that answers now, which is given."""
        with self._spaces.pinned() as space:
            await self._carrying.carry(document, source.index, space)
            await self._check_whole(document, space)
            return space

    async def _follow(self, document_id: str, indexed: DocumentMetadata | None) -> DocumentMetadata:
        """Writes to both indexes until they hold the newest, which is given; `indexed` is what they hold now."""
        while True:
            newest = await self._newest(document_id)
            if newest == indexed:
                return newest
            await self._write_metadata(document_id, newest)
            indexed = newest

    async def _newest(self, document_id: str) -> DocumentMetadata:
        metadata = await self._catalogue.metadata(document_id)
        if metadata is None:
            raise NotFound("unknown_document", "There is no such document (any more).")
        return metadata

    async def _write_metadata(self, document_id: str, metadata: DocumentMetadata) -> None:
        with self._spaces.written() as spaces, self._vector_span("update"):
            for space in spaces:
                await space.index.update_document(document_id, metadata.attributes)
        with self._keyword_span("update"):
            await self._keywords.update_document(document_id, metadata.title, metadata.attributes)
        await self._refresh()

    async def _check_whole(self, document: IndexedDocument, space: Space) -> None:
        document_id, generation = document.document_id, document.generation
        await self._refresh(space)
        there = (
            await self._catalogue.count(document_id, generation),
            await self._keywords.count(document_id, generation),
            await space.index.count(document_id, generation),
        )
        if there == (document.parents, document.parents, document.children):
            return
        await self._newest(document_id)
        answering = await self._catalogue.answering(document_id)
        if answering is None or answering.generation != generation:
            await self._catalogue.discard(document_id, generation)
            with self._spaces.written(space) as spaces:
                for each in spaces:
                    await each.index.delete_generation(document_id, generation)
            await self._keywords.delete_generation(document_id, generation)
            await self._refresh(space)
        raise Unavailable("index_incomplete", "Not all of the document is in the index yet.")

    async def _clear_removed(self, document_id: str) -> None:
        if await self._catalogue.metadata(document_id) is None:
            await self.delete(document_id)

    def _turn(self, document_id: str) -> asyncio.Lock:
        lock = self._turns.get(document_id)
        if lock is None:
            self._turns[document_id] = lock = asyncio.Lock()
        return lock

    async def _keep_only(self, document_id: str, generation: str | None) -> None:
        with self._spaces.written() as spaces, self._vector_span("delete"):
            vectors = [await space.index.delete_document(document_id, generation) for space in spaces]
        with self._keyword_span("delete"):
            keywords = await self._keywords.delete_document(document_id, generation)
        if any(vectors) or keywords:
            await self._refresh()

    async def _refresh(self, *further: Space) -> None:
        with self._spaces.written(*further) as spaces, self._telemetry.span("refresh indexes", SpanKind.CLIENT):
            await asyncio.gather(self._keywords.refresh(), *(space.index.refresh() for space in spaces))

    def _vector_span(self, what: str) -> AbstractContextManager[Span]:
        return self._telemetry.span(f"vector {what}", SpanKind.CLIENT, {"db.system": "qdrant"})

    def _keyword_span(self, what: str) -> AbstractContextManager[Span]:
        return self._telemetry.span(f"keyword {what}", SpanKind.CLIENT, {"db.system": "opensearch"})
