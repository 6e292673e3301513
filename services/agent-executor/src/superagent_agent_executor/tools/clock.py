"""Date and time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field

from superagent_agent_executor.domain.dates import distance, moment, named_day, read_date, shifted
from superagent_agent_executor.domain.events import Json
from superagent_agent_executor.domain.tools import CURRENT_TIME, Refusal, ToolContext, ToolOutcome, ToolSpec, one_line
from superagent_agent_executor.tools.arguments import Arguments

_TIMEOUT_SECONDS = 2.0


class _Arguments(Arguments):
    time_zone: str = Field(default="", description="IANA name; default: the person's own", max_length=64)
    date: str = Field(default="", description="A day as YYYY-MM-DD to start from; default: today", max_length=40)
    add_days: int = Field(default=0, description="Also tell the day this many days later; negative: earlier")
    until: str = Field(default="", description="Also tell how many days it is to this day, YYYY-MM-DD", max_length=40)


class Clock:
    """Now in a time zone, weekdays, days between two days, days added."""

    def __init__(self, now: Callable[[], int]) -> None:
        """`now` in microseconds since the epoch."""
        self.spec = ToolSpec(CURRENT_TIME, "", _Arguments.schema_for_model(), "read", _TIMEOUT_SECONDS)
        self._now = now

    async def call(self, arguments: Mapping[str, Json], context: ToolContext) -> ToolOutcome:
        asked = _Arguments.read(arguments)
        name = asked.time_zone or context.plan.time_zone
        now = datetime.fromtimestamp(self._now() / 1e6, UTC).astimezone(_zone(name))
        language = context.language
        start = read_date(asked.date) if asked.date else now.date()
        lines = [named_day(start, language)] if asked.date else [moment(now, name, language)]
        if asked.add_days:
            lines.append(shifted(start, asked.add_days, language))
        if asked.until:
            lines.append(distance(start, read_date(asked.until), language))
        return ToolOutcome(True, "\n".join(lines), one_line("; ".join(lines[1:] or lines)))


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Refusal("time_zone_unknown", name=name) from None
