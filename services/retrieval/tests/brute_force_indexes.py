"""Both index ports in a few lines of Python: fakes for the service's tests, and what the engines are compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from superagent_retrieval.adapters.keyword_analysis import analyse_passage, analyse_query
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


class BruteForceVectorIndex:
    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._children: dict[str, ChildVector] = {}

    async def upsert(self, children: Sequence[ChildVector]) -> None:
        for child in children:
            self._check(child.vector)
        self._children.update({child.chunk_id: child for child in children})

    async def search(
        self, vector: Sequence[float], scope: AccessScope, filters: SearchFilters, limit: int
    ) -> list[VectorHit]:
        self._check(vector)
        hits = [
            VectorHit(
                child.chunk_id,
                child.parent_id,
                child.document_id,
                child.generation,
                child.start,
                child.end,
                _cosine(vector, child.vector),
            )
            for child in self._children.values()
            if scope.admits(child.attributes.access) and filters.admit(child.document_id, child.attributes)
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[: max(0, limit)]

    async def existing(self, chunk_ids: Sequence[str]) -> set[str]:
        return self._children.keys() & set(chunk_ids)

    async def places(self, chunk_ids: Sequence[str]) -> list[ChildPlace]:
        return [
            ChildPlace(key, child.parent_id, child.document_id, child.generation, child.start, child.end)
            for key, child in self._children.items()
            if key in chunk_ids
        ]

    async def children(self, document_id: str, generation: str, after: str | None, limit: int) -> list[StoredVector]:
        found = [
            StoredVector(key, child.parent_id, child.start, child.end, _unit(child.vector), child.header)
            for key, child in sorted(self._children.items())
            if (child.document_id, child.generation) == (document_id, generation) and key > (after or "")
        ]
        return found[:limit]

    async def update_document(self, document_id: str, attributes: DocumentAttributes) -> None:
        for key, child in self._children.items():
            if child.document_id == document_id:
                self._children[key] = replace(child, attributes=attributes)

    async def delete_document(self, document_id: str, keep_generation: str | None = None) -> bool:
        before = len(self._children)
        self._children = {
            key: child
            for key, child in self._children.items()
            if child.document_id != document_id or child.generation == keep_generation
        }
        return len(self._children) < before

    async def delete_generation(self, document_id: str, generation: str) -> None:
        self._children = {
            key: child
            for key, child in self._children.items()
            if (child.document_id, child.generation) != (document_id, generation)
        }

    async def count(self, document_id: str, generation: str) -> int:
        return sum(
            (child.document_id, child.generation) == (document_id, generation) for child in self._children.values()
        )

    async def refresh(self) -> None:
        """Everything is visible at once."""

    async def close(self) -> None:
        self._children.clear()

    def _check(self, vector: Sequence[float]) -> None:
        if len(vector) != self._dimension or not all(map(math.isfinite, vector)):
            raise ValueError("not a vector of this index")


class BruteForceVectorIndexes:
    """Their contents outlive a close, as those of an engine do."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, int], BruteForceVectorIndex] = {}

    async def open(self, model: str, dimension: int) -> BruteForceVectorIndex:
        return self.kept.setdefault((model, dimension), BruteForceVectorIndex(dimension))

    async def drop(self, model: str, dimension: int) -> None:
        self.kept.pop((model, dimension), None)

    async def close(self) -> None:
        """There is nothing to let go of."""


class BruteForceKeywordIndex:
    """Scores by the number of query terms that a parent holds."""

    def __init__(self) -> None:
        self._parents: dict[str, ParentText] = {}

    async def upsert(self, parents: Sequence[ParentText]) -> None:
        self._parents.update({parent.parent_id: parent for parent in parents})

    async def search(self, query: str, scope: AccessScope, filters: SearchFilters, limit: int) -> list[KeywordHit]:
        hits = [
            KeywordHit(parent.parent_id, parent.document_id, parent.generation, float(score))
            for parent in self._parents.values()
            if scope.admits(parent.attributes.access)
            and filters.admit(parent.document_id, parent.attributes)
            and (score := _shared_terms(query, parent))
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.parent_id))[: max(0, limit)]

    async def headings(self, query: str, scope: AccessScope, filters: SearchFilters, limit: int) -> list[KeywordHit]:
        bare = BruteForceKeywordIndex()
        await bare.upsert([replace(parent, text="") for parent in self._parents.values()])
        return await bare.search(query, scope, filters, limit)

    async def update_document(self, document_id: str, title: str, attributes: DocumentAttributes) -> None:
        for key, parent in self._parents.items():
            if parent.document_id == document_id:
                self._parents[key] = replace(parent, title=title, attributes=attributes)

    async def delete_document(self, document_id: str, keep_generation: str | None = None) -> bool:
        before = len(self._parents)
        self._parents = {
            key: parent
            for key, parent in self._parents.items()
            if parent.document_id != document_id or parent.generation == keep_generation
        }
        return len(self._parents) < before

    async def delete_generation(self, document_id: str, generation: str) -> None:
        self._parents = {
            key: parent
            for key, parent in self._parents.items()
            if (parent.document_id, parent.generation) != (document_id, generation)
        }

    async def count(self, document_id: str, generation: str) -> int:
        return sum(
            (parent.document_id, parent.generation) == (document_id, generation) for parent in self._parents.values()
        )

    async def refresh(self) -> None:
        """Everything is visible at once."""

    async def close(self) -> None:
        self._parents.clear()


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.hypot(*vector)
    return [value / length for value in vector]


def _cosine(left: Sequence[float], right: Sequence[float]) -> float:
    product = sum(a * b for a, b in zip(left, right, strict=True))
    return product / (math.hypot(*left) * math.hypot(*right))


def _shared_terms(query: str, parent: ParentText) -> int:
    asked, text = analyse_query(query), analyse_passage(parent.text)
    headings = analyse_passage("\n".join((parent.title, *parent.heading_path)))
    words = set(text.words.split()) | set(headings.words.split())
    return len(words & set(asked.words)) + len(set(text.characters.split()) & set(asked.characters))
