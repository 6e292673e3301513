"""One HTTP/1.1 connection that carries one exchange at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import cast

import httptools
import httpx

from superagent_common.beat import BEAT_SECONDS, next_beat

_BUFFER_LIMIT_BYTES = 256 * 1024
# Of headers, announcements, extensions of chunks and trailers, whether or not the parser tells of them.
_BODILESS_LIMIT_BYTES = 64 * 1024


class HttpConnection(asyncio.Protocol):
    """After `send` read `body` to its end; `reusable` then says whether another exchange may follow.

    Raises httpx's ReadError or RemoteProtocolError when the peer goes away or speaks something else.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._waiter: asyncio.Future[None] | None = None
        self._error: httpx.TransportError | None = None
        self._closed = False
        self._paused = False
        self._complete = True
        self._keep_alive = True
        self._on_beat: asyncio.TimerHandle | None = None
        self._start()

    @property
    def reusable(self) -> bool:
        return self._complete and self._keep_alive and not self._closed

    async def send(self, data: bytes) -> tuple[int, list[tuple[bytes, bytes]]]:
        """Writes a whole request; status and headers of the response."""
        if self._closed:
            raise httpx.ReadError("the peer closed the connection before a request")
        self._start()
        self._complete = False
        self._transport.write(data)
        while not self._head_complete:
            await self._more()
        return self._status, self._headers

    async def body(self) -> AsyncGenerator[bytes, None]:
        """The body as it comes; what arrived together is given together."""
        while True:
            if self._chunks:
                data = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
                self._chunks.clear()
                self._buffered = 0
                if self._paused:
                    self._paused = False
                    self._transport.resume_reading()
                yield data
            elif self._complete:
                return
            else:
                await self._more()

    def wait_for_beats(self, seconds: float = BEAT_SECONDS) -> None:
        """From now on gives what comes with the next beat, until this body is whole: its end never waits."""
        self._beat_seconds = seconds

    def abort(self) -> None:
        """Closes at once, whatever is under way."""
        self._closed = True
        self._transport.abort()

    def _start(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._bodiless = 0
        self._head_complete = False
        self._ends_with_connection = True
        self._chunks: list[bytes] = []
        self._buffered = 0
        self._beat_seconds = 0.0

    async def _more(self) -> None:
        """Waits until something changed."""
        if self._error is not None:
            raise self._error
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._on_beat:
            self._on_beat.cancel()
            self._on_beat = None
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Not an isinstance: uvloop's transports are none of asyncio's.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._bodiless += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._fail(httpx.RemoteProtocolError("the peer does not speak HTTP"))
        if self._bodiless > _BODILESS_LIMIT_BYTES and not self._complete:
            self._fail(httpx.RemoteProtocolError("the peer's headers do not end"))
        if not self._beat_seconds or self._complete or self._paused or self._error:
            self._wake()
        elif self._on_beat is None:
            self._on_beat = self._loop.call_at(next_beat(self._loop.time(), self._beat_seconds), self._wake)

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True
        if not self._complete:
            if self._head_complete and self._ends_with_connection and exc is None:
                self._complete = True
            elif self._error is None:
                self._error = httpx.ReadError("the peer closed the connection in the middle of a response")
        self._wake()

    def _fail(self, error: httpx.TransportError) -> None:
        self._error = error
        self.abort()

    # httptools

    def on_message_begin(self) -> None:
        if self._complete:
            # Nobody asked: it would be taken for the answer to the next question.
            raise ValueError("more than one response")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value))
        if name.lower() in (b"content-length", b"transfer-encoding"):
            self._ends_with_connection = False

    def on_headers_complete(self) -> None:
        self._status = self._parser.get_status_code()
        self._keep_alive = self._parser.should_keep_alive()
        # 1xx only announces the response.
        self._head_complete = self._status >= 200

    def on_body(self, body: bytes) -> None:
        self._bodiless = 0
        self._chunks.append(body)
        self._buffered += len(body)
        if self._buffered > _BUFFER_LIMIT_BYTES and not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def on_message_complete(self) -> None:
        if self._head_complete:
            self._complete = True
        else:
            self._headers = []
