"""Speaking to the WebSocket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

Message = dict[str, Any]


@asynccontextmanager
async def joined(address: str, headers: dict[str, str] | None = None) -> AsyncIterator[ClientConnection]:
    url = address.replace("http", "ws") + "/api/v1/ws"
    async with connect(url, additional_headers=headers or {}, proxy=None, ping_interval=None) as socket:
        yield socket


async def said(socket: ClientConnection, count: int) -> list[Message]:
    async with asyncio.timeout(120):
        return [json.loads(await socket.recv()) for _ in range(count)]


async def ended(socket: ClientConnection) -> tuple[int, str]:
    """Reads to the end; the code and the reason of the close."""
    async with asyncio.timeout(120):
        try:
            while True:
                await socket.recv()
        except ConnectionClosed as closed:
            assert closed.rcvd
            return closed.rcvd.code, closed.rcvd.reason


async def say(socket: ClientConnection, kind: str, **fields: Any) -> None:
    await socket.send(json.dumps({"type": kind, **fields}))
