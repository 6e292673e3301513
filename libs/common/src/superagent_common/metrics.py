"""Serves one registry at /metrics, in the Prometheus text format."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

_READ_SECONDS = 5


@asynccontextmanager
async def serve_metrics(listen: str, registry: CollectorRegistry) -> AsyncIterator[None]:
    """Serves on `listen` (host:port) until the block ends; serves nothing when `listen` is empty."""
    if not listen:
        yield
        return

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _READ_SECONDS)
            if head.startswith(b"GET /metrics "):
                status, kind, body = "200 OK", CONTENT_TYPE_LATEST, generate_latest(registry)
            else:
                status, kind, body = "404 Not Found", "text/plain", b"only /metrics is here\n"
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
                + body
            )
            await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # a client that says nothing whole gets nothing
        finally:
            writer.close()

    host, _, port = listen.rpartition(":")
    server = await asyncio.start_server(answer, host, int(port))
    try:
        yield
    finally:
        server.close()
