"""Stages of a turn, as messages and as they are told while it runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.struct_pb2 import Struct

from superagent.orchestrator.v1 import events_pb2
from superagent_common.clock import timestamp
from superagent_common.errors import ServiceError
from superagent_common.telemetry import Telemetry
from superagent_orchestrator.application.live_turn import LiveTurn
from superagent_orchestrator.domain.planning.proposal import PlanDraft

_LONG_SECONDS = 0.15


def stage_message(
    name: str, state: events_pb2.StageState, at: int, spent_ms: float, detail: Mapping[str, Any]
) -> events_pb2.Stage:
    """A finished stage; `at` in microseconds since the epoch."""
    said = Struct()
    said.update(detail)
    return events_pb2.Stage(
        name=name, state=state, started_at=timestamp(at), duration_ms=round(spent_ms, 3), detail=said
    )


def rewrite_stage(draft: PlanDraft, at: int, spent_ms: float) -> events_pb2.Stage | None:
    """What became of the question's pronouns and ellipses; None for the fast path, that looks at none."""
    rewrite = next((step for step in draft.steps if step.name == "rewrite"), None)
    if rewrite is None:
        return None
    done = events_pb2.STAGE_STATE_COMPLETED if draft.rewrite.applied else events_pb2.STAGE_STATE_SKIPPED
    said = {"input": rewrite.input, "output": rewrite.output, "reason": rewrite.reason}
    return stage_message("rewrite", done, at, spent_ms, said)


@dataclass
class Said:
    """What a stage says of itself when it is over."""

    detail: dict[str, Any] = field(default_factory=dict)
    state: events_pb2.StageState = events_pb2.STAGE_STATE_COMPLETED


class Stages:
    """Tells the stages of running turns: an event, a place in the record, and a span for each."""

    def __init__(self, telemetry: Telemetry, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since the epoch."""
        self._telemetry = telemetry
        self._clock = clock

    def emit(self, turn: LiveTurn, stage: events_pb2.Stage) -> None:
        if stage.state != events_pb2.STAGE_STATE_STARTED:
            turn.record.stages.append(stage)
        turn.emit(stage=stage)

    @contextmanager
    def shown_when_long(self, turn: LiveTurn, name: str, at: int) -> Iterator[None]:
        """Tells that a stage has begun once it takes long enough for somebody to wonder."""
        begun = events_pb2.Stage(name=name, state=events_pb2.STAGE_STATE_STARTED, started_at=timestamp(at))
        timer = asyncio.get_running_loop().call_later(_LONG_SECONDS, self.emit, turn, begun)
        try:
            yield
        finally:
            timer.cancel()

    @contextmanager
    def told(self, turn: LiveTurn, name: str) -> Iterator[Said]:
        """A span, and one event when the stage is over; the block says how it went."""
        said = Said()
        at, began = self._clock(), time.perf_counter()
        state = events_pb2.STAGE_STATE_FAILED
        with self._telemetry.span(f"stage {name}", attributes={"superagent.stage": name}):
            try:
                yield said
                state = said.state
            except ServiceError as error:
                said.detail["error"] = error.reason
                raise
            finally:
                spent = (time.perf_counter() - began) * 1000
                self.emit(turn, stage_message(name, state, at, spent, said.detail))
