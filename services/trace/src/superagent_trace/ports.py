"""What trace needs from the outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from superagent_trace.domain import ServiceHealth, Span, Turn, UsageRow


class TraceStore(Protocol):
    """Turns and spans. `user_id` None means everybody's."""

    async def add_spans(self, spans: Sequence[Span]) -> None:
        """Stores spans, but for those of deleted conversations; one that is there already stays as it is."""

    async def turn(self, user_id: str | None, turn_id: str) -> Turn | None: ...

    async def spans(self, trace_id: str, limit: int) -> Sequence[Span]:
        """Spans of a trace by start."""

    async def turns(
        self, user_id: str | None, conversation_id: str, before: tuple[int, str] | None, limit: int
    ) -> Sequence[Turn]:
        """Turns, newest first, of one conversation when it is not empty."""

    async def usage(self, user_id: str | None, since: int, until: int) -> Sequence[UsageRow]:
        """Sums by day, user and model of turns begun in [since, until), in microseconds."""

    async def health(self, since: int) -> Sequence[ServiceHealth]:
        """Server spans by service since a time."""

    async def forget(self, spans_before: int, deletions_before: int) -> None:
        """Deletes spans that began before a time, and what is known of conversations deleted before another."""
