"""A TCP server that answers every request with exactly the bytes it was given."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Served:
    url: str
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)


@asynccontextmanager
async def serving(
    *parts: bytes, pause_seconds: float = 0.02, then_close: bool = False, context: ssl.SSLContext | None = None
) -> AsyncIterator[Served]:
    """Answers each request (of one read) with the parts, a pause between them."""
    served = Served("")

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.connections += 1
        served.writers.append(writer)
        while request := await reader.read(65536):
            served.requests.append(request)
            await _write(writer, parts, pause_seconds)
            if then_close:
                break
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=context)
    scheme = "https" if context else "http"
    served.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    try:
        yield served
    finally:
        server.close()
        for writer in served.writers:
            writer.transport.abort()
        await server.wait_closed()


async def _write(writer: asyncio.StreamWriter, parts: Sequence[bytes], pause_seconds: float) -> None:
    for position, part in enumerate(parts):
        if position:
            await asyncio.sleep(pause_seconds)
        writer.write(part)
