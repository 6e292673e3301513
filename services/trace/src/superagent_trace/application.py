"""Use cases of looking at what happened; a person sees own turns, an administrator all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta

from superagent_common.clock import SECOND
from superagent_common.errors import InvalidInput, NotFound
from superagent_common.identity import Principal
from superagent_common.paging import decode_cursor, encode_cursor, page_limit
from superagent_trace.domain import ServiceHealth, Span, Turn, UsageRow
from superagent_trace.ports import TraceStore

MAX_SPANS = 2_000
"""Spans given for one turn."""
_HEALTH_SECONDS = 300
_USAGE_DAYS = 30
_MAX_USAGE_DAYS = 366


class Traces:
    """Another person's turn is NotFound, exactly as an unknown one."""

    def __init__(self, store: TraceStore, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since the epoch."""
        self._store = store
        self._clock = clock

    async def turn(self, principal: Principal, turn_id: str) -> tuple[Turn, Sequence[Span]]:
        """A turn and the spans of its trace that have arrived."""
        turn = await self._store.turn(_whose(principal), turn_id)
        if turn is None:
            raise NotFound("unknown_turn", "There is no such turn.")
        return turn, await self._store.spans(turn.trace_id, MAX_SPANS) if turn.trace_id else ()

    async def turns(
        self, principal: Principal, conversation_id: str, limit: int, cursor: str
    ) -> tuple[Sequence[Turn], str]:
        """A page of turns, newest first, and the cursor of the next page."""
        size = page_limit(limit)
        rows = await self._store.turns(_whose(principal), conversation_id, decode_cursor(cursor), size + 1)
        more = encode_cursor(rows[size - 1].started_at, rows[size - 1].turn_id) if len(rows) > size else ""
        return rows[:size], more

    async def usage(self, principal: Principal, from_day: str, to_day: str) -> Sequence[UsageRow]:
        """Sums by day, user and model; at most 366 days, 30 when nothing is said."""
        today = datetime.fromtimestamp(self._clock() / SECOND, UTC).date()
        last = _day(to_day, today)
        first = _day(from_day, last - timedelta(days=_USAGE_DAYS))
        if not first <= last <= first + timedelta(days=_MAX_USAGE_DAYS):
            raise InvalidInput("invalid_days", f"Give a first and a last day, at most {_MAX_USAGE_DAYS} days apart.")
        return await self._store.usage(_whose(principal), _start(first), _start(last + timedelta(days=1)))

    async def health(self, principal: Principal) -> Sequence[ServiceHealth]:
        """Services that were seen in the last five minutes; administrators only."""
        principal.check_administrator()
        return await self._store.health(self._clock() - _HEALTH_SECONDS * SECOND)


def _whose(principal: Principal) -> str | None:
    return None if principal.is_admin else principal.user_id


def _day(text: str, otherwise: date) -> date:
    if not text:
        return otherwise
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput("invalid_days", "A day is written 2026-01-31.") from error


def _start(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * SECOND
