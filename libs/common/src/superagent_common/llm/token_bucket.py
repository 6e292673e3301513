"""A rate per minute that allows short bursts."""

from __future__ import annotations

from collections.abc import Callable

BURST_SECONDS = 10.0
"""How much of a minute's rate may go at once: providers count in windows shorter than a minute."""


class TokenBucket:
    """Fills evenly up to `BURST_SECONDS` of the rate. What costs more than that waits for a full bucket and leaves a debt."""

    def __init__(self, per_minute: float, monotonic: Callable[[], float]) -> None:
        """`monotonic` gives seconds."""
        self._per_second = per_minute / 60
        self._capacity = max(1.0, self._per_second * BURST_SECONDS)
        self._level = self._capacity
        self._monotonic = monotonic
        self._at = monotonic()

    def seconds_until(self, cost: float) -> float:
        """How long until so much may be taken; 0 for now."""
        self._fill()
        missing = min(cost, self._capacity) - self._level
        # What rounding leaves must not keep anybody waiting for no time at all.
        return missing / self._per_second if missing > 1e-9 else 0.0

    def take(self, cost: float) -> None:
        self._fill()
        self._level -= cost

    def give_back(self, cost: float) -> None:
        """What was taken and not used; a negative cost is what was used beyond it."""
        self._level = min(self._capacity, self._level + cost)

    def _fill(self) -> None:
        now = self._monotonic()
        self._level = min(self._capacity, self._level + (now - self._at) * self._per_second)
        self._at = now
