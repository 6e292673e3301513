"""Stops asking something that keeps failing: a model endpoint, a search channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Entry = Literal["normal", "probe"]

FAILURES_IN_A_ROW = 5
OPEN_SECONDS = 30.0


class CircuitBreaker:
    """Five failures in a row open it for 30 s; then one call at a time may probe until one gets through.

    Every `enter` that did not give None is followed by exactly one of `succeeded`, `failed` and `left`;
    `answering` may come before. `monotonic` gives seconds.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._failures = 0
        self._opened_at: float | None = None
        self._probing = False

    def enter(self) -> Entry | None:
        """None: the endpoint is not to be asked now."""
        if self._opened_at is None:
            return "normal"
        if self._probing or self._monotonic() - self._opened_at < OPEN_SECONDS:
            return None
        self._probing = True
        return "probe"

    def answering(self, entry: Entry) -> None:
        """The first token of a probe lets others in again; a failure after it opens at once."""
        if entry == "probe":
            self._close()

    def succeeded(self, entry: Entry) -> None:
        if entry == "probe" or self._opened_at is None:
            self._close()
            self._failures = 0

    def failed(self, entry: Entry) -> None:
        if entry == "normal" and self._opened_at is not None:
            return  # Began before it opened; what it says is known.
        self._failures += 1
        self._probing = False
        if self._failures >= FAILURES_IN_A_ROW:
            self._opened_at = self._monotonic()

    def left(self, entry: Entry) -> None:
        """Cancelled, or failed in a way that says nothing about the endpoint."""
        if entry == "probe":
            self._probing = False

    def _close(self) -> None:
        self._opened_at = None
        self._probing = False
