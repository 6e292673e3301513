"""Spans of one trace as the trace service stored them, and who called whom in them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class StoredSpan:
    trace_id: str
    span_id: str
    parent_span_id: str
    service: str
    name: str
    kind: str


Edge = tuple[tuple[str, str], tuple[str, str]]
"""((service, span name) of the caller, the same of the callee)."""


def edges(spans: Sequence[StoredSpan]) -> set[Edge]:
    """Every parent → child pair among the spans."""
    by_id = {span.span_id: span for span in spans}
    return {
        ((parent.service, parent.name), (span.service, span.name))
        for span in spans
        if (parent := by_id.get(span.parent_span_id))
    }


async def spans_when(
    data_dir: Path, trace_id: str, complete: Callable[[Sequence[StoredSpan]], bool], seconds: float = 120.0
) -> list[StoredSpan]:
    """The spans of a trace once `complete` holds or the time is up: spans arrive a moment after what they tell of."""
    database = data_dir / "databases" / "trace.db"
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        found = await asyncio.to_thread(_read, database, trace_id)
        if complete(found) or asyncio.get_running_loop().time() > deadline:
            return found
        await asyncio.sleep(_POLL_SECONDS)


def _read(database: Path, trace_id: str) -> list[StoredSpan]:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        rows = connection.execute(
            "SELECT trace_id, span_id, parent_span_id, service, name, kind FROM spans WHERE trace_id = ?", (trace_id,)
        )
        return [StoredSpan(*row) for row in rows]
    finally:
        connection.close()
