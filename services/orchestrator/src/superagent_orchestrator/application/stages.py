"""Stages of a turn as messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.struct_pb2 import Struct

from superagent.orchestrator.v1 import events_pb2
from superagent_common.clock import timestamp
from superagent_orchestrator.domain.planning.proposal import PlanDraft


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
