"""Contract messages ↔ use cases, nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import grpc

from superagent.orchestrator.v1 import orchestrator_pb2 as pb
from superagent.orchestrator.v1.orchestrator_pb2_grpc import OrchestratorServiceServicer
from superagent_common.clock import timestamp
from superagent_common.rpc import Access
from superagent_orchestrator.application import Turns

_SERVICE = "/superagent.orchestrator.v1.OrchestratorService/"
ACCESS: dict[str, Access] = {
    _SERVICE + method: "user"
    for method in (
        "StartTurn",
        "StreamTurn",
        "CancelTurn",
        "RegenerateTurn",
        "ResumeTurn",
        "PreviewPlan",
        "GetPlan",
        "ListRunningTurns",
        "ReplayPlan",
    )
}


class OrchestratorApi(OrchestratorServiceServicer):  # type: ignore[misc]
    """`superagent.orchestrator.v1.OrchestratorService`; resuming is not served yet."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    async def StartTurn(self, request: pb.StartTurnRequest, context: grpc.aio.ServicerContext) -> pb.StartTurnResponse:
        turn = await self._turns.start(request)
        return pb.StartTurnResponse(turn_id=turn.turn_id, conversation_id=turn.conversation_id)

    async def StreamTurn(
        self, request: pb.StreamTurnRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.StreamTurnResponse]:
        async with aclosing(self._turns.stream(request.turn_id, request.after_sequence)) as events:
            async for event in events:
                yield pb.StreamTurnResponse(event=event)

    async def CancelTurn(
        self, request: pb.CancelTurnRequest, context: grpc.aio.ServicerContext
    ) -> pb.CancelTurnResponse:
        await self._turns.cancel(request.turn_id)
        return pb.CancelTurnResponse()

    async def RegenerateTurn(
        self, request: pb.RegenerateTurnRequest, context: grpc.aio.ServicerContext
    ) -> pb.RegenerateTurnResponse:
        turn = await self._turns.regenerate(request)
        return pb.RegenerateTurnResponse(turn_id=turn.turn_id, conversation_id=turn.conversation_id)

    async def ReplayPlan(
        self, request: pb.ReplayPlanRequest, context: grpc.aio.ServicerContext
    ) -> pb.ReplayPlanResponse:
        turn = await self._turns.replay(request.turn_id, request.idempotency_key)
        return pb.ReplayPlanResponse(turn_id=turn.turn_id, conversation_id=turn.conversation_id)

    async def PreviewPlan(
        self, request: pb.PreviewPlanRequest, context: grpc.aio.ServicerContext
    ) -> pb.PreviewPlanResponse:
        plan, stages = await self._turns.preview(request.turn)
        return pb.PreviewPlanResponse(plan=plan, stages=stages)

    async def GetPlan(self, request: pb.GetPlanRequest, context: grpc.aio.ServicerContext) -> pb.GetPlanResponse:
        record = await self._turns.record(request.turn_id)
        return pb.GetPlanResponse(plan=record.plan if record.HasField("plan") else None, turn=record)

    async def ListRunningTurns(
        self, request: pb.ListRunningTurnsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListRunningTurnsResponse:
        return pb.ListRunningTurnsResponse(
            turns=[
                pb.RunningTurn(
                    turn_id=turn.turn_id,
                    conversation_id=turn.conversation_id,
                    question=turn.request.message,
                    started_at=timestamp(turn.started_at),
                    replaces_turn_id=turn.replaces_turn_id,
                )
                for turn in await self._turns.running_turns(request.conversation_id)
            ]
        )
