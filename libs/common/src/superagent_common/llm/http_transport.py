"""Keep-alive HTTP/1.1 for httpx, made for many streams at once.

httpx's own pool compares all its connections with each other at the start and end of every request, and passes every
event through four layers: at 50 streams of 100 events it costs several times what reading them does.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncGenerator, Callable

import httpx

from superagent_common.llm.happy_eyeballs import connected_socket
from superagent_common.llm.http_connection import HttpConnection

CONNECTION = "superagent.connection"
"""The extension of a response that holds its `HttpConnection`."""
_IDLE_PER_ORIGIN = 64
_IDLE_SECONDS = 30.0

_Origin = tuple[str, str, int]


class KeepAliveTransport(httpx.AsyncBaseTransport):
    """For methods whose responses have a body (POST, GET). Closing a response before its end closes its connection.

    Of httpx's time-outs it knows `connect`; whoever reads bounds the time of reading.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._idle: dict[_Origin, list[tuple[float, HttpConnection]]] = {}
        self._ssl: ssl.SSLContext | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        origin = (url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80))
        data = _head(request) + await request.aread()
        connection = self._take_idle(origin)
        if connection is None:
            connection = await self._connect(origin, request.extensions["timeout"]["connect"])
        try:
            status, headers = await connection.send(data)
        except BaseException:
            connection.abort()
            raise
        body = _Body(self, origin, connection)
        return httpx.Response(status, headers=headers, stream=body, extensions={CONNECTION: connection})

    async def aclose(self) -> None:
        for connections in self._idle.values():
            for _, connection in connections:
                connection.abort()
        self._idle.clear()

    def give_back(self, origin: _Origin, connection: HttpConnection) -> None:
        idle = self._idle.setdefault(origin, [])
        if connection.reusable and len(idle) < _IDLE_PER_ORIGIN:
            idle.append((self._monotonic(), connection))
        else:
            connection.abort()

    def _take_idle(self, origin: _Origin) -> HttpConnection | None:
        idle = self._idle.get(origin)
        while idle:
            since, connection = idle.pop()
            if connection.reusable and self._monotonic() - since < _IDLE_SECONDS:
                return connection
            connection.abort()
        return None

    async def _connect(self, origin: _Origin, timeout: float | None) -> HttpConnection:
        scheme, host, port = origin
        context = self._ssl_context() if scheme == "https" else None
        try:
            async with asyncio.timeout(timeout):
                connected = await connected_socket(host, port)
                _, connection = await asyncio.get_running_loop().create_connection(
                    HttpConnection, sock=connected, ssl=context, server_hostname=host if context else None
                )
        except TimeoutError:
            raise httpx.ConnectTimeout("no connection in time") from None
        except (OSError, UnicodeError) as error:
            # The latter for a name that no resolver can be asked for, such as one with an empty label.
            raise httpx.ConnectError(type(error).__name__) from error
        return connection

    def _ssl_context(self) -> ssl.SSLContext:
        if self._ssl is None:
            self._ssl = httpx.create_ssl_context()
            self._ssl.set_alpn_protocols(["http/1.1"])
        return self._ssl


class _Body(httpx.AsyncByteStream):
    def __init__(self, transport: KeepAliveTransport, origin: _Origin, connection: HttpConnection) -> None:
        self._transport = transport
        self._origin = origin
        self._connection: HttpConnection | None = connection

    def __aiter__(self) -> AsyncGenerator[bytes, None]:
        assert self._connection is not None
        return self._connection.body()

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._transport.give_back(self._origin, connection)


def _head(request: httpx.Request) -> bytes:
    lines = [request.method.encode("ascii") + b" " + request.url.raw_path + b" HTTP/1.1"]
    lines += [name + b": " + value for name, value in request.headers.raw]
    if any(b"\r" in line or b"\n" in line for line in lines):
        # Says nothing of the line: it may be the one with the key.
        raise httpx.LocalProtocolError("a header holds a line break")
    return b"\r\n".join(lines) + b"\r\n\r\n"
