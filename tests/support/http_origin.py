"""A small web server that answers as told, byte for byte."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Origin:
    """`requests` holds the heads of what was asked for."""

    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        return [head.split(" ")[1] for head in self.requests]


def page(body: bytes = b"Some text.", status: str = "200 OK", **headers: str) -> bytes:
    """A whole answer; `content_type` becomes Content-Type."""
    said: Mapping[str, str] = {"content_length": str(len(body)), **headers}
    lines = [f"HTTP/1.1 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in said.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def moved(location: str, status: str = "302 Found") -> bytes:
    return page(b"", status, location=location)


@asynccontextmanager
async def serving(host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None) -> AsyncIterator[Origin]:
    origin = Origin()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            origin.requests.append(head)
            answer = origin.answers.get(head.split(" ")[1], page(b"Nothing here.", "404 Not Found"))
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    server = await asyncio.start_server(serve, host, port, ssl=tls)
    origin.port = server.sockets[0].getsockname()[1]
    try:
        yield origin
    finally:
        server.close()
