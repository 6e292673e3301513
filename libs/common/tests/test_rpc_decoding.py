"""Messages that cannot be decoded are refused like any other bad input, behind the check of who sends them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import grpc
import pytest

from superagent.ingestion.v1 import ingestion_pb2 as pb
from superagent.ingestion.v1.ingestion_pb2_grpc import (
    IngestionServiceServicer,
    add_IngestionServiceServicer_to_server,
)
from superagent_common.identity import KeySet, Principal, SigningKey, TokenVerifier, UserTokens, ensure_keys
from superagent_common.logging import get_logger
from superagent_common.rpc.server import CallInterceptor, serve
from superagent_common.telemetry import Telemetry
from tests.support.grpc_doors import NOBODY, Metadata, bearer, channel, reason_of

GARBAGE = b"\xff\xff\xff no message"
INGESTION = "/superagent.ingestion.v1.IngestionService/"
ACCESS = {INGESTION + name: "user" for name in ("GetUpload", "WatchDocuments", "PutPart")}


class Ingestion(IngestionServiceServicer):
    async def PutPart(self, request_iterator, context):
        async for _ in request_iterator:
            pass
        return pb.PutPartResponse()


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[tuple[str, Metadata]]:
    """A server's address, and what a person sends along."""
    ensure_keys(tmp_path)
    telemetry = Telemetry("ingestion")
    interceptor = CallInterceptor(telemetry, TokenVerifier(KeySet.load(tmp_path)), ACCESS, get_logger("ingestion"))
    add_servicers = (partial(add_IngestionServiceServicer_to_server, Ingestion()),)
    address = f"unix:{tmp_path}/rpc.sock"
    token = UserTokens(SigningKey.load(tmp_path, "gateway-user")).issue(Principal("anna-id", "anna", ("user",)), 1)
    async with serve(address, interceptor, add_servicers, reflection=True, grace_seconds=0.1):
        yield address, bearer(token)
    await telemetry.close()


async def sent(address: str, method: str, metadata: Metadata, *messages: bytes) -> grpc.RpcError:
    """What a call of raw bytes fails with."""

    async def stream() -> AsyncIterator[bytes]:
        for message in messages:
            yield message

    async with channel(address) as opened:
        with pytest.raises(grpc.RpcError) as failed:
            if method.endswith("PutPart"):
                await opened.stream_unary(method)(stream(), metadata=metadata, timeout=120)
            elif method.endswith("Info"):
                async for _ in opened.stream_stream(method)(stream(), metadata=metadata, timeout=120):
                    pass
            elif "Watch" in method:
                async for _ in opened.unary_stream(method)(messages[0], metadata=metadata, timeout=120):
                    pass
            else:
                await opened.unary_unary(method)(messages[0], metadata=metadata, timeout=120)
    return failed.value


@pytest.mark.parametrize("method", ["GetUpload", "WatchDocuments", "PutPart"])
async def test_a_person_is_told_that_the_message_is_malformed(door: tuple[str, Metadata], method: str) -> None:
    address, person = door
    error = await sent(address, INGESTION + method, person, GARBAGE)
    assert (error.code(), reason_of(error)) == (grpc.StatusCode.INVALID_ARGUMENT, "malformed_message")
    assert "superagent." not in error.details()


async def test_a_stream_is_refused_at_its_first_malformed_message(door: tuple[str, Metadata]) -> None:
    address, person = door
    error = await sent(address, INGESTION + "PutPart", person, pb.PutPartRequest().SerializeToString(), GARBAGE)
    assert (error.code(), reason_of(error)) == (grpc.StatusCode.INVALID_ARGUMENT, "malformed_message")


@pytest.mark.parametrize("method", ["GetUpload", "WatchDocuments", "PutPart"])
async def test_nobody_learns_how_messages_are_decoded(door: tuple[str, Metadata], method: str) -> None:
    error = await sent(door[0], INGESTION + method, NOBODY, GARBAGE)
    assert (error.code(), reason_of(error)) == (grpc.StatusCode.UNAUTHENTICATED, "token_missing")


@pytest.mark.parametrize(
    "method",
    [
        "/grpc.health.v1.Health/Check",
        "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ],
)
async def test_open_calls_refuse_it_too(door: tuple[str, Metadata], method: str) -> None:
    error = await sent(door[0], method, NOBODY, GARBAGE)
    assert (error.code(), reason_of(error)) == (grpc.StatusCode.INVALID_ARGUMENT, "malformed_message")
