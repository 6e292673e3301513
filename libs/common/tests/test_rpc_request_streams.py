"""Calls that send a stream of requests fail with what the stream failed with, as if it had been read in place."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import grpc
import pytest

from superagent.ingestion.v1 import ingestion_pb2 as pb
from superagent.ingestion.v1.ingestion_pb2_grpc import (
    IngestionServiceServicer,
    IngestionServiceStub,
    add_IngestionServiceServicer_to_server,
)
from superagent_common.errors import Internal, InvalidInput, Unavailable
from superagent_common.identity import KeySet, ServiceTokens, SigningKey, TokenVerifier, ensure_keys
from superagent_common.logging import get_logger
from superagent_common.rpc import Channel
from superagent_common.rpc.server import CallInterceptor, serve
from superagent_common.rpc.status import error_from_rpc
from superagent_common.telemetry import Telemetry


class Parts(IngestionServiceServicer):
    """Counts messages; refuses one with data. `began` is set by the first."""

    def __init__(self) -> None:
        self.began = asyncio.Event()

    async def PutPart(self, requests, context):
        count = 0
        async for request in requests:
            self.began.set()
            count += 1
            if request.data:
                raise InvalidInput("no_data_wanted", "Only headers, please.")
        return pb.PutPartResponse(parts_total=count)


@pytest.fixture
async def parts(tmp_path: Path) -> AsyncIterator[tuple[Parts, IngestionServiceStub]]:
    ensure_keys(tmp_path)
    servicer, telemetry = Parts(), Telemetry("ingestion")
    interceptor = CallInterceptor(
        telemetry,
        TokenVerifier(KeySet.load(tmp_path)),
        {"/superagent.ingestion.v1.IngestionService/PutPart": "service"},
        get_logger("ingestion"),
    )
    address = f"unix:{tmp_path}/rpc.sock"
    add = partial(add_IngestionServiceServicer_to_server, servicer)
    async with serve(address, interceptor, [add], reflection=False, grace_seconds=0.1):
        channel = Channel(address, telemetry, ServiceTokens(SigningKey.load(tmp_path, "gateway")))
        yield servicer, IngestionServiceStub(channel)
        await channel.close()
    await telemetry.close()


async def test_a_whole_stream_is_answered(parts: tuple[Parts, IngestionServiceStub]) -> None:
    async def requests() -> AsyncIterator[pb.PutPartRequest]:
        for number in range(3):
            yield pb.PutPartRequest(header=pb.PartHeader(number=number))

    assert (await parts[1].PutPart(requests())).parts_total == 3


@pytest.mark.parametrize("after", [0, 1])
async def test_what_the_stream_raises_the_call_raises(parts: tuple[Parts, IngestionServiceStub], after: int) -> None:
    async def requests() -> AsyncIterator[pb.PutPartRequest]:
        for number in range(after):
            yield pb.PutPartRequest(header=pb.PartHeader(number=number))
            await parts[0].began.wait()
        raise Unavailable("database_busy")

    with pytest.raises(Unavailable) as raised:
        await parts[1].PutPart(requests())
    assert raised.value.reason == "database_busy"


async def test_what_the_server_refuses_is_raised_as_it_says(parts: tuple[Parts, IngestionServiceStub]) -> None:
    async def requests() -> AsyncIterator[pb.PutPartRequest]:
        while True:
            yield pb.PutPartRequest(data=b"data")

    with pytest.raises(InvalidInput) as raised:
        await parts[1].PutPart(requests())
    assert raised.value.reason == "no_data_wanted"


async def test_a_cancelled_call_is_cancelled(parts: tuple[Parts, IngestionServiceStub]) -> None:
    async def requests() -> AsyncIterator[pb.PutPartRequest]:
        yield pb.PutPartRequest(header=pb.PartHeader())
        await asyncio.Event().wait()

    call = asyncio.create_task(parts[1].PutPart(requests()))
    await parts[0].began.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


def test_a_connection_that_breaks_under_a_write_is_no_internal_error() -> None:
    nothing = grpc.aio.Metadata()
    broken = grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, nothing, nothing, details="Internal error from Core")
    own = grpc.aio.AioRpcError(grpc.StatusCode.INTERNAL, nothing, nothing, details="internal error")
    assert (type(error_from_rpc(broken)), error_from_rpc(broken).reason) == (Unavailable, "service_unavailable")
    assert type(error_from_rpc(own)) is Internal
