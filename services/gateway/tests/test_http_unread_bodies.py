"""An answer that comes before the body does, on a connection that ends with it, reaches a client that is still sending."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from services.gateway.tests.gateway_rig import Rig, served

PART = b"PUT /api/v1/uploads/u/parts/0 HTTP/1.1\r\nhost: x\r\n"
CHAT = b"POST /api/v1/chat HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
CLOSE = b"connection: close\r\n"
_PIECE = b"a" * 16_384
_PIECES = 55


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[socket.socket]:
    """A socket that reads only when told, unlike asyncio's streams."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.socket() as client:
        client.setblocking(False)
        await asyncio.get_running_loop().sock_connect(client, (host, int(port)))
        yield client


async def everything(client: socket.socket) -> bytes:
    loop = asyncio.get_running_loop()
    answer = b""
    async with asyncio.timeout(120):
        while piece := await loop.sock_recv(client, 65_536):
            answer += piece
    return answer


async def readable(client: socket.socket) -> None:
    """Returns when an answer has begun to arrive, and leaves it where it is."""
    loop = asyncio.get_running_loop()
    arrived = asyncio.Event()
    loop.add_reader(client, arrived.set)
    async with asyncio.timeout(120):
        await arrived.wait()
    loop.remove_reader(client)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (PART + CLOSE + b"content-length: %d\r\n\r\n" % (len(_PIECE) * _PIECES), b"401"),
        (CHAT + CLOSE + b"content-length: 900000000\r\n\r\n", b"413"),
        (CHAT.replace(b"1.1", b"1.0") + b"content-length: 900000000\r\n\r\n", b"413"),
    ],
    ids=["nobody", "declared too large", "as a proxy asks"],
)
async def test_an_early_answer_is_not_reset_away(rig: Rig, head: bytes, status: bytes) -> None:
    await assert_answered_early(rig, head, status)


async def test_the_answer_to_who_is_too_slow_is_not_reset_away(impatient: Rig) -> None:
    await assert_answered_early(impatient, CHAT + b"content-length: 4\r\n\r\n{", b"408")


async def assert_answered_early(rig: Rig, head: bytes, status: bytes) -> None:
    loop = asyncio.get_running_loop()
    async with served(rig) as url, connected(url) as client:
        await loop.sock_sendall(client, head)
        await readable(client)
        for _ in range(_PIECES):
            await loop.sock_sendall(client, _PIECE)
            await asyncio.sleep(0)
        answer = await everything(client)
    assert answer.split(b" ")[1] == status
    assert answer.count(b"HTTP/1.1 ") == 1
    assert answer.endswith(b"}")


async def test_a_client_that_sends_on_and_on_is_let_go(rig: Rig) -> None:
    loop = asyncio.get_running_loop()
    async with served(rig) as url, connected(url) as client:
        await loop.sock_sendall(client, CHAT + CLOSE + b"content-length: 900000000\r\n\r\n")
        async with asyncio.timeout(120):
            with pytest.raises(ConnectionError):
                while True:
                    await loop.sock_sendall(client, _PIECE)
                    await asyncio.sleep(0)
