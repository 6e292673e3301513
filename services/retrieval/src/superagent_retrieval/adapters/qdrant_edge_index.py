"""The vector index inside the process: the embedded Qdrant.

Every call of it holds the GIL, so that threads only keep the order: writes go through one in small batches, searches
through another. The one call that takes seconds, `optimize()`, runs on a copy in another process. `flush()`, which waits
for the disk in a dozen files, is called seldom; until then the engine's log is what keeps changes.
"""

from __future__ import annotations

import asyncio
import math
import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import qdrant_edge as qdrant

from superagent_retrieval.adapters.qdrant_edge_optimizer import optimize_copy
from superagent_retrieval.adapters.qdrant_edge_shard import ShardDirectory
from superagent_retrieval.adapters.vector_labels import LABELS_FIELD, document_label, labels, wanted_labels
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.records import (
    ChildPlace,
    ChildVector,
    DocumentAttributes,
    SearchFilters,
    StoredVector,
    VectorHit,
)

# A batch of 64 holds the GIL for 2–3 ms.
_BATCH = 64
# Below this a scan takes 1–3 ms, which no graph betters by much.
_GRAPH_FROM_POINTS = 20_000
# A copy is optimised again once a fifth of the points, and at least so many, came or went.
_DUE_FROM_POINTS = 1_000
# So many points may change while a copy is optimised; they are written to it afterwards.
_JOURNAL_POINTS = 5_000
# After a kill 1,000 points of the log are applied again at the start, which takes half a second on a busy machine.
_FLUSH_FROM_POINTS = 1_000
# Breadth of the walk through the graph.
_SEARCH_BREADTH = 192
_HIT_FIELDS = ["parent_id", "document_id", "generation", "start", "end"]

T = TypeVar("T")


