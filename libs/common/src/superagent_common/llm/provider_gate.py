"""How much may be asked of one provider at a time and per minute, and who comes next (EXEC-8).

Counts what one service of one process asks: replicas share a provider's limit by each taking its part of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from superagent_common.errors import Exhausted
from superagent_common.llm.fair_queue import FairQueue
from superagent_common.llm.port import QUEUE_FULL
from superagent_common.llm.token_bucket import TokenBucket

_LONGEST_RETRY_AFTER_SECONDS = 60.0
_POSITIONS_SECONDS = 0.25
# Weight of the newest call in the mean time of a call.
_NEWEST = 0.2


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """Of one provider. `queue_length`: how many may wait; None does not limit.

    The defaults let a thousand turns at once through, some after a wait; what a provider allows is for the settings.
    """

    concurrent: int = 256
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    queue_length: int = 1_024


class ProviderGate:
    """Calls under way, both rates, and the queue in front of them. All calls on one event loop."""

    def __init__(self, limits: ProviderLimits, monotonic: Callable[[], float]) -> None:
        """`monotonic` gives seconds."""
        self._limits = limits
        self._monotonic = monotonic
        self._requests = _bucket(limits.requests_per_minute, monotonic)
        self._tokens = _bucket(limits.tokens_per_minute, monotonic)
        self._queue: FairQueue[Place] = FairQueue()
        self._running = 0
        self._call_seconds = 1.0
        self._timer: asyncio.TimerHandle | None = None
        self._positions: dict[Place, int] = {}
        self._positions_at = float("-inf")

    @property
    def counts_tokens(self) -> bool:
        """Whether `claim` wants to know how many tokens a call may take."""
        return self._tokens is not None

    def claim(self, person: str, tokens: float = 0.0) -> Place:
        """A place for a call that may take so many tokens; leave it, admitted or not.

        Raises Exhausted(model_queue_full) with the time after which there may be room.
        """
        if len(self._queue) >= self._limits.queue_length and (self._queue or self._seconds_until(tokens) is not None):
            seconds = self._retry_after_seconds()
            message = f"Too many are waiting for the language model. Please try again in {seconds:.0f} s."
            raise Exhausted(QUEUE_FULL, message, retry_after_seconds=seconds)
        place = Place(self, person, tokens)
        self._queue.add(person, place)
        self._admit()
        return place

    def position(self, place: Place) -> int:
        """From 1, as it was a moment ago: hundreds who wait and ask shall not count the queue each time."""
        now = self._monotonic()
        if place not in self._positions or now - self._positions_at >= _POSITIONS_SECONDS:
            self._positions = {waiting: number for number, waiting in enumerate(self._queue, start=1)}
            self._positions_at = now
        return self._positions[place]

    def left(self, place: Place, used: float | None) -> None:
        """A place that is given up; `used` tokens instead of those claimed, None for as many."""
        if place.admitted_at is None:
            self._queue.remove(place.person, place)
        else:
            self._running -= 1
            spent = self._monotonic() - place.admitted_at
            self._call_seconds += _NEWEST * (spent - self._call_seconds)
            if self._tokens and used is not None:
                self._tokens.give_back(place.tokens - used)
        self._admit()

    def _admit(self) -> None:
        """Lets in whoever may go now; when only time is missing, looks again then."""
        while self._queue:
            wait = self._seconds_until(self._queue.first().tokens)
            if wait is not None:
                self._look_again(wait)
                return
            place = self._queue.pop()
            self._running += 1
            if self._requests:
                self._requests.take(1)
            if self._tokens:
                self._tokens.take(place.tokens)
            place.admit(self._monotonic())

    def _seconds_until(self, tokens: float) -> float | None:
        """None: now. Infinite: when another call ends."""
        if self._running >= self._limits.concurrent:
            return float("inf")
        wait = max(
            self._requests.seconds_until(1) if self._requests else 0.0,
            self._tokens.seconds_until(tokens) if self._tokens else 0.0,
        )
        return wait or None

    def _look_again(self, seconds: float) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if seconds != float("inf"):
            self._timer = asyncio.get_running_loop().call_later(seconds, self._admit)

    def _retry_after_seconds(self) -> float:
        waiting = len(self._queue) + 1
        by_calls = waiting * self._call_seconds / self._limits.concurrent
        rate = self._limits.requests_per_minute
        by_rate = waiting * 60 / rate if rate else 0.0
        return min(max(1.0, by_calls, by_rate), _LONGEST_RETRY_AFTER_SECONDS)


class Place:
    """One call's place: first in the queue, then among those under way."""

    def __init__(self, gate: ProviderGate, person: str, tokens: float) -> None:
        self._gate = gate
        self._admitted = asyncio.Event()
        self.person = person
        self.tokens = tokens
        self.admitted_at: float | None = None

    @property
    def position(self) -> int:
        """In the queue, from 1; 0 once it may go."""
        return 0 if self.admitted_at is not None else self._gate.position(self)

    async def wait(self, seconds: float) -> None:
        """Until it may go, or so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._admitted.wait()
        except TimeoutError:
            return

    def admit(self, now: float) -> None:
        self.admitted_at = now
        self._admitted.set()

    def leave(self, used: float | None = None) -> None:
        """Once, whatever happened; `used`: tokens really used, None when not known."""
        self._gate.left(self, used)


def _bucket(per_minute: int | None, monotonic: Callable[[], float]) -> TokenBucket | None:
    return None if per_minute is None else TokenBucket(per_minute, monotonic)
