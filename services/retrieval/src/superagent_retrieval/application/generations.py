"""Generations of documents: written into both indexes, and answering only when both hold all of one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager

from opentelemetry.trace import Span, SpanKind

from superagent_common.errors import Unavailable
from superagent_common.telemetry import Telemetry
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import IndexedDocument
from superagent_retrieval.domain.records import ChildVector, DocumentAttributes, ParentText
from superagent_retrieval.ports import Catalogue, KeywordIndex, VectorIndex


class Generations:
    """What writes a generation, whatever its chunks come from."""

    def __init__(
        self, vectors: VectorIndex, keywords: KeywordIndex, catalogue: Catalogue, telemetry: Telemetry
    ) -> None:
        self._vectors = vectors
        self._keywords = keywords
        self._catalogue = catalogue
        self._telemetry = telemetry

    async def write_parents(self, document: IndexedDocument, parents: Sequence[Parent]) -> None:
        """Adds parents to the document's generation; those that are there stay."""
        await self._catalogue.write_parents(parents, document.generation)
        texts = [
            ParentText(
                parent.parent_id,
                document.document_id,
                document.generation,
                document.attributes,
                document.title,
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

    async def finish(self, document: IndexedDocument) -> None:
        """Makes the document's generation the answering one, and removes all others.

        Raises Unavailable when one of the indexes does not hold all of it. What is there is thrown away then, so that
        the next try begins with nothing; whatever answered before goes on answering.
        """
        document_id, generation = document.document_id, document.generation
        await self._refresh()
        there = (
            await self._keywords.count(document_id, generation),
            await self._vectors.count(document_id, generation),
        )
        if there != (document.parents, document.children):
            await self._discard(document_id, generation)
            raise Unavailable("index_incomplete", "Not all of the document is in the index yet.")
        await self._catalogue.activate(document)
        await self._keep_only(document_id, generation)

    async def delete(self, document_id: str) -> None:
        """Removes a document from everything that answers; removing what is not there is no error."""
        await self._catalogue.remove(document_id)
        await self._keep_only(document_id, None)

    async def update(self, document_id: str, title: str, attributes: DocumentAttributes) -> None:
        """Changes title and attributes in both indexes."""
        with self._vector_span("update"):
            await self._vectors.update_document(document_id, attributes)
        with self._keyword_span("update"):
            await self._keywords.update_document(document_id, title, attributes)
        await self._refresh()

    async def _discard(self, document_id: str, generation: str) -> None:
        answering = await self._catalogue.active(document_id)
        if answering is None or answering.generation != generation:
            await self._catalogue.discard(document_id, generation)
            await self._keep_only(document_id, answering.generation if answering else None)

    async def _keep_only(self, document_id: str, generation: str | None) -> None:
        with self._vector_span("delete"):
            await self._vectors.delete_document(document_id, generation)
        with self._keyword_span("delete"):
            await self._keywords.delete_document(document_id, generation)
        await self._refresh()

    async def _refresh(self) -> None:
        with self._telemetry.span("refresh indexes", SpanKind.CLIENT):
            await asyncio.gather(self._vectors.refresh(), self._keywords.refresh())

    def _vector_span(self, what: str) -> AbstractContextManager[Span]:
        return self._telemetry.span(f"vector {what}", SpanKind.CLIENT, {"db.system": "qdrant"})

    def _keyword_span(self, what: str) -> AbstractContextManager[Span]:
        return self._telemetry.span(f"keyword {what}", SpanKind.CLIENT, {"db.system": "opensearch"})
