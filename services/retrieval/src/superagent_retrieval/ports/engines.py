"""Two search engines: children by vectors, parents by words.

Permission and filters are part of the engine's own query, never a filter over its answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.records import (
    ChildPlace,
    ChildVector,
    DocumentAttributes,
    KeywordHit,
    ParentText,
    SearchFilters,
    StoredVector,
    VectorHit,
)


class VectorIndex(Protocol):
    """Children by cosine. One vector a chunk id; vectors of another dimension or with NaN raise ValueError.

    Writes take effect in the order they were awaited and may be seen early; what was written before a `refresh` that
    returned is found by every later search and survives the death of the process.
    """

    async def upsert(self, children: Sequence[ChildVector]) -> None:
        """Writes children; one that is there already is replaced."""
        ...

    async def search(
        self, vector: Sequence[float], scope: AccessScope, filters: SearchFilters, limit: int
    ) -> list[VectorHit]:
        """The `limit` nearest readable children, nearest first, ties by chunk id; none when limit < 1."""
        ...

    async def existing(self, chunk_ids: Sequence[str]) -> set[str]:
        """Those of `chunk_ids` that the index holds."""
        ...

    async def places(self, chunk_ids: Sequence[str]) -> list[ChildPlace]:
        """Where those of `chunk_ids` (UUIDs) stand that the index holds, in no order. Knows of no permissions."""
        ...

    async def children(self, document_id: str, generation: str, after: str | None, limit: int) -> list[StoredVector]:
        """Children of one generation with their vectors, by chunk id: at most `limit` >= 1 behind the id `after`.

        None begins with the first. Knows of no permissions.
        """
        ...

    async def update_document(self, document_id: str, attributes: DocumentAttributes) -> None:
        """Changes access and filter values of all generations of a document."""
        ...

    async def delete_document(self, document_id: str, keep_generation: str | None = None) -> bool:
        """Removes a document, or all of its generations but one; False when there was nothing to remove."""
        ...

    async def delete_generation(self, document_id: str, generation: str) -> None:
        """Removes one generation. Removing what is not there is no error."""
        ...

    async def count(self, document_id: str, generation: str) -> int:
        """Children of one generation."""
        ...

    async def refresh(self) -> None:
        """Makes all writes so far visible and durable."""
        ...

    async def close(self) -> None:
        """As refresh, then lets go of the store; nothing else may be called afterwards."""
        ...


class VectorIndexes(Protocol):
    """The vector indexes, one for each model and dimension (RAG-11): several are there while the model is switched."""

    async def open(self, model: str, dimension: int) -> VectorIndex:
        """The index of a model's vectors, an empty one when there is none; called once for each that is there.

        What has not been dropped holds what it held, whoever opened it before.
        """
        ...

    async def drop(self, model: str, dimension: int) -> None:
        """Closes the index when it is open, and removes it with all that it holds. None there is no error."""
        ...

    async def close(self) -> None:
        """Closes all that are open; nothing else may be called afterwards."""
        ...


class KeywordIndex(Protocol):
    """Parents by BM25 over title, headings and text. One entry a parent id.

    Searches see the state of the last `refresh`, which also makes it durable.
    """

    async def upsert(self, parents: Sequence[ParentText]) -> None:
        """Writes parents; one that is there already is replaced."""
        ...

    async def search(self, query: str, scope: AccessScope, filters: SearchFilters, limit: int) -> list[KeywordHit]:
        """The `limit` best readable parents, best first, ties by parent id; none when limit < 1.

        Any text is a query and none of it is syntax; a text without a searchable word (empty, punctuation, emoji)
        finds nothing.
        """
        ...

    async def headings(self, query: str, scope: AccessScope, filters: SearchFilters, limit: int) -> list[KeywordHit]:
        """As `search`, but over headings and title alone."""
        ...

    async def update_document(self, document_id: str, title: str, attributes: DocumentAttributes) -> None:
        """Changes title, access and filter values of all generations of a document."""
        ...

    async def delete_document(self, document_id: str, keep_generation: str | None = None) -> bool:
        """Removes a document, or all of its generations but one; False when there was nothing to remove."""
        ...

    async def delete_generation(self, document_id: str, generation: str) -> None:
        """Removes one generation. Removing what is not there is no error."""
        ...

    async def count(self, document_id: str, generation: str) -> int:
        """Parents of one generation, as of the last refresh."""
        ...

    async def refresh(self) -> None:
        """Makes all writes so far visible and durable."""
        ...

    async def close(self) -> None:
        """As refresh, then lets go of the store; nothing else may be called afterwards."""
        ...
