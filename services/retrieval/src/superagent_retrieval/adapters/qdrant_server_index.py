"""A vector index on a Qdrant server: one collection, over gRPC.

The server holds a write before it answers, and shows it to every later search: there is nothing left for `refresh`.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from grpc import StatusCode
from grpc.aio import AioRpcError, UsageError
from qdrant_client import AsyncQdrantClient
from qdrant_client import models as qdrant
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse

from superagent_common.errors import Unavailable
from superagent_retrieval.adapters.patience import patiently
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

# A message of 256 vectors with 1,024 numbers has 1 MiB.
_BATCH = 256
# Breadth of the walk through the graph, as in the embedded index.
_SEARCH_BREADTH = 192
_HIT_FIELDS = ["parent_id", "document_id", "generation", "start", "end"]
_STORED_FIELDS = ["parent_id", "start", "end", "header"]
# With several copies of a collection, writes to one document go through one of them, in their order.
_ORDERING = qdrant.WriteOrdering.MEDIUM
_DOWN = (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.RESOURCE_EXHAUSTED, StatusCode.CANCELLED)

T = TypeVar("T")


class QdrantServerVectorIndex:
    """A VectorIndex in one collection, which is made when it is not there. The client stays the caller's.

    Failures are Unavailable: `vector_index_down` (the server cannot be reached or is overloaded), `vector_index_failed`
    (it answered that it cannot). ValueError when the collection's vectors have another dimension.
    """

    def __init__(self, client: AsyncQdrantClient, collection: str, dimension: int) -> None:
        self._client = client
        self._collection = collection
        self._dimension = dimension
        self._there = False
        self._preparing = asyncio.Lock()

    async def prepare(self) -> None:
        """Makes the collection unless it is there. Whatever else is called does so, too."""
        async with self._preparing:
            if not self._there:
                await _answer(self._make)
                self._there = True

    async def upsert(self, children: Sequence[ChildVector]) -> None:
        for child in children:
            self._check(child.vector)
        for first in range(0, len(children), _BATCH):
            points = [_point(child) for child in children[first : first + _BATCH]]
            await self._write(self._client.upsert, points=points, ordering=_ORDERING)

    async def search(
        self, vector: Sequence[float], scope: AccessScope, filters: SearchFilters, limit: int
    ) -> list[VectorHit]:
        self._check(vector)
        if limit < 1:
            return []
        found = await self._read(
            self._client.query_points,
            query=list(vector),
            query_filter=qdrant.Filter(
                must=[_any_of(LABELS_FIELD, values) for values in wanted_labels(scope, filters)]
            ),
            search_params=qdrant.SearchParams(hnsw_ef=_SEARCH_BREADTH),
            limit=limit,
            with_payload=_HIT_FIELDS,
        )
        hits = [VectorHit(chunk_id=str(each.id), score=each.score, **(each.payload or {})) for each in found.points]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))

    async def existing(self, chunk_ids: Sequence[str]) -> set[str]:
        return {str(record.id) for record in await self._retrieve(chunk_ids, False)}

    async def places(self, chunk_ids: Sequence[str]) -> list[ChildPlace]:
        records = await self._retrieve(list(dict.fromkeys(chunk_ids)), _HIT_FIELDS)
        return [ChildPlace(chunk_id=str(record.id), **(record.payload or {})) for record in records]

    async def children(self, document_id: str, generation: str, after: str | None, limit: int) -> list[StoredVector]:
        found: list[StoredVector] = []
        # The offset is the first that comes.
        offset: str | None = after
        while len(found) < limit:
            wanted = min(_BATCH, limit - len(found) + 1)
            records, following = await self._read(
                self._client.scroll,
                scroll_filter=_document_filter(document_id, only=generation),
                offset=offset,
                limit=wanted,
                with_payload=_STORED_FIELDS,
                with_vectors=True,
            )
            found += [
                StoredVector(chunk_id=str(record.id), vector=record.vector, **(record.payload or {}))  # type: ignore[arg-type]
                for record in records
                if str(record.id) != after
            ]
            if following is None:
                break
            offset = str(following)
        return found[:limit]

    async def update_document(self, document_id: str, attributes: DocumentAttributes) -> None:
        payload = {LABELS_FIELD: labels(document_id, attributes)}
        await self._write(
            self._client.set_payload, payload=payload, points=_document_filter(document_id), ordering=_ORDERING
        )

    async def delete_document(self, document_id: str, keep_generation: str | None = None) -> bool:
        condition = _document_filter(document_id, but=keep_generation)
        if await self._count(condition) == 0:
            return False
        await self._delete(condition)
        return True

    async def delete_generation(self, document_id: str, generation: str) -> None:
        await self._delete(_document_filter(document_id, only=generation))

    async def count(self, document_id: str, generation: str) -> int:
        return await self._count(_document_filter(document_id, only=generation))

    async def refresh(self) -> None:
        """Every write waited until it was done."""

    async def close(self) -> None:
        """The server keeps what it has."""

    async def _make(self) -> None:
        client, name = self._client, self._collection
        if not await client.collection_exists(name):
            vectors = qdrant.VectorParams(size=self._dimension, distance=qdrant.Distance.COSINE)
            try:
                await client.create_collection(name, vectors)
            except AioRpcError:
                # Another process may have made it meanwhile.
                if not await client.collection_exists(name):
                    raise
        params = (await client.get_collection(name)).config.params.vectors
        if not isinstance(params, qdrant.VectorParams) or params.size != self._dimension:
            raise ValueError(f"the collection {name} does not hold vectors of {self._dimension} numbers")
        # The labels as the embedded index has them; a generation is only asked for together with its document.
        await client.create_payload_index(name, LABELS_FIELD, qdrant.PayloadSchemaType.KEYWORD)

    async def _retrieve(
        self,
        chunk_ids: Sequence[str],
        fields: list[str] | bool,
    ) -> list[qdrant.Record]:
        records: list[qdrant.Record] = []
        for first in range(0, len(chunk_ids), _BATCH):
            ids = list(chunk_ids[first : first + _BATCH])
            records += await self._read(self._client.retrieve, ids=ids, with_payload=fields)
        return records

    async def _count(self, condition: qdrant.Filter) -> int:
        return (await self._read(self._client.count, count_filter=condition)).count

    async def _delete(self, condition: qdrant.Filter) -> None:
        selector = qdrant.FilterSelector(filter=condition)
        await self._write(self._client.delete, points_selector=selector, ordering=_ORDERING)

    async def _write(self, method: Callable[..., Awaitable[T]], **arguments: Any) -> T:
        return await patiently(partial(self._read, method, **arguments))

    async def _read(self, method: Callable[..., Awaitable[T]], **arguments: Any) -> T:
        """The answer of one of the client's methods for this collection."""
        if not self._there:
            await self.prepare()
        try:
            return await _answer(partial(method, self._collection, **arguments))
        except _Missing:
            # Somebody removed the collection: the next call makes it again.
            self._there = False
            raise

    def _check(self, vector: Sequence[float]) -> None:
        if len(vector) != self._dimension:
            raise ValueError(f"a vector of {len(vector)} numbers in an index of {self._dimension}")
        if not math.isfinite(sum(vector)):
            raise ValueError("a vector with a number that is not finite")


