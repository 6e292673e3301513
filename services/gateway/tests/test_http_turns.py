"""Asking again, replaying and looking at plans over HTTP."""

from __future__ import annotations

import pytest

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN, a_turn
from services.gateway.tests.gateway_rig import AT, Rig, frames
from services.gateway.tests.test_http_problems import assert_problem
from services.gateway.tests.test_presenters import PLAN
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import (
    GetPlanRequest,
    GetPlanResponse,
    PreviewPlanRequest,
    PreviewPlanResponse,
    RegenerateTurnRequest,
    RegenerateTurnResponse,
    ReplayPlanRequest,
    ReplayPlanResponse,
    StartTurnRequest,
)
from superagent_common.errors import Conflict, NotFound, ServiceError

OLD = "01990000-0000-7000-8000-0000000000bb"
NAMES = ["accepted", "delta", "done"]


@pytest.fixture
def answering(rig: Rig) -> Rig:
    """Both ways of asking again give the turn TURN."""
    rig.orchestrator.events[TURN] = a_turn("again")
    rig.orchestrator.answers["RegenerateTurn"] = RegenerateTurnResponse(turn_id=TURN, conversation_id=CONVERSATION)
    rig.orchestrator.answers["ReplayPlan"] = ReplayPlanResponse(turn_id=TURN, conversation_id=CONVERSATION)
    return rig


@pytest.mark.parametrize(
    ("body", "message"), [(None, ""), ({}, ""), ({"message": ""}, ""), ({"message": "And?"}, "And?")]
)
async def test_asking_again_streams_the_new_turn(answering: Rig, body: dict[str, str] | None, message: str) -> None:
    headers = {**answering.as_(), "idempotency-key": "once"}
    answer = await answering.http.post(f"/api/v1/turns/{OLD}/regenerate", json=body, headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert [name for name, _, _ in frames(answer.text)] == NAMES
    assert answering.orchestrator.requests[0] == RegenerateTurnRequest(
        turn_id=OLD, message=message, idempotency_key="once"
    )


async def test_a_replay_streams_the_new_turn(answering: Rig) -> None:
    answer = await answering.http.post(f"/api/v1/turns/{OLD}/replay", headers=answering.as_())
    assert [name for name, _, _ in frames(answer.text)] == NAMES
    (request,) = (asked for asked in answering.orchestrator.requests if isinstance(asked, ReplayPlanRequest))
    assert request.turn_id == OLD and request.idempotency_key, "repeated after a lost answer it must not ask twice"


@pytest.mark.parametrize("path", ["regenerate", "replay"])
@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        (NotFound("unknown_turn", "There is no such turn."), 404),
        (Conflict("not_the_last_turn", "Only the last one.", turn_id=TURN), 409),
        (Conflict("conversation_busy", "It runs.", turn_id=TURN), 409),
        (Conflict("unsupported_plan_version", "Too old.", version="0"), 409),
    ],
)
async def test_a_refusal_is_a_problem_and_no_stream(
    answering: Rig, path: str, refusal: ServiceError, status: int
) -> None:
    answering.orchestrator.answers |= {"RegenerateTurn": refusal, "ReplayPlan": refusal}
    answer = await answering.http.post(f"/api/v1/turns/{OLD}/{path}", headers=answering.as_())
    problem = assert_problem(answer, status, refusal.reason)
    assert problem.items() >= refusal.metadata.items()


async def test_a_preview_gives_the_plan_and_how_it_came_about(rig: Rig) -> None:
    stage = events_pb2.Stage(name="plan", state=events_pb2.STAGE_STATE_COMPLETED, started_at=AT, duration_ms=1.5)
    rig.orchestrator.answers["PreviewPlan"] = PreviewPlanResponse(plan=PLAN, stages=[stage])
    body = {"message": "MinIO 怎么配置?", "conversation_id": CONVERSATION, "mode": "RAG_CHAT", "domains": ["ops"]}
    answer = (await rig.http.post("/api/v1/plans/preview", json=body, headers=rig.as_())).json()
    assert answer["plan"]["rewritten_question"] == "MinIO 怎么配置?"
    assert [(stage["name"], stage["state"]) for stage in answer["stages"]] == [("plan", "COMPLETED")]
    asked = StartTurnRequest(
        message="MinIO 怎么配置?", conversation_id=CONVERSATION, mode=plan_pb2.MODE_RAG_CHAT, domains=["ops"]
    )
    (request,) = rig.orchestrator.requests
    request.turn.ClearField("idempotency_key")
    assert request == PreviewPlanRequest(turn=asked)


async def test_a_turns_plan_is_there_once_it_is_made(rig: Rig) -> None:
    record = events_pb2.TurnRecord(turn_id=TURN, conversation_id=CONVERSATION, state=events_pb2.TURN_STATE_RUNNING)
    rig.orchestrator.answers["GetPlan"] = GetPlanResponse(turn=record)
    expected = {"turn_id": TURN, "conversation_id": CONVERSATION, "state": "RUNNING"}
    assert (await rig.http.get(f"/api/v1/turns/{TURN}/plan", headers=rig.as_())).json() == expected
    rig.orchestrator.answers["GetPlan"] = GetPlanResponse(plan=PLAN, turn=record)
    answer = (await rig.http.get(f"/api/v1/turns/{TURN}/plan", headers=rig.as_())).json()
    assert answer["plan"]["planner"]["kind"] == "RULES"
    assert rig.orchestrator.requests == [GetPlanRequest(turn_id=TURN)] * 2


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", f"turns/{TURN}/regenerate"),
        ("POST", f"turns/{TURN}/replay"),
        ("GET", f"turns/{TURN}/plan"),
        ("POST", "plans/preview"),
    ],
)
async def test_nobody_gets_in_without_a_token(rig: Rig, method: str, path: str) -> None:
    answer = await rig.http.request(method, f"/api/v1/{path}", json={"message": "hi"} if method == "POST" else None)
    assert answer.status_code == 401
    assert rig.orchestrator.requests == []
