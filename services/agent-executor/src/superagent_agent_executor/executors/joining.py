"""Joins deltas that come close together, and sends those of all runs on the same beat."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from superagent_agent_executor.domain.events import Delta, ExecutionEvent, Thinking
from superagent_common.beat import BEAT_SECONDS, next_beat

_MOST_WAITING = 64
"""Events that wait for who takes them; then the model is not read on."""


async def join_deltas(
    events: AsyncIterator[ExecutionEvent], seconds: float = BEAT_SECONDS
) -> AsyncGenerator[ExecutionEvent, None]:
    """The same events with neighbouring deltas joined, and so with reasoning; order and text stay.

    The first piece of a kind goes at once. What follows before the next beat is collected until then, or until any other
    event. Beats are `seconds` apart and the same for all runs.
    """
    joining = _Joining(seconds)
    task = asyncio.create_task(joining.take(events))
    try:
        while await joining.more():
            yield joining.pop()
    finally:
        joining.leave()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class _Joining:
    """What a run has said and nobody has taken yet."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._kind: type[Delta | Thinking] | None = None
        self._pieces: list[str] = []
        self._quiet_until = 0.0
        self._beat: asyncio.TimerHandle | None = None
        self._ready: deque[ExecutionEvent] = deque()
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._ended = False
        self._failure: Exception | None = None

    async def take(self, events: AsyncIterator[ExecutionEvent]) -> None:
        """Takes all events; what they fail with comes behind them."""
        try:
            async with aclosing(events):  # type: ignore[type-var]
                async for event in events:
                    if isinstance(event, Delta | Thinking):
                        self._say(event)
                    else:
                        self._send()
                        self._put(event)
                    while len(self._ready) >= _MOST_WAITING:
                        self._room.clear()
                        await self._room.wait()
        except Exception as error:  # noqa: BLE001 - raised again for whoever takes the events
            self._failure = error
        self._send()
        self._ended = True
        self._changed.set()

    async def more(self) -> bool:
        """Waits for the next event; False at the end. Raises what the events failed with."""
        while not self._ready:
            if self._failure:
                raise self._failure
            if self._ended:
                return False
            self._changed.clear()
            await self._changed.wait()
        return True

    def pop(self) -> ExecutionEvent:
        """The next event."""
        self._room.set()
        return self._ready.popleft()

    def leave(self) -> None:
        """Nobody takes anything any more."""
        if self._beat:
            self._beat.cancel()

    def _say(self, event: Delta | Thinking) -> None:
        if not event.text:
            return
        is_first = type(event) is not self._kind
        if is_first:
            self._send()
            self._kind = type(event)
        self._pieces.append(event.text)
        if is_first or self._loop.time() >= self._quiet_until:
            self._send()
        elif self._beat is None:
            self._beat = self._loop.call_at(self._quiet_until, self._send)

    def _send(self) -> None:
        """Has what was collected taken now."""
        if self._beat:
            self._beat.cancel()
            self._beat = None
        if self._kind and self._pieces:
            self._put(self._kind("".join(self._pieces)))
            self._pieces.clear()
            self._quiet_until = next_beat(self._loop.time(), self._seconds)

    def _put(self, event: ExecutionEvent) -> None:
        self._ready.append(event)
        self._changed.set()
