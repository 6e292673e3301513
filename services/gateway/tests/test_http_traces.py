"""Traces and usage over HTTP: the shapes that scripts rely on."""

from __future__ import annotations

import pytest

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN
from services.gateway.tests.gateway_rig import AT, AT_TEXT, Rig
from services.gateway.tests.test_http_problems import assert_problem
from services.gateway.tests.test_presenters import PLAN
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2
from superagent.trace.v1 import trace_pb2
from superagent_common.errors import NotFound, ServiceError, Unavailable, Unimplemented

RECORD = events_pb2.TurnRecord(
    turn_id=TURN,
    conversation_id=CONVERSATION,
    user_id="u",
    state=events_pb2.TURN_STATE_COMPLETED,
    plan=PLAN,
    stages=[events_pb2.Stage(name="plan", state=events_pb2.STAGE_STATE_COMPLETED, started_at=AT, duration_ms=1.5)],
    usage=events_pb2.Usage(model="m", input_tokens=10, output_tokens=5, cost=0.5, model_calls=1),
    trace_id="f" * 32,
    started_at=AT,
    completed_at=AT,
    finish_reason="stop",
    degraded=[events_pb2.Degraded(tier="text_only", reason="embedder_down")],
)


async def test_a_turns_trace(rig: Rig) -> None:
    span = trace_pb2.Span(span_id="s", service="memory", name="LoadContext", kind="server", started_at=AT)
    rig.trace.answers["GetTurn"] = trace_pb2.GetTurnResponse(turn=RECORD, spans=[span])
    answer = (await rig.http.get(f"/api/v1/traces/turns/{TURN}", headers=rig.as_())).json()
    plan = answer.pop("plan")
    assert (plan["mode"], plan["planner"]["kind"]) == ("RAG_CHAT", "RULES")
    assert answer == {
        "turn_id": TURN,
        "conversation_id": CONVERSATION,
        "user_id": "u",
        "state": "COMPLETED",
        "mode": "RAG_CHAT",
        "started_at": AT_TEXT,
        "completed_at": AT_TEXT,
        "finish_reason": "stop",
        "first_delta_ms": 0.0,
        "usage": {
            "model": "m",
            "model_calls": 1,
            "tool_calls": 0,
            "input_tokens": 10,
            "output_tokens": 5,
            "cost": 0.5,
        },
        "trace_id": "f" * 32,
        "stages": [{"name": "plan", "state": "COMPLETED", "started_at": AT_TEXT, "duration_ms": 1.5, "detail": {}}],
        "sources": [],
        "retrieval_mode": "UNSPECIFIED",
        "degraded": [{"tier": "text_only", "reason": "embedder_down"}],
        "spans": [
            {
                "span_id": "s",
                "parent_span_id": "",
                "service": "memory",
                "name": "LoadContext",
                "kind": "server",
                "started_at": AT_TEXT,
                "duration_ms": 0.0,
                "failed": False,
                "attributes": {},
            }
        ],
    }
    assert rig.orchestrator.requests == []


@pytest.mark.parametrize("missing", [NotFound("unknown_turn"), Unavailable("down"), Unimplemented("not_implemented")])
async def test_a_turn_that_trace_does_not_have_yet_comes_from_the_orchestrator(rig: Rig, missing: ServiceError) -> None:
    rig.trace.answers["GetTurn"] = missing
    rig.orchestrator.answers["GetPlan"] = orchestrator_pb2.GetPlanResponse(plan=PLAN, turn=RECORD)
    answer = (await rig.http.get(f"/api/v1/traces/turns/{TURN}", headers=rig.as_())).json()
    assert (answer["turn_id"], answer["usage"]["input_tokens"], answer["spans"]) == (TURN, 10, [])
    rig.orchestrator.answers["GetPlan"] = NotFound("unknown_turn", "There is no such turn.")
    assert_problem(await rig.http.get(f"/api/v1/traces/turns/{TURN}", headers=rig.as_()), 404, "unknown_turn")


async def test_turns_and_usage_in_lists(rig: Rig) -> None:
    failed = events_pb2.TurnRecord(
        turn_id=TURN,
        state=events_pb2.TURN_STATE_FAILED,
        error=events_pb2.TurnError(reason="interrupted", message="m", retryable=True),
    )
    row = trace_pb2.UsageRow(day="2026-01-31", user_id="u", model="m", turns=1, input_tokens=2, cost=0.5)
    rig.trace.answers = {
        "ListTurns": trace_pb2.ListTurnsResponse(turns=[failed], next_cursor="n"),
        "GetUsage": trace_pb2.GetUsageResponse(rows=[row]),
    }
    url = f"/api/v1/traces/turns?conversation_id={CONVERSATION}"
    answer = (await rig.http.get(url, headers=rig.as_())).json()
    assert (answer["next_cursor"], answer["turns"][0]["state"]) == ("n", "FAILED")
    assert answer["turns"][0]["error"] == {"reason": "interrupted", "message": "m", "retryable": True}
    assert rig.trace.requests[0].conversation_id == CONVERSATION
    usage = await rig.http.get("/api/v1/usage?from_day=2026-01-01", headers=rig.as_())
    assert usage.json() == {
        "rows": [
            {
                "day": "2026-01-31",
                "user_id": "u",
                "model": "m",
                "turns": 1,
                "input_tokens": 2,
                "output_tokens": 0,
                "cost": 0.5,
            }
        ]
    }
    assert_problem(await rig.http.get("/api/v1/usage?from_day=now", headers=rig.as_()), 400, "invalid_request")
