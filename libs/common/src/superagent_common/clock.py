"""Time as the services store it, integer microseconds since the epoch, UTC, and as contracts and JSON carry it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import lru_cache

from google.protobuf.timestamp_pb2 import Timestamp

SECOND = 1_000_000


def now() -> int:
    """Wall-clock time in microseconds since the epoch. For stored times; deadlines use `time.monotonic()`."""
    return time.time_ns() // 1_000


def steady() -> int:
    """Microseconds of a clock that is never set and that all processes of this machine share; what it counts from
    is anything. For leases in a file of this machine."""
    return time.monotonic_ns() // 1_000


def rfc3339(at: int) -> str:
    """`at` (microseconds) as RFC 3339 in UTC with microseconds, for example 2026-01-31T08:00:00.000000Z."""
    return f"{_seconds_text(at // SECOND)}.{at % SECOND:06d}Z"


def timestamp(at: int) -> Timestamp:
    """`at` (microseconds) as contracts carry it."""
    return Timestamp(seconds=at // SECOND, nanos=at % SECOND * 1_000)


@lru_cache(maxsize=256)
def _seconds_text(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
