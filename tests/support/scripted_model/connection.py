"""One HTTP/1.1 connection, by hand: a framework would cost more than the model it stands for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Literal

_HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Playback:
    """Bytes to send, in order: `head` at once, `pieces` at their times, then the ending.

    seconds: `first_delay` before the first piece, `delay` between pieces and before the ending of none.
    Piece number `held_before` and what follows it wait for `opened`.
    ending: `keep` leaves the connection open for the next request, `close` closes it, `hang` leaves it silent.
    """

    pieces: Sequence[bytes]
    head: bytes = b""
    first_delay: float = 0.0
    delay: float = 0.0
    ending: Literal["keep", "close", "hang"] = "keep"
    held_before: int = 0
    opened: asyncio.Event | None = None


@dataclass(slots=True)
class Exchange:
    """What the server wants to know of one request's way: pieces sent, and how it ended."""

    playback: Playback
    ended: Callable[[str, int], None]
    sent: int = 0


Answering = Callable[[HttpRequest], Exchange]


class Connection(asyncio.Protocol):
    """Requests one after another; `answer` gives the exchange for each."""

    def __init__(self, answer: Answering, open_connections: set[Connection]) -> None:
        self._answer = answer
        self._open_connections = open_connections
        self._buffer = b""
        self._exchange: Exchange | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._at_gate: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._open_connections.add(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._serve_buffered()

    def connection_lost(self, exc: Exception | None) -> None:
        self._open_connections.discard(self)
        self._end("client_closed")

    def abort(self) -> None:
        self._end("server_stopped")
        self._transport.abort()

    def _serve_buffered(self) -> None:
        while self._exchange is None and not self._transport.is_closing():
            request = self._take_request()
            if request is None:
                return
            self._exchange = self._answer(request)
            self._play()

    def _take_request(self) -> HttpRequest | None:
        end = self._buffer.find(_HEAD_END)
        if end < 0:
            return None
        first_line, *header_lines = self._buffer[:end].decode("latin-1").split("\r\n")
        headers = {}
        for line in header_lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        start = end + len(_HEAD_END)
        stop = start + int(headers.get("content-length", "0"))
        if len(self._buffer) < stop:
            return None
        method, path, _ = first_line.split(" ", 2)
        request = HttpRequest(method, path, headers, self._buffer[start:stop])
        self._buffer = self._buffer[stop:]
        return request

    def _play(self) -> None:
        exchange = self._exchange
        assert exchange is not None
        playback = exchange.playback
        if not playback.first_delay and not playback.delay and not playback.opened:
            exchange.sent = len(playback.pieces)
            self._transport.write(playback.head + b"".join(playback.pieces))
            self._finish(playback)
            return
        if playback.head:
            self._transport.write(playback.head)
        self._timer = self._loop.call_later(playback.first_delay, self._step)

    def _step(self) -> None:
        exchange = self._exchange
        assert exchange is not None
        playback = exchange.playback
        if playback.opened and exchange.sent == playback.held_before and not playback.opened.is_set():
            self._at_gate = self._loop.create_task(self._step_once(playback.opened))
            return
        if exchange.sent < len(playback.pieces):
            self._transport.write(playback.pieces[exchange.sent])
            exchange.sent += 1
        if exchange.sent < len(playback.pieces):
            self._timer = self._loop.call_later(playback.delay, self._step)
            return
        self._finish(playback)
        self._serve_buffered()

    async def _step_once(self, opened: asyncio.Event) -> None:
        await opened.wait()
        self._at_gate = None
        self._step()

    def _finish(self, playback: Playback) -> None:
        if playback.ending == "hang":
            return
        self._end("finished" if playback.ending == "keep" else "cut")
        if playback.ending == "close":
            self._transport.close()

    def _end(self, outcome: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._at_gate is not None:
            self._at_gate.cancel()
            self._at_gate = None
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.ended(outcome, exchange.sent)


def response(status: int, body: bytes, content_type: str = "application/json", **headers: str) -> bytes:
    """A whole response with Content-Length; header names are written with underscores."""
    return _head(status, content_type, f"content-length: {len(body)}", headers) + body


def stream_head() -> bytes:
    return _head(200, "text/event-stream", "transfer-encoding: chunked", {})


def http_chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


LAST_HTTP_CHUNK = b"0\r\n\r\n"


def _head(status: int, content_type: str, framing: str, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"content-type: {content_type}", framing]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
