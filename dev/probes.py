"""One try each at speaking to a server. True when it answers as it should; OSError when nothing is there."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

_SECONDS = 10.0
_METADATA, _METADATA_VERSION, _CORRELATION = 3, 1, 7


async def _talk(port: int, talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[T]]) -> T:
    async with asyncio.timeout(_SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            return await talk(reader, writer)
        except asyncio.IncompleteReadError as error:
            raise ConnectionError("closed in mid-answer") from error
        finally:
            writer.close()


async def redis_answers(port: int, password: str) -> bool:
    """Logs in and pings; False while the data set is still being loaded."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        writer.write(f"AUTH {password}\r\nPING\r\n".encode())
        return await reader.readline() == b"+OK\r\n" and await reader.readline() == b"+PONG\r\n"

    return await _talk(port, talk)


async def kafka_answers(port: int) -> bool:
    """Asks for the cluster's metadata, which the broker reads from its storage."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        no_client_id, no_topics = -1, 0
        request = struct.pack(">hhihi", _METADATA, _METADATA_VERSION, _CORRELATION, no_client_id, no_topics)
        writer.write(struct.pack(">i", len(request)) + request)
        (size,) = struct.unpack(">i", await reader.readexactly(4))
        answer = await reader.readexactly(size)
        (correlation,) = struct.unpack_from(">i", answer)
        return bool(correlation == _CORRELATION)

    return await _talk(port, talk)


async def http_ok(port: int, path: str) -> bool:
    """GETs the path and looks for status 200."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        status = (await reader.readline()).split()
        return len(status) > 1 and status[1] == b"200"

    return await _talk(port, talk)


async def _nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Connecting was all: a channel costs a hundred times as much when nobody listens yet."""


async def grpc_serving(address: str) -> bool:
    """Asks the standard health service of host:port for the whole server."""
    # Imported here: the servers can use the time it takes to start.
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    await _talk(int(address.rpartition(":")[2]), _nothing)
    async with grpc.aio.insecure_channel(address, options=(("grpc.enable_http_proxy", 0),)) as channel:
        try:
            answer = await health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=_SECONDS, wait_for_ready=False
            )
        except grpc.aio.AioRpcError as error:
            raise ConnectionError(error.details()) from error
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
