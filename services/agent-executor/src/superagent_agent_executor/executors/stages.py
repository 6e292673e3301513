"""Stages of a run: an event when one begins and one when it ends, and a span around what lies between."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from opentelemetry.trace import Tracer

from superagent_agent_executor.domain.events import Json, Stage, StageName, StageState


class RunningStage:
    """A stage that has begun; `end` it once. The span carries `superagent.stage`."""

    def __init__(
        self, name: StageName, tracer: Tracer, clock: Callable[[], int], attributes: Mapping[str, str] | None = None
    ) -> None:
        """`attributes` go to the span, beside the stage's name."""
        self._name = name
        self._at = clock()
        self._began = time.perf_counter()
        self.span = tracer.start_span(f"stage {name}", attributes={"superagent.stage": name, **(attributes or {})})

    @property
    def started(self) -> Stage:
        return Stage(self._name, "started", self._at)

    def end(self, detail: Mapping[str, Json], state: StageState = "completed") -> Stage:
        """The closing event."""
        self.span.end()
        duration = round((time.perf_counter() - self._began) * 1000, 3)
        return Stage(self._name, state, self._at, duration, detail)