class QdrantEdgeVectorIndex:
    """A VectorIndex in one directory, which it locks."""

    def __init__(self, shards: ShardDirectory, dimension: int, journal_points: int) -> None:
        self._shards = shards
        self._shard = shards.open()
        self._dimension = dimension
        self._journal_points = journal_points
        self._changed_points = self._shard.info().points_count
        self._written_at = time.monotonic()
        self._unkept = False
        self._unflushed_points = 0
        self._journal: _Journal | None = None
        self._writing = ThreadPoolExecutor(1, "qdrant-write")
        self._reading = ThreadPoolExecutor(1, "qdrant-read")

    @classmethod
    async def open(
        cls,
        directory: Path,
        dimension: int,
        graph_from_points: int = _GRAPH_FROM_POINTS,
        journal_points: int = _JOURNAL_POINTS,
    ) -> QdrantEdgeVectorIndex:
        """Opens the index of `directory`, or makes one.

        graph_from_points: up to so many are scanned. journal_points: so many may change during an optimisation.

        Raises RuntimeError when it is open already, an exception of the engine when its vectors have another dimension.
        """
        shards = ShardDirectory(directory, dimension, graph_from_points)
        return await asyncio.to_thread(cls, shards, dimension, journal_points)

    async def upsert(self, children: Sequence[ChildVector]) -> None:
        for child in children:
            self._check(child.vector)
        for first in range(0, len(children), _BATCH):
            await self._write(self._upsert, children[first : first + _BATCH])

    async def search(
        self, vector: Sequence[float], scope: AccessScope, filters: SearchFilters, limit: int
    ) -> list[VectorHit]:
        self._check(vector)
        return await self._read(self._search, vector, scope, filters, limit)

    async def existing(self, chunk_ids: Sequence[str]) -> set[str]:
        return await self._read(self._existing, chunk_ids)

    async def places(self, chunk_ids: Sequence[str]) -> list[ChildPlace]:
        return await self._read(self._places, chunk_ids)

    async def children(self, document_id: str, generation: str, after: str | None, limit: int) -> list[StoredVector]:
        found: list[StoredVector] = []
        while len(found) < limit:
            page = await self._read(self._children, document_id, generation, after, min(_BATCH, limit - len(found)))
            if not page:
                break
            found += page
            after = page[-1].chunk_id
        return found

    async def update_document(self, document_id: str, attributes: DocumentAttributes) -> None:
        operation = qdrant.UpdateOperation.set_payload_by_filter(
            _document_filter(document_id), {LABELS_FIELD: labels(document_id, attributes)}
        )
        await self._write(self._change_document, operation, _document_filter(document_id))

    async def delete_document(self, document_id: str, keep_generation: str | None = None) -> bool:
        return await self._delete(_document_filter(document_id, but=keep_generation))

    async def delete_generation(self, document_id: str, generation: str) -> None:
        await self._delete(_document_filter(document_id, only=generation))

    async def count(self, document_id: str, generation: str) -> int:
        return await self._read(self._count, _document_filter(document_id, only=generation))

    async def refresh(self) -> None:
        await self._write(self._keep)

    async def close(self) -> None:
        await self._write(self._close)
        self._writing.shutdown()
        self._reading.shutdown()

    async def optimize_when_idle(self, quiet_seconds: float = 5.0) -> bool:
        """Builds the graph and lets go of deleted points when that is due and nobody wrote for `quiet_seconds`.

        Searches and writes go on meanwhile. Returns whether a better shard took over. Call it now and then, one call
        at a time, and cancel it before `close`; cancelling loses nothing.
        """
        if self._changed_points < max(_DUE_FROM_POINTS, self._shard.info().points_count // 5):
            return False
        if time.monotonic() - self._written_at < quiet_seconds:
            return False
        copy = await self._write(self._begin_copy)
        taken = False
        try:
            taken = await optimize_copy(copy) and await self._write(self._take_over, copy)
        finally:
            if not taken:
                await asyncio.shield(self._write(self._discard, copy))
        return taken

    async def _write(self, call: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writing, call, *arguments)

    async def _delete(self, condition: qdrant.Filter) -> bool:
        operation = qdrant.UpdateOperation.delete_points_by_filter(condition)
        return await self._write(self._change_document, operation, condition)

    async def _read(self, call: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._reading, call, *arguments)

    def _check(self, vector: Sequence[float]) -> None:
        if len(vector) != self._dimension:
            raise ValueError(f"a vector of {len(vector)} numbers in an index of {self._dimension}")
        if not math.isfinite(sum(vector)):
            raise ValueError("a vector with a number that is not finite")

    def _upsert(self, children: Sequence[ChildVector]) -> None:
        points = [
            qdrant.Point(
                child.chunk_id,
                child.vector,  # type: ignore[arg-type]  # any sequence will do
                {
                    "parent_id": child.parent_id,
                    "document_id": child.document_id,
                    "generation": child.generation,
                    "start": child.start,
                    "end": child.end,
                    **({"header": child.header} if child.header else {}),
                    LABELS_FIELD: labels(child.document_id, child.attributes),
                },
            )
            for child in children
        ]
        self._apply(qdrant.UpdateOperation.upsert_points(points), len(points))

    def _change_document(self, operation: qdrant.UpdateOperation, condition: qdrant.Filter) -> bool:
        """Whether there was anything to change."""
        points = self._count(condition)
        if points:
            self._apply(operation, points)
        return points > 0

    def _apply(self, operation: qdrant.UpdateOperation, points: int) -> None:
        self._unkept = True
        self._shard.update(operation)
        self._changed_points += points
        self._unflushed_points += points
        self._written_at = time.monotonic()
        if self._journal is not None:
            self._journal.add(operation, points)

    def _search(
        self, vector: Sequence[float], scope: AccessScope, filters: SearchFilters, limit: int
    ) -> list[VectorHit]:
        if limit < 1:
            return []
        points = self._shard.query(
            qdrant.QueryRequest(
                limit=limit,
                query=qdrant.Query.Nearest(vector),  # type: ignore[arg-type]  # any sequence will do
                filter=qdrant.Filter(must=[_any_of(LABELS_FIELD, values) for values in wanted_labels(scope, filters)]),
                with_payload=_HIT_FIELDS,
                params=qdrant.SearchParams(hnsw_ef=_SEARCH_BREADTH),
            )
        )
        hits = [VectorHit(chunk_id=str(point.id), score=point.score, **(point.payload or {})) for point in points]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))

    def _existing(self, chunk_ids: Sequence[str]) -> set[str]:
        records = self._shard.retrieve(list(chunk_ids), with_payload=False, with_vector=False)
        return {str(record.id) for record in records}

    def _places(self, chunk_ids: Sequence[str]) -> list[ChildPlace]:
        records = self._shard.retrieve(list(chunk_ids), with_payload=_HIT_FIELDS, with_vector=False)
        return [ChildPlace(chunk_id=str(record.id), **(record.payload or {})) for record in records]

    def _children(self, document_id: str, generation: str, after: str | None, limit: int) -> list[StoredVector]:
        # The offset is the first that comes.
        request = qdrant.ScrollRequest(
            offset=after,
            limit=limit + 1,
            filter=_document_filter(document_id, only=generation),
            with_payload=["parent_id", "start", "end", "header"],
            with_vector=True,
        )
        records, _ = self._shard.scroll(request)
        return [
            StoredVector(chunk_id=str(record.id), vector=record.vector, **(record.payload or {}))  # type: ignore[arg-type]
            for record in records
            if str(record.id) != after
        ][:limit]

    def _count(self, condition: qdrant.Filter) -> int:
        return self._shard.count(qdrant.CountRequest(exact=True, filter=condition))

    def _keep(self) -> None:
        """Has on disk what was changed, in the shard or in its log."""
        if not self._unkept:
            return
        if self._unflushed_points >= _FLUSH_FROM_POINTS or not self._shards.keep_log():
            self._flush()
        self._unkept = False

    def _flush(self) -> None:
        self._shard.flush()
        self._unflushed_points = 0

    def _close(self) -> None:
        self._shard.flush()
        self._shard.close()
        self._shards.close()

    def _begin_copy(self) -> Path:
        self._flush()
        copy = self._shards.copy()
        self._changed_points = 0
        self._journal = _Journal(self._journal_points)
        return copy

    def _take_over(self, copy: Path) -> bool:
        journal = self._journal
        if journal is None or journal.overflown:
            return False
        shard = self._shards.load(copy)
        for operation in journal.operations:
            shard.update(operation)
        shard.flush()
        before, self._shard = self._shard, shard
        leftover = self._shards.take_over(copy)
        self._journal = None
        # A search that still holds the old shard ends before this, as both run in one thread.
        self._reading.submit(before.close).result()
        shutil.rmtree(leftover)
        return True

    def _discard(self, copy: Path) -> None:
        self._journal = None
        shutil.rmtree(copy)


class _Journal:
    """What changes in the shard while a copy of it is optimised."""

    def __init__(self, points: int) -> None:
        self.operations: list[qdrant.UpdateOperation] = []
        self._left = points

    @property
    def overflown(self) -> bool:
        return self._left < 0

    def add(self, operation: qdrant.UpdateOperation, points: int) -> None:
        self._left -= points
        if self.overflown:
            self.operations.clear()
        else:
            self.operations.append(operation)


def _document_filter(document_id: str, only: str | None = None, but: str | None = None) -> qdrant.Filter:
    must = [_any_of(LABELS_FIELD, [document_label(document_id)])]
    if only is not None:
        must.append(_any_of("generation", [only]))
    return qdrant.Filter(must=[*must], must_not=None if but is None else [_any_of("generation", [but])])


def _any_of(field: str, values: Sequence[str]) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(field, match=qdrant.MatchAny(list(values)))
