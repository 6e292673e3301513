"""What a turn's stream said, by meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dev.api_client import SseEvent

_CITATION = re.compile(r"\[(\d+)]")


@dataclass(frozen=True)
class TurnStory:
    """The events of one turn, first to last."""

    events: Sequence[SseEvent]

    @property
    def turn_id(self) -> str:
        return str(self.events[0].json["turn_id"])

    @property
    def conversation_id(self) -> str:
        return str(self.only("accepted")["conversation_id"])

    @property
    def text(self) -> str:
        return "".join(event.json["text"] for event in self.events if event.event == "delta")

    @property
    def cited(self) -> set[int]:
        """Numbers of the `[n]` in the text."""
        return {int(number) for number in _CITATION.findall(self.text)}

    @property
    def sources(self) -> dict[int, dict[str, Any]]:
        """By citation number."""
        return {source["citation_id"]: source for source in self.only("sources")["sources"]}

    @property
    def plan(self) -> dict[str, Any]:
        return self.only("plan")

    @property
    def finish_reason(self) -> str:
        return str(self.only("done")["finish_reason"])

    @property
    def names(self) -> list[str]:
        return [event.event for event in self.events]

    @property
    def stages(self) -> list[str]:
        """Names of the stages that are over, in the order they ended."""
        ended = (event.json for event in self.events if event.event == "stage")
        return [stage["name"] for stage in ended if stage["state"] != "STARTED"]

    @property
    def degraded(self) -> list[str]:
        """Tiers, in order."""
        return [event.json["tier"] for event in self.events if event.event == "degraded"]

    def all(self, name: str) -> list[dict[str, Any]]:
        """The data of every event of this name."""
        return [event.json for event in self.events if event.event == name]

    def only(self, name: str) -> dict[str, Any]:
        """The data of the one event of this name. Raises AssertionError when there is none or several."""
        found = self.all(name)
        assert len(found) == 1, f"{len(found)} events {name!r} among {self.names}"
        return found[0]


def assert_whole(events: Sequence[SseEvent], after: int = 0) -> None:
    """The stream is what STR-1 promises: gapless numbers, ids that agree with them, one ending, at the end."""
    assert [event.id for event in events] == list(range(after + 1, after + len(events) + 1))
    assert [event.json["sequence"] for event in events] == [event.id for event in events]
    endings = [event.event for event in events if event.event in ("done", "error")]
    assert len(endings) == 1
    assert events[-1].event in ("done", "error")
    assert len({event.json["turn_id"] for event in events}) == 1
