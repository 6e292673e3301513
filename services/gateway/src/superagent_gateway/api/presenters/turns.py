"""Records of turns and sums of usage as JSON."""

from __future__ import annotations

from typing import Any

from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2
from superagent.trace.v1 import trace_pb2 as pb
from superagent_gateway.api.presenters.events import degraded_json, error_json, sources_json, stage_json
from superagent_gateway.api.presenters.plan import plan_json
from superagent_gateway.api.presenters.values import MODES, TURN_STATES, time_or_none, without_empty


def turn_json(answer: pb.GetTurnResponse | orchestrator_pb2.GetPlanResponse) -> dict[str, Any]:
    """A whole turn. The orchestrator knows no spans."""
    turn = answer.turn
    data = turn_summary_json(turn)
    if turn.HasField("plan"):
        data["plan"] = plan_json(turn.plan)
    data["stages"] = [stage_json(stage) for stage in turn.stages]
    data |= sources_json(turn.sources)
    data["degraded"] = [degraded_json(tier) for tier in turn.degraded]
    data["spans"] = [_span(span) for span in answer.spans] if isinstance(answer, pb.GetTurnResponse) else []
    return data


def running_turn_json(turn: orchestrator_pb2.RunningTurn) -> dict[str, Any]:
    """A turn that runs."""
    return {
        "turn_id": turn.turn_id,
        "conversation_id": turn.conversation_id,
        "question": turn.question,
        "started_at": time_or_none(turn, "started_at"),
        "replaces_turn_id": turn.replaces_turn_id or None,
    }


def turn_summary_json(turn: events_pb2.TurnRecord) -> dict[str, Any]:
    """A turn in a list: without plan, stages, sources and spans. `mode` is UNSPECIFIED until there is a plan."""
    usage = turn.usage
    data: dict[str, Any] = {
        "turn_id": turn.turn_id,
        "conversation_id": turn.conversation_id,
        "user_id": turn.user_id,
        "state": TURN_STATES.get(turn.state, "UNSPECIFIED"),
        "mode": MODES.get(turn.plan.mode, "UNSPECIFIED"),
        "started_at": time_or_none(turn, "started_at"),
        "completed_at": time_or_none(turn, "completed_at"),
        "finish_reason": turn.finish_reason,
        "first_delta_ms": round(turn.first_delta_ms, 3),
        "usage": {
            "model": usage.model,
            "model_calls": usage.model_calls,
            "tool_calls": usage.tool_calls,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cost": usage.cost,
            **without_empty({"estimated": usage.estimated or None}),
        },
        "trace_id": turn.trace_id,
    }
    if turn.HasField("error"):
        data["error"] = error_json(turn.error)
    return data | without_empty({"replaces_turn_id": turn.replaces_turn_id, "replays_turn_id": turn.replays_turn_id})


def turn_plan_json(answer: orchestrator_pb2.GetPlanResponse) -> dict[str, Any]:
    """A turn's plan; without `plan` until it is made."""
    turn = answer.turn
    data: dict[str, Any] = {
        "turn_id": turn.turn_id,
        "conversation_id": turn.conversation_id,
        "state": TURN_STATES.get(turn.state, "UNSPECIFIED"),
    }
    if answer.HasField("plan"):
        data["plan"] = plan_json(answer.plan)
    return data


def usage_row_json(row: pb.UsageRow) -> dict[str, Any]:
    """A sum by day, person and model."""
    return {
        "day": row.day,
        "user_id": row.user_id,
        "model": row.model,
        "turns": row.turns,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "cost": row.cost,
    }


def _span(span: pb.Span) -> dict[str, Any]:
    attributes = span.attributes
    return {
        "span_id": span.span_id,
        "parent_span_id": span.parent_span_id,
        "service": span.service,
        "name": span.name,
        "kind": span.kind,
        "started_at": time_or_none(span, "started_at"),
        "duration_ms": round(span.duration_ms, 3),
        "failed": span.failed,
        "attributes": {key: attributes[key] for key in sorted(attributes)},
    }
