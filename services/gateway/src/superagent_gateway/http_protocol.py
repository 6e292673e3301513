"""HTTP/1.1 as uvicorn speaks it, with what it leaves open: bounds on a request's head and on clients that stand still."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any, cast

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

HEAD_BYTES = 64 * 1024
"""Request line and headers together; browsers and proxies stay far below."""
_MALFORMED, _TIMED_OUT, _HEAD_TOO_LARGE = 400, 408, 431
_LINGER_SECONDS = 2.0
_LINGER_BYTES = 6 * 1024 * 1024
"""More than a part of an upload, which a client may send whole before it looks for an answer."""


class _Answering:
    """The transport as one answer sees it, with an end of its own."""

    __slots__ = ("close", "is_closing", "write")

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close


def _send_without_chunks(cycle: RequestResponseCycle) -> None:
    """Answers a client of HTTP/1.0, that knows no chunks: a body without a length ends with the connection."""
    send, has_length = cycle.send, True

    async def sending(message: ASGISendEvent) -> None:
        nonlocal has_length
        if message["type"] == "http.response.start":
            has_length = any(name.lower() == b"content-length" for name, _ in message.get("headers", ()))
            if not has_length:
                cycle.chunked_encoding = False
        elif message["type"] == "http.response.body" and not has_length:
            # Uvicorn counts down to the end.
            is_last = not message.get("more_body", False)
            cycle.expected_content_length = len(message.get("body", b"")) if is_last else sys.maxsize
        await send(message)

    cycle.send = sending  # type: ignore[method-assign]


class HttpProtocol(HttpToolsProtocol):
    """One connection.

    Refuses what is no request, a head of more than `HEAD_BYTES` and one that is not whole after `stall_seconds`, each
    with the bytes that `refusal(status)` gives, and hangs up. Also hangs up on a client that takes nothing off a full
    connection for `stall_seconds`, and silently on one that connects and says nothing.

    Where a request is still arriving behind the last answer, what arrives is read and dropped for a while: closing a
    socket with unread input resets the connection, and the client loses the answer.
    """

    def __init__(self, refusal: Callable[[int], bytes], stall_seconds: float, **server: Any) -> None:
        """`server` is what uvicorn makes its protocols with."""
        super().__init__(**server)
        self._refusal = refusal
        self._stall_seconds = stall_seconds
        self._fault = _MALFORMED
        self._begun = False
        self._head_bytes = 0
        self._unparsed_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._linger_timer: asyncio.TimerHandle | None = None
        self._dropped_bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timers()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._linger_timer:
            self._drop(data)
            return
        if self._head_timer is None and not self._is_answering:
            self._await_head()
        self._unparsed_bytes += len(data)
        super().data_received(data)
        # The parser keeps a header, a trailer or a chunk's extension until it is whole, however long it is.
        if self._unparsed_bytes > HEAD_BYTES:
            self._refuse(_HEAD_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begun = True
        self._head_bytes = 0
        if self._head_timer is None:
            self._await_head()

    def on_url(self, url: bytes) -> None:
        self._take_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._take_head(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._unparsed_bytes = 0
        if self._head_timer:
            self._head_timer.cancel()
            self._head_timer = None
        super().on_headers_complete()
        if self._is_upgrading:
            return
        assert self.cycle is not None
        if self.cycle.scope["http_version"] == "1.0":
            _send_without_chunks(self.cycle)
        self.cycle.transport = cast(asyncio.Transport, _Answering(self.transport, self._end))

    def on_body(self, body: bytes) -> None:
        self._unparsed_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unparsed_bytes = 0
        self._begun = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._begun and self._head_timer is None:
            self._await_head()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_timer = self.loop.call_later(self._stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        if self._write_timer:
            self._write_timer.cancel()
            self._write_timer = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        self._refuse(self._fault)

    def handle_websocket_upgrade(self) -> None:
        if self._is_answering:
            # Pipelined behind a request that is still being answered: the two would write over each other.
            self._refuse(_MALFORMED)
            return
        self._stop_timers()
        super().handle_websocket_upgrade()

    def _unsupported_upgrade_warning(self) -> None:
        """Nothing to warn of: the request is answered as any other."""

    @property
    def _is_upgrading(self) -> bool:
        return bool(self.parser.should_upgrade() and self._should_upgrade())

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _take_head(self, size: int) -> None:
        self._unparsed_bytes = 0
        self._head_bytes += size
        if self._head_bytes > HEAD_BYTES:
            self._fault = _HEAD_TOO_LARGE
            raise ValueError("head too large")

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self._stall_seconds, self._head_is_late)

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self._is_answering:
            # Reading may rest while a request waits for the answer before its own: it has its time afterwards.
            return
        if self._begun:
            self._refuse(_TIMED_OUT)
        else:
            self.transport.close()

    def _refuse(self, status: int) -> None:
        if self.transport.is_closing() or self._linger_timer:
            return
        if not self._may_answer:
            self.transport.close()
            return
        self.transport.write(self._refusal(status))
        self._linger()

    def _end(self) -> None:
        """Hangs up behind an answer."""
        if self._linger_timer:
            return
        if self._begun and not self.transport.is_closing():
            # Whatever follows is not answered any more.
            self.pipeline.clear()
            self._linger()
        else:
            self.transport.close()

    def _linger(self) -> None:
        self.transport.write_eof()
        self.transport.resume_reading()
        self._linger_timer = self.loop.call_later(_LINGER_SECONDS, self.transport.close)

    def _drop(self, data: bytes) -> None:
        self._dropped_bytes += len(data)
        if self._dropped_bytes > _LINGER_BYTES:
            self.transport.close()

    @property
    def _may_answer(self) -> bool:
        """Whether an answer written now would be taken for that of the request at fault."""
        cycle = self.cycle
        if cycle is None or (cycle.response_complete and not cycle.more_body):
            return True
        return cycle.more_body and not cycle.response_started and not self.pipeline

    def _stop_timers(self) -> None:
        for timer in (self._head_timer, self._write_timer, self._linger_timer):
            if timer:
                timer.cancel()
        self._head_timer = self._write_timer = self._linger_timer = None
