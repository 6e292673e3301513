"""Asking and watching: /chat, /turns, /traces, /usage."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response

from superagent.orchestrator.v1 import orchestrator_pb2
from superagent.trace.v1 import trace_pb2
from superagent_common.errors import NotFound, Timeout, Unavailable, Unimplemented
from superagent_common.identity import current_principal
from superagent_common.ids import new_id
from superagent_common.paging import DEFAULT_LIMIT
from superagent_gateway.api.event_stream import EventStreams
from superagent_gateway.api.models.events import TurnEvent
from superagent_gateway.api.models.turns import (
    ChatBody,
    PlanPreviewAnswer,
    RegenerateBody,
    RunningTurnsAnswer,
    TurnAnswer,
    TurnPlanAnswer,
    TurnsAnswer,
    UsageAnswer,
)
from superagent_gateway.api.persons import Door
from superagent_gateway.api.presenters.events import stage_json
from superagent_gateway.api.presenters.plan import plan_json
from superagent_gateway.api.presenters.turns import (
    running_turn_json,
    turn_json,
    turn_plan_json,
    turn_summary_json,
    usage_row_json,
)
from superagent_gateway.api.routes.common import PREFIX, Cursor, IdempotencyKey, Limit, page
from superagent_gateway.api.turn_feed import follow_turn
from superagent_gateway.api.turn_requests import start_request
from superagent_gateway.application.limits import EdgeLimits

_LAST = 2**63 - 1
_DAY = r"^\d{4}-\d{2}-\d{2}$"
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; `id` is the sequence, `event` the name, `data` as described",
        "content": {"text/event-stream": {"schema": {"$ref": f"#/components/schemas/{TurnEvent.__name__}"}}},
    }
}

Day = Annotated[str, Query(pattern=_DAY, description="UTC day, for example 2026-01-31")]


def turn_routes(orchestrator: Any, streams: EventStreams, limits: EdgeLimits, door: Door) -> APIRouter:
    """/chat, /turns/* and /plans/preview; `orchestrator` is a stub of OrchestratorService."""
    router = APIRouter(prefix=PREFIX, tags=["chat"], dependencies=[Depends(door.person)])

    @router.post("/chat", responses=_STREAM, response_class=Response)
    async def chat(body: ChatBody, idempotency_key: IdempotencyKey = None) -> Response:
        """Asks, and streams the new turn. The turn goes on when the stream is left; take it up again at /turns."""
        await limits.chat(current_principal().user_id)
        started = await orchestrator.StartTurn(start_request(body, idempotency_key))
        return streams.of_new_turn(started.turn_id, follow_turn(orchestrator, started.turn_id, 0, is_new=True))

    @router.post("/plans/preview", response_model=PlanPreviewAnswer, response_model_exclude_unset=True)
    async def preview(body: ChatBody) -> dict[str, Any]:
        """The plan that /chat would execute, and how it came about; nothing is stored or executed."""
        await limits.chat(current_principal().user_id)
        made = await orchestrator.PreviewPlan(orchestrator_pb2.PreviewPlanRequest(turn=start_request(body, None)))
        return {"plan": plan_json(made.plan), "stages": [stage_json(stage) for stage in made.stages]}

    @router.get("/turns/running", response_model=RunningTurnsAnswer)
    async def running(conversation_id: Annotated[str, Query(max_length=200)] = "") -> dict[str, Any]:
        """Own turns that run now: where a page that was loaded again goes on watching."""
        answer = await orchestrator.ListRunningTurns(
            orchestrator_pb2.ListRunningTurnsRequest(conversation_id=conversation_id)
        )
        return {"turns": [running_turn_json(turn) for turn in answer.turns]}

    @router.get(
        "/turns/{turn_id}/events",
        response_class=Response,
        responses={**_STREAM, 204: {"description": "The turn is over and has no events behind this number"}},
    )
    async def events(
        turn_id: str,
        last_event_id: Annotated[int | None, Header(ge=0, le=_LAST)] = None,
        after: Annotated[int, Query(ge=0, le=_LAST, description="as Last-Event-ID, which comes first")] = 0,
    ) -> Response:
        """Streams a turn's events behind a number."""
        number = after if last_event_id is None else last_event_id
        return await streams.behind_first(turn_id, number, follow_turn(orchestrator, turn_id, number))

    @router.get("/turns/{turn_id}/plan", response_model=TurnPlanAnswer, response_model_exclude_unset=True)
    async def plan(turn_id: str) -> dict[str, Any]:
        """A turn's plan, as soon as it is made."""
        answer = await orchestrator.GetPlan(orchestrator_pb2.GetPlanRequest(turn_id=turn_id))
        return turn_plan_json(answer)

    @router.post("/turns/{turn_id}/regenerate", responses=_STREAM, response_class=Response)
    async def regenerate(
        turn_id: str, body: RegenerateBody | None = None, idempotency_key: IdempotencyKey = None
    ) -> Response:
        """Answers the last turn of a conversation again, or another question in its place; streams the new turn.

        The new answer takes the old one's place once it has said something.
        """
        await limits.chat(current_principal().user_id)
        started = await orchestrator.RegenerateTurn(
            orchestrator_pb2.RegenerateTurnRequest(
                turn_id=turn_id, message=body.message if body else "", idempotency_key=idempotency_key or new_id()
            )
        )
        return streams.of_new_turn(started.turn_id, follow_turn(orchestrator, started.turn_id, 0, is_new=True))

    @router.post("/turns/{turn_id}/replay", responses=_STREAM, response_class=Response)
    async def replay(turn_id: str, idempotency_key: IdempotencyKey = None) -> Response:
        """Executes a turn's plan again as a new turn of its conversation, and streams that."""
        await limits.chat(current_principal().user_id)
        started = await orchestrator.ReplayPlan(
            orchestrator_pb2.ReplayPlanRequest(turn_id=turn_id, idempotency_key=idempotency_key or new_id())
        )
        return streams.of_new_turn(started.turn_id, follow_turn(orchestrator, started.turn_id, 0, is_new=True))

    @router.post("/turns/{turn_id}/cancel", status_code=204)
    async def cancel(turn_id: str) -> Response:
        """Stops a turn; what was said is kept. Cancelling twice is no error."""
        await orchestrator.CancelTurn(orchestrator_pb2.CancelTurnRequest(turn_id=turn_id))
        return Response(status_code=204)

    return router


def trace_routes(trace: Any, orchestrator: Any, door: Door) -> APIRouter:
    """/traces/* and /usage; stubs of TraceService and OrchestratorService."""
    router = APIRouter(prefix=PREFIX, tags=["traces"], dependencies=[Depends(door.person)])

    @router.get("/traces/turns", response_model=TurnsAnswer, response_model_exclude_unset=True)
    async def turns(
        conversation_id: Annotated[str, Query(max_length=200)] = "",
        limit: Limit = DEFAULT_LIMIT,
        cursor: Cursor = "",
    ) -> dict[str, Any]:
        """Turns, newest first; administrators see everybody's."""
        answer = await trace.ListTurns(
            trace_pb2.ListTurnsRequest(page=page(limit, cursor), conversation_id=conversation_id)
        )
        return {
            "turns": [turn_summary_json(turn) for turn in answer.turns],
            "next_cursor": answer.next_cursor or None,
        }

    @router.get("/traces/turns/{turn_id}", response_model=TurnAnswer, response_model_exclude_unset=True)
    async def turn(turn_id: str) -> dict[str, Any]:
        """One turn: its plan, stages, usage and spans."""
        try:
            return turn_json(await trace.GetTurn(trace_pb2.GetTurnRequest(turn_id=turn_id)))
        except (NotFound, Unavailable, Timeout, Unimplemented):
            # The record reaches trace a moment after the turn's end; the orchestrator has it from the start.
            return turn_json(await orchestrator.GetPlan(orchestrator_pb2.GetPlanRequest(turn_id=turn_id)))

    @router.get("/usage", response_model=UsageAnswer)
    async def usage(from_day: Day = "", to_day: Day = "") -> dict[str, Any]:
        """Tokens and cost by day, person and model; the last 30 days unless days are given."""
        answer = await trace.GetUsage(trace_pb2.GetUsageRequest(from_day=from_day, to_day=to_day))
        return {"rows": [usage_row_json(row) for row in answer.rows]}

    return router
