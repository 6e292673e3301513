"""Stages of a run: an event when one begins and one when it ends, and a span around what lies between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from opentelemetry.trace import Tracer

from superagent_agent_executor.domain.events import Json, Stage, StageName, StageState
from superagent_common.errors import reason_of
from superagent_common.telemetry import fail


class RunningStage:
    """A stage that has begun; `end` it once, or leave its block. The span carries `superagent.stage`."""

    def __init__(
        self, name: StageName, tracer: Tracer, clock: Callable[[], int], attributes: Mapping[str, str] | None = None
    ) -> None:
        """`attributes` go to the span, beside the stage's name."""
        self._name = name
        self._at = clock()
        self._began = time.perf_counter()
        self._ended = False
        self.span = tracer.start_span(f"stage {name}", attributes={"superagent.stage": name, **(attributes or {})})

    @property
    def started(self) -> Stage:
        return Stage(self._name, "started", self._at)

    def end(self, detail: Mapping[str, Json], state: StageState = "completed") -> Stage:
        """The closing event."""
        self._ended = True
        self.span.end()
        duration = round((time.perf_counter() - self._began) * 1000, 3)
        return Stage(self._name, state, self._at, duration, detail)

    def broken(self, error: BaseException, detail: Mapping[str, Json]) -> Stage:
        """The closing event of a stage that an error ends."""
        fail(self.span, error)
        return self.end({**detail, "failure": reason_of(error)}, "failed")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """A span that nobody ended would be lost."""
        if self._ended:
            return
        if error is not None and not isinstance(error, (GeneratorExit, asyncio.CancelledError)):
            fail(self.span, error)
        self.span.end()
