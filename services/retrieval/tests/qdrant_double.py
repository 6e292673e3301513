"""Qdrant's gRPC contract over the in-memory Qdrant of its own client, because no registry has its server.

What it shows: the messages that the adapter sends are whole and mean what they should, and it reads the answers right.
What it cannot show: how the server's own engine and its storage behave.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
from qdrant_client import AsyncQdrantClient
from qdrant_client import grpc as pb
from qdrant_client.conversions.conversion import GrpcToRest, RestToGrpc, payload_to_grpc
from qdrant_client.grpc.collections_service_pb2_grpc import CollectionsServicer, add_CollectionsServicer_to_server
from qdrant_client.grpc.points_service_pb2_grpc import PointsServicer, add_PointsServicer_to_server


class QdrantDouble:
    """The engine and what was asked of it."""

    def __init__(self) -> None:
        self.local = AsyncQdrantClient(":memory:")
        self.calls: list[str] = []
        self.metadata: dict[str, str] = {}
        """That of the last call."""
        self.waited: list[bool] = []
        """Whether each write asked to wait."""
        self.failures: list[grpc.StatusCode] = []
        """The next calls fail with these."""

    async def seen(self, context: Any, name: str) -> None:
        self.calls.append(name)
        self.metadata = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
        if self.failures:
            await context.abort(self.failures.pop(0), "'quoted text of a document'")

    async def collection(self, context: Any, name: str, collection: str) -> str:
        await self.seen(context, name)
        if not await self.local.collection_exists(collection):
            await context.abort(grpc.StatusCode.NOT_FOUND, f"Collection `{collection}` doesn't exist!")
        return collection


class _Collections(CollectionsServicer):
    def __init__(self, double: QdrantDouble) -> None:
        self._double, self._local = double, double.local

    async def CollectionExists(self, request: Any, context: Any) -> Any:
        await self._double.seen(context, "CollectionExists")
        exists = await self._local.collection_exists(request.collection_name)
        return pb.CollectionExistsResponse(result=pb.CollectionExists(exists=exists))

    async def Create(self, request: Any, context: Any) -> Any:
        await self._double.seen(context, "Create")
        vectors = GrpcToRest.convert_vectors_config(request.vectors_config)
        return _done(await self._local.create_collection(request.collection_name, vectors))

    async def Get(self, request: Any, context: Any) -> Any:
        name = await self._double.collection(context, "GetCollection", request.collection_name)
        info = await self._local.get_collection(name)
        return pb.GetCollectionInfoResponse(result=RestToGrpc.convert_collection_info(info))

    async def List(self, request: Any, context: Any) -> Any:
        await self._double.seen(context, "List")
        there = (await self._local.get_collections()).collections
        return pb.ListCollectionsResponse(collections=[pb.CollectionDescription(name=each.name) for each in there])

    async def Delete(self, request: Any, context: Any) -> Any:
        await self._double.seen(context, "DeleteCollection")
        there = await self._local.collection_exists(request.collection_name)
        return _done(there and await self._local.delete_collection(request.collection_name))


class _Points(PointsServicer):
    def __init__(self, double: QdrantDouble) -> None:
        self._double, self._local = double, double.local

    def _written(self, waited: bool) -> Any:
        self._double.waited.append(waited)
        return _written(waited)

    async def CreateFieldIndex(self, request: Any, context: Any) -> Any:
        await self._double.collection(context, "CreateFieldIndex", request.collection_name)
        return _written(True)

    async def Upsert(self, request: Any, context: Any) -> Any:
        name = await self._double.collection(context, "Upsert", request.collection_name)
        await self._local.upsert(name, [GrpcToRest.convert_point_struct(point) for point in request.points])
        return self._written(request.wait)

    async def SetPayload(self, request: Any, context: Any) -> Any:
        name = await self._double.collection(context, "SetPayload", request.collection_name)
        payload = GrpcToRest.convert_payload(request.payload)
        await self._local.set_payload(name, payload, GrpcToRest.convert_points_selector(request.points_selector))
        return self._written(request.wait)

    async def Delete(self, request: Any, context: Any) -> Any:
        name = await self._double.collection(context, "Delete", request.collection_name)
        await self._local.delete(name, GrpcToRest.convert_points_selector(request.points))
        return self._written(request.wait)

    async def Get(self, request: Any, context: Any) -> Any:
        name = await self._double.collection(context, "Get", request.collection_name)
        records = await self._local.retrieve(
            name,
            [GrpcToRest.convert_point_id(each) for each in request.ids],
            with_payload=GrpcToRest.convert_with_payload_selector(request.with_payload),
            with_vectors=GrpcToRest.convert_with_vectors_selector(request.with_vectors),
        )
        return pb.GetResponse(result=[_record(each) for each in records])

    async def Scroll(self, request: Any, context: Any) -> Any:
        name = await self._double.collection(context, "Scroll", request.collection_name)
        records, following = await self._local.scroll(
            name,
            scroll_filter=GrpcToRest.convert_filter(request.filter),
            offset=GrpcToRest.convert_point_id(request.offset) if request.HasField("offset") else None,
            limit=request.limit,
            with_payload=GrpcToRest.convert_with_payload_selector(request.with_payload),
            with_vectors=GrpcToRest.convert_with_vectors_selector(request.with_vectors),
        )
        return pb.ScrollResponse(
            result=[_record(each) for each in records],
            next_page_offset=None if following is None else RestToGrpc.convert_extended_point_id(following),
        )

    async def Count(self, request: Any, context: Any) -> Any:
        name = await self._double.collection(context, "Count", request.collection_name)
        counted = await self._local.count(name, GrpcToRest.convert_filter(request.filter), exact=request.exact)
        return pb.CountResponse(result=RestToGrpc.convert_count_result(counted))

    async def Query(self, request: Any, context: Any) -> Any:
        name = await self._double.collection(context, "Query", request.collection_name)
        found = await self._local.query_points(
            name,
            query=GrpcToRest.convert_query(request.query),
            query_filter=GrpcToRest.convert_filter(request.filter),
            limit=request.limit,
            with_payload=GrpcToRest.convert_with_payload_selector(request.with_payload),
        )
        return pb.QueryResponse(result=[_scored(each) for each in found.points], time=0.0)


def _record(record: Any) -> Any:
    return RestToGrpc.convert_record(record.model_copy(update={"payload": record.payload or {}}))


def _scored(point: Any) -> Any:
    return pb.ScoredPoint(
        id=RestToGrpc.convert_extended_point_id(point.id),
        payload=payload_to_grpc(point.payload or {}),
        score=point.score,
        version=point.version,
    )


def _done(result: bool) -> Any:
    return pb.CollectionOperationResponse(result=result, time=0.0)


def _written(waited: bool) -> Any:
    status = pb.UpdateStatus.Completed if waited else pb.UpdateStatus.Acknowledged
    return pb.PointsOperationResponse(result=pb.UpdateResult(operation_id=0, status=status), time=0.0)


@asynccontextmanager
async def serving(port: int = 0) -> AsyncIterator[tuple[QdrantDouble, str]]:
    """The double and its address for QDRANT_URL; port 0 takes a free one."""
    double = QdrantDouble()
    server = grpc.aio.server()
    add_CollectionsServicer_to_server(_Collections(double), server)
    add_PointsServicer_to_server(_Points(double), server)
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    yield double, f"http://127.0.0.1:{port}"
    await server.stop(0)
