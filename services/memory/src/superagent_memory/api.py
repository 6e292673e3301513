"""Contract messages ↔ domain, nothing else."""

from __future__ import annotations

import grpc

from superagent.memory.v1 import memory_pb2 as pb
from superagent.memory.v1.memory_pb2_grpc import MemoryServiceServicer
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.clock import timestamp
from superagent_common.identity import current_principal
from superagent_common.rpc import Access
from superagent_memory.application import Memory
from superagent_memory.domain import Conversation, Kind, Strategy, Turn

_SERVICE = "/superagent.memory.v1.MemoryService/"
ACCESS: dict[str, Access] = {
    _SERVICE + "LoadContext": "service",
    _SERVICE + "AppendTurn": "service",
    _SERVICE + "CreateConversation": "user",
    _SERVICE + "ListConversations": "user",
    _SERVICE + "GetConversation": "user",
    _SERVICE + "UpdateConversation": "user",
    _SERVICE + "DeleteConversation": "user",
    _SERVICE + "SearchConversations": "user",
    _SERVICE + "CompressConversation": "user",
    _SERVICE + "GetUserMemory": "user",
    _SERVICE + "UpdateUserMemory": "user",
    _SERVICE + "DeleteUserMemory": "user",
}

_STRATEGIES: dict[int, Strategy] = {
    plan_pb2.MEMORY_STRATEGY_NONE: "none",
    plan_pb2.MEMORY_STRATEGY_SLIDING_WINDOW: "sliding_window",
    plan_pb2.MEMORY_STRATEGY_SUMMARY: "summary",
}
_STRATEGY_NUMBERS = {name: number for number, name in _STRATEGIES.items()}
_KINDS: dict[int, Kind] = {
    pb.CONTEXT_KIND_CHAT: "chat",
    pb.CONTEXT_KIND_TOOL: "tool",
    pb.CONTEXT_KIND_ADMIN_TOOL: "admin_tool",
}
_KIND_NUMBERS = {name: number for number, name in _KINDS.items()}


class MemoryApi(MemoryServiceServicer):  # type: ignore[misc]
    """`superagent.memory.v1.MemoryService`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def LoadContext(
        self, request: pb.LoadContextRequest, context: grpc.aio.ServicerContext
    ) -> pb.LoadContextResponse:
        conversation, strategy, turns = await self._memory.load(
            current_principal().user_id, request.conversation_id, _STRATEGIES.get(request.strategy)
        )
        memory = plan_pb2.PlanMemory(
            strategy=_STRATEGY_NUMBERS[strategy],
            recent_turns=[
                plan_pb2.PastTurn(turn_id=turn.turn_id, question=turn.question, answer=turn.answer) for turn in turns
            ],
        )
        return pb.LoadContextResponse(memory=memory, turns_total=conversation.turns_total)

    async def AppendTurn(
        self, request: pb.AppendTurnRequest, context: grpc.aio.ServicerContext
    ) -> pb.AppendTurnResponse:
        await self._memory.append(current_principal().user_id, request.conversation_id, _turn(request.turn))
        return pb.AppendTurnResponse()

    async def CreateConversation(
        self, request: pb.CreateConversationRequest, context: grpc.aio.ServicerContext
    ) -> pb.CreateConversationResponse:
        made = await self._memory.create(
            current_principal().user_id,
            request.conversation_id,
            request.title,
            _STRATEGIES.get(request.memory_strategy),
        )
        return pb.CreateConversationResponse(conversation=_conversation_message(made))

    async def ListConversations(
        self, request: pb.ListConversationsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListConversationsResponse:
        rows, cursor = await self._memory.page(current_principal().user_id, "", request.page.limit, request.page.cursor)
        return pb.ListConversationsResponse(conversations=map(_conversation_message, rows), next_cursor=cursor)

    async def SearchConversations(
        self, request: pb.SearchConversationsRequest, context: grpc.aio.ServicerContext
    ) -> pb.SearchConversationsResponse:
        rows, cursor = await self._memory.page(
            current_principal().user_id, request.query, request.page.limit, request.page.cursor
        )
        return pb.SearchConversationsResponse(conversations=map(_conversation_message, rows), next_cursor=cursor)

    async def GetConversation(
        self, request: pb.GetConversationRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetConversationResponse:
        conversation, turns, cursor = await self._memory.get(
            current_principal().user_id, request.conversation_id, request.turns_page.limit, request.turns_page.cursor
        )
        return pb.GetConversationResponse(
            conversation=_conversation_message(conversation), turns=map(_turn_message, turns), next_cursor=cursor
        )

    async def UpdateConversation(
        self, request: pb.UpdateConversationRequest, context: grpc.aio.ServicerContext
    ) -> pb.UpdateConversationResponse:
        changed = await self._memory.update(
            current_principal().user_id,
            request.conversation_id,
            request.title if request.HasField("title") else None,
            _STRATEGIES.get(request.memory_strategy),
        )
        return pb.UpdateConversationResponse(conversation=_conversation_message(changed))

    async def DeleteConversation(
        self, request: pb.DeleteConversationRequest, context: grpc.aio.ServicerContext
    ) -> pb.DeleteConversationResponse:
        await self._memory.delete(current_principal().user_id, request.conversation_id)
        return pb.DeleteConversationResponse()


def _turn(message: pb.StoredTurn) -> Turn:
    return Turn(
        turn_id=message.turn_id,
        question=message.question,
        answer=message.answer,
        state=events_pb2.TurnState.Name(message.state),
        mode=plan_pb2.Mode.Name(message.mode),
        finish_reason=message.finish_reason,
        kind=_KINDS.get(message.kind, "chat"),
        asked_at=message.asked_at.ToMicroseconds(),
        stored_at=0,
        sources=message.sources.SerializeToString(),
        clarify=message.clarify.SerializeToString(),
    )


def _turn_message(turn: Turn) -> pb.StoredTurn:
    return pb.StoredTurn(
        turn_id=turn.turn_id,
        question=turn.question,
        answer=turn.answer,
        sources=events_pb2.Sources.FromString(turn.sources) if turn.sources else None,
        state=events_pb2.TurnState.Value(turn.state),
        mode=plan_pb2.Mode.Value(turn.mode),
        finish_reason=turn.finish_reason,
        asked_at=timestamp(turn.asked_at),
        stored_at=timestamp(turn.stored_at),
        kind=_KIND_NUMBERS[turn.kind],
        clarify=events_pb2.Clarify.FromString(turn.clarify) if turn.clarify else None,
    )


def _conversation_message(conversation: Conversation) -> pb.Conversation:
    return pb.Conversation(
        conversation_id=conversation.conversation_id,
        title=conversation.title,
        memory_strategy=_STRATEGY_NUMBERS[conversation.strategy],
        created_at=timestamp(conversation.created_at),
        updated_at=timestamp(conversation.updated_at),
        turns_total=conversation.turns_total,
    )