async def removed(client: AsyncQdrantClient, collection: str) -> None:
    """Removes a collection; none there is no error. Failures as those of the index."""
    await patiently(partial(_answer, partial(client.delete_collection, collection)))


class _Missing(Unavailable):
    """There is no such collection."""


async def _answer(call: Callable[[], Awaitable[T]]) -> T:
    """What the server answers; its failures as Unavailable, without its text, which may quote what was sent."""
    try:
        return await call()
    except ResourceExhaustedResponse:
        raise Unavailable("vector_index_down", "The vector index is overloaded.") from None
    except UsageError:
        raise Unavailable("vector_index_down", "The connection to the vector index is closed.") from None
    except AioRpcError as error:
        code = error.code()
        if code in _DOWN:
            raise Unavailable("vector_index_down", f"The vector index does not answer ({code.name}).") from None
        kind = _Missing if code is StatusCode.NOT_FOUND else Unavailable
        raise kind("vector_index_failed", f"The vector index answered {code.name}.") from error


def _point(child: ChildVector) -> qdrant.PointStruct:
    return qdrant.PointStruct(
        id=child.chunk_id,
        vector=list(child.vector),
        payload={
            "parent_id": child.parent_id,
            "document_id": child.document_id,
            "generation": child.generation,
            "start": child.start,
            "end": child.end,
            **({"header": child.header} if child.header else {}),
            LABELS_FIELD: labels(child.document_id, child.attributes),
        },
    )


def _document_filter(document_id: str, only: str | None = None, but: str | None = None) -> qdrant.Filter:
    must = [_any_of(LABELS_FIELD, [document_label(document_id)])]
    if only is not None:
        must.append(_any_of("generation", [only]))
    return qdrant.Filter(must=[*must], must_not=None if but is None else [_any_of("generation", [but])])


def _any_of(field: str, values: Sequence[str]) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(key=field, match=qdrant.MatchAny(any=list(values)))
