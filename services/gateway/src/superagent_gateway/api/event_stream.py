"""Server-sent events as a raw ASGI response: one write per event, heartbeats, and an end when the viewer leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from superagent.orchestrator.v1.events_pb2 import TurnEvent
from superagent_common import clock
from superagent_common.errors import ServiceError, Unauthenticated
from superagent_common.identity import Identity, current_identity
from superagent_gateway.api.presenters.events import frame, interrupted_frame, turn_events_path

_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    # no-transform: compressing proxies would hold events back.
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
}
_HEARTBEAT = b": heartbeat\n\n"
_FIRST_EVENT_SECONDS = 5.0


class StreamShape(Protocol):
    """How a stream says what happens."""

    @property
    def broken(self) -> bytes:
        """What is said last when the stream ends before the turn."""

    def frame(self, event: TurnEvent) -> bytes:
        """An event; empty when nothing is to be said of it."""


class _NumberedEvents:
    def __init__(self, turn_id: str, after: int) -> None:
        self._turn_id = turn_id
        self._after = after

    @property
    def broken(self) -> bytes:
        return interrupted_frame(self._turn_id, self._after, clock.now())

    def frame(self, event: TurnEvent) -> bytes:
        self._after = event.sequence
        return frame(event)


class EventStreams:
    """Makes the streams of one gateway and ends them when it stops."""

    def __init__(
        self,
        heartbeat_seconds: float,
        check: Callable[[Identity], None],
        first_event_seconds: float = _FIRST_EVENT_SECONDS,
    ) -> None:
        """An answer is held back for `first_event_seconds` at most, so that an unknown turn is a 404 and no stream.

        `check` raises Unauthenticated for whoever may not read on; it is asked with each heartbeat.
        """
        self._heartbeat_seconds = heartbeat_seconds
        self._check = check
        self._first_event_seconds = first_event_seconds
        self._running: set[asyncio.Task[None]] = set()

    def of(self, events: AsyncGenerator[TurnEvent, None], shape: StreamShape) -> Response:
        """A stream that begins at once."""
        return self._stream(events, None, shape)

    def of_new_turn(self, turn_id: str, events: AsyncGenerator[TurnEvent, None]) -> Response:
        """The numbered events of a turn that has just begun; a header says where they are, before any of them is there."""
        stream = self._stream(events, None, _NumberedEvents(turn_id, 0))
        stream.headers["content-location"] = turn_events_path(turn_id)
        return stream

    async def behind_first(self, turn_id: str, after: int, events: AsyncGenerator[TurnEvent, None]) -> Response:
        """A stream that begins with its first event behind a number; 204 when there is none, which tells a browser not
        to come again.

        Raises what `events` fails with before the first one.
        """
        first = asyncio.ensure_future(anext(events, None))
        try:
            await asyncio.wait((first,), timeout=self._first_event_seconds)
        except asyncio.CancelledError:
            await _close(events, first)
            raise
        if first.done() and first.result() is None:
            return Response(status_code=204)
        return self._stream(events, first, _NumberedEvents(turn_id, after))

    def _stream(
        self,
        events: AsyncGenerator[TurnEvent, None],
        first: asyncio.Future[TurnEvent | None] | None,
        shape: StreamShape,
    ) -> Response:
        viewer = current_identity()
        return _EventStream(events, first, shape, self._heartbeat_seconds, self._running, lambda: self._check(viewer))

    async def end(self) -> None:
        """Ends all streams; viewers take them up elsewhere."""
        running = tuple(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


class _EventStream(Response):
    def __init__(
        self,
        events: AsyncGenerator[TurnEvent, None],
        first: asyncio.Future[TurnEvent | None] | None,
        shape: StreamShape,
        heartbeat_seconds: float,
        running: set[asyncio.Task[None]],
        check: Callable[[], None],
    ) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._events = events
        self._first = first
        self._shape = shape
        self._heartbeat_seconds = heartbeat_seconds
        self._running = running
        self._check = check
        self._silent = True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        writing = asyncio.create_task(self._write(send))
        leaving = asyncio.create_task(_viewer_left(receive))
        self._running.add(writing)
        shut_out = False
        try:
            while True:
                self._silent = True
                done, _ = await asyncio.wait(
                    (writing, leaving), timeout=self._heartbeat_seconds, return_when=asyncio.FIRST_COMPLETED
                )
                if done:
                    break
                self._check()
                if self._silent:
                    await send({"type": "http.response.body", "body": _HEARTBEAT, "more_body": True})
        except Unauthenticated:
            # Banned, logged out, or with other rights than before: who may go on comes again with a new token.
            shut_out = True
        finally:
            self._running.discard(writing)
            leaving.cancel()
            writing.cancel()
            await asyncio.gather(writing, leaving, return_exceptions=True)
            # The turn goes on: only this viewer's call to the orchestrator ends.
            await _close(self._events, self._first)
        if shut_out or (writing.cancelled() and leaving.cancelled()):
            await send({"type": "http.response.body", "body": self._shape.broken, "more_body": True})
        elif not writing.cancelled() and (error := writing.exception()):
            raise error
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, send: Send) -> None:
        try:
            if self._first is not None:
                first = await self._first
                if first is None:
                    return
                await self._pass_on(first, send)
            async for event in self._events:
                await self._pass_on(event, send)
        except ServiceError:
            await send({"type": "http.response.body", "body": self._shape.broken, "more_body": True})

    async def _pass_on(self, event: TurnEvent, send: Send) -> None:
        if body := self._shape.frame(event):
            self._silent = False
            await send({"type": "http.response.body", "body": body, "more_body": True})


async def _close(events: AsyncGenerator[TurnEvent, None], first: asyncio.Future[TurnEvent | None] | None) -> None:
    if first is not None:
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
    await events.aclose()


async def _viewer_left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
