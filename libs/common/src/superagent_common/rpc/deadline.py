"""The deadline of the call being served, so that calls made for it never outlive it."""

from __future__ import annotations

import time
from contextvars import ContextVar

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


def set_deadline(remaining_seconds: float | None) -> None:
    """Sets the current task's deadline from what is left; None means none."""
    _deadline.set(None if remaining_seconds is None else time.monotonic() + remaining_seconds)


def remaining(timeout_seconds: float | None) -> float | None:
    """The smaller of `timeout_seconds` and what is left of the deadline; None when there is neither."""
    deadline = _deadline.get()
    if deadline is None:
        return timeout_seconds
    left = max(0.0, deadline - time.monotonic())
    return left if timeout_seconds is None else min(timeout_seconds, left)
