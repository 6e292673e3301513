"""Generations of documents: written into both indexes, and answering only when both hold all of one.

What is said of a document may change at any moment, also while a generation is written. The catalogue learns it first
and at once keeps from the document whoever may not read it any more; the indexes follow before a generation answers.
Whoever wrote to them looks whether something newer has been learnt meanwhile, so that the newest is what stays.

What decides over a document takes turns in this process, the only one that writes to embedded engines; chunks of several
runs may come in at the same time, and a run whose chunks another one removed begins anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import replace
from weakref import WeakValueDictionary

from opentelemetry.trace import Span, SpanKind

from superagent_common.errors import NotFound, Unavailable
from superagent_common.telemetry import Telemetry
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import DocumentMetadata, IndexedDocument
from superagent_retrieval.domain.records import ChildVector, ParentText
from superagent_retrieval.ports import Catalogue, KeywordIndex, VectorIndex


class Generations:
    """Writes documents, whatever their chunks come from."""

    def __init__(
        self, vectors: VectorIndex, keywords: KeywordIndex, catalogue: Catalogue, telemetry: Telemetry
    ) -> None:
        self._vectors = vectors
        self._keywords = keywords
        self._catalogue = catalogue
        self._telemetry = telemetry
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def run(self, document: IndexedDocument) -> AsyncIterator[IndexedDocument]:
        """For writing a generation: gives the document with the newest that is known of it.

        Raises NotFound when the document has been removed. When it is removed meanwhile, nothing of it is left behind.
        """
        document_id = document.document_id
        metadata = await self._catalogue.learn(document_id, document.metadata)
        try:
            yield replace(document, metadata=metadata)
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

    async def write_children(self, children: Sequence[ChildVector]) -> None:
        """Adds children to their generation; one that is there is replaced."""
        with self._vector_span("upsert"):
            await self._vectors.upsert(children)

    async def finish(self, document: IndexedDocument, *, all_written_now: bool) -> None:
        """Makes the document's generation the answering one, and removes all others.

        all_written_now: whether each chunk was written with `document.metadata`, and none by an earlier try.

        Raises NotFound when the document has been removed, Unavailable when one of the indexes does not hold all of it.
        What is there is thrown away then, so that the next try begins with nothing; whatever answered before goes on
        answering.
        """
        document_id, generation = document.document_id, document.generation
        async with self._turn(document_id):
            await self._check_whole(document)
            indexed = document.metadata if all_written_now else None
            activated = False
            while not activated:
                indexed = await self._follow(document_id, indexed)
                activated = await self._catalogue.activate(replace(document, metadata=indexed))
            await self._keep_only(document_id, generation)

    async def update(self, document_id: str, metadata: DocumentMetadata) -> None:
        """Changes what is said of a document in both indexes; what is older than what is known changes nothing.

        It also holds for a generation that is being written, or will be. Raises NotFound for a document that has been
        removed.
        """
        newest = await self._catalogue.learn(document_id, metadata)
        if newest.revision <= metadata.revision:
            async with self._turn(document_id):
                await self._follow(document_id, None)

    async def delete(self, document_id: str) -> None:
        """Removes a document from everything that answers; removing what is not there is no error."""
        await self._catalogue.remove(document_id)
        async with self._turn(document_id):
            await self._keep_only(document_id, None)

    async def clear_removed(self) -> None:
        """Removes what a process that died may have written of documents after they were removed."""
        for document_id in await self._catalogue.removed():
            await self._vectors.delete_document(document_id)
            await self._keywords.delete_document(document_id)
        await self._refresh()

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
        with self._vector_span("update"):
            await self._vectors.update_document(document_id, metadata.attributes)
        with self._keyword_span("update"):
            await self._keywords.update_document(document_id, metadata.title, metadata.attributes)
        await self._refresh()

    async def _check_whole(self, document: IndexedDocument) -> None:
        document_id, generation = document.document_id, document.generation
        await self._refresh()
        there = (
            await self._catalogue.count(document_id, generation),
            await self._keywords.count(document_id, generation),
            await self._vectors.count(document_id, generation),
        )
        if there == (document.parents, document.parents, document.children):
            return
        await self._newest(document_id)
        answering = await self._catalogue.answering(document_id)
        if answering is None or answering.generation != generation:
            await self._catalogue.discard(document_id, generation)
            await self._vectors.delete_generation(document_id, generation)
            await self._keywords.delete_generation(document_id, generation)
            await self._refresh()
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
        with self._vector_span("delete"):
            vectors = await self._vectors.delete_document(document_id, generation)
        with self._keyword_span("delete"):
            keywords = await self._keywords.delete_document(document_id, generation)
        if vectors or keywords:
            await self._refresh()

    async def _refresh(self) -> None:
        with self._telemetry.span("refresh indexes", SpanKind.CLIENT):
            await asyncio.gather(self._vectors.refresh(), self._keywords.refresh())

    def _vector_span(self, what: str) -> AbstractContextManager[Span]:
        return self._telemetry.span(f"vector {what}", SpanKind.CLIENT, {"db.system": "qdrant"})

    def _keyword_span(self, what: str) -> AbstractContextManager[Span]:
        return self._telemetry.span(f"keyword {what}", SpanKind.CLIENT, {"db.system": "opensearch"})
