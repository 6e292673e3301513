"""An object store or an index that takes requests and never answers keeps nobody waiting."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from superagent_common.errors import Timeout, Unavailable
from superagent_common.telemetry import Telemetry
from superagent_ingestion.adapters.grpc_index import GrpcIndex
from superagent_ingestion.adapters.minio_objects import MinioObjectStore
from superagent_ingestion.domain.documents import Document, Metadata

Call = Callable[[MinioObjectStore], Awaitable[object]]
# Of the gateway, without a longer one for the route.
PATIENCE_OF_PEOPLE = 30.0


@pytest.fixture
async def hanging() -> AsyncIterator[str]:
    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(never, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.size("a"),
        lambda store: store.sizes("a"),
        lambda store: store.read("a", 0, 10),
        lambda store: store.get("a"),
        lambda store: store.remove(["a"]),
        lambda store: store.put_from("a", io.BytesIO(b"abc"), 3),
        lambda store: store.give_up("a"),
    ],
    ids=["size", "list", "read", "get", "remove", "put", "give up"],
)
async def test_an_object_store_that_hangs_is_unavailable(hanging: str, call: Call) -> None:
    store = MinioObjectStore(hanging, "key", "secret", "bucket", Telemetry("test"), quick_seconds=0.1)
    async with asyncio.timeout(120):
        with pytest.raises(Unavailable) as failed:
            await call(store)
    assert failed.value.reason == "object_store_unavailable"


class _Hanging:
    """A channel on which nothing is answered; it ends when the caller says so."""

    def unary_unary(self, method: str, **_: Any) -> Callable[..., Awaitable[object]]:
        async def call(request: object, timeout: float = PATIENCE_OF_PEOPLE) -> object:
            if timeout < PATIENCE_OF_PEOPLE:
                raise Timeout("deadline_exceeded")
            raise AssertionError("the person has left")

        return call

    stream_unary = unary_stream = unary_unary


async def test_who_changes_or_deletes_hears_of_an_index_that_hangs() -> None:
    index = GrpcIndex(_Hanging(), 3600)  # type: ignore[arg-type]
    document = Document("id", "anna", "a.md", 1, "0" * 64, Metadata(), "ready", 100, 1, 1)
    for call in (index.update(document), index.delete("id")):
        with pytest.raises(Timeout):
            await call
