"""Contract messages ↔ domain, nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import grpc

from superagent.memory.v1 import memory_pb2 as pb
from superagent.memory.v1.memory_pb2_grpc import MemoryServiceServicer
from superagent.orchestrator.v1 import plan_pb2
from superagent_common.identity import current_principal
from superagent_common.rpc import Access
from superagent_memory.application import Folding, Memory, PersonMemory
from superagent_memory.messages import (
    KINDS,
    STRATEGIES,
    STRATEGY_NUMBERS,
    context_message,
    conversation_message,
    item_message,
    summary_message,
    turn_message,
    turn_of,
)

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


class MemoryApi(MemoryServiceServicer):  # type: ignore[misc]
    """`superagent.memory.v1.MemoryService`."""

    def __init__(self, memory: Memory, folding: Folding, person: PersonMemory) -> None:
        self._memory = memory
        self._folding = folding
        self._person = person

    async def LoadContext(
        self, request: pb.LoadContextRequest, context: grpc.aio.ServicerContext
    ) -> pb.LoadContextResponse:
        context_seen = await self._memory.load(
            current_principal().user_id,
            request.conversation_id,
            STRATEGIES.get(request.strategy),
            KINDS.get(request.kind, "chat"),
            request.without_turn_id,
        )
        return pb.LoadContextResponse(
            memory=context_message(context_seen), turns_total=context_seen.conversation.turns_total
        )

    async def AppendTurn(
        self, request: pb.AppendTurnRequest, context: grpc.aio.ServicerContext
    ) -> pb.AppendTurnResponse:
        await self._memory.append(
            current_principal().user_id, request.conversation_id, turn_of(request.turn), request.replaces_turn_id
        )
        return pb.AppendTurnResponse()

    async def CreateConversation(
        self, request: pb.CreateConversationRequest, context: grpc.aio.ServicerContext
    ) -> pb.CreateConversationResponse:
        made, long_term = await self._memory.create(
            current_principal().user_id,
            request.conversation_id,
            request.title,
            STRATEGIES.get(request.memory_strategy),
            request.first_question,
            listed=not request.unlisted,
        )
        memory = plan_pb2.PlanMemory(strategy=STRATEGY_NUMBERS[made.strategy], long_term=long_term)
        return pb.CreateConversationResponse(conversation=conversation_message(made), memory=memory)

    async def ListConversations(
        self, request: pb.ListConversationsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListConversationsResponse:
        rows, cursor = await self._memory.page(
            current_principal().user_id, "", request.page.limit, request.page.cursor, listed=not request.unlisted
        )
        return pb.ListConversationsResponse(conversations=map(conversation_message, rows), next_cursor=cursor)

    async def SearchConversations(
        self, request: pb.SearchConversationsRequest, context: grpc.aio.ServicerContext
    ) -> pb.SearchConversationsResponse:
        rows, cursor = await self._memory.page(
            current_principal().user_id,
            request.query,
            request.page.limit,
            request.page.cursor,
            listed=not request.unlisted,
        )
        return pb.SearchConversationsResponse(conversations=map(conversation_message, rows), next_cursor=cursor)

    async def GetConversation(
        self, request: pb.GetConversationRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetConversationResponse:
        conversation, summary, turns, cursor = await self._memory.get(
            current_principal().user_id, request.conversation_id, request.turns_page.limit, request.turns_page.cursor
        )
        return pb.GetConversationResponse(
            conversation=conversation_message(conversation),
            turns=map(turn_message, turns),
            next_cursor=cursor,
            summary=summary_message(summary),
        )

    async def UpdateConversation(
        self, request: pb.UpdateConversationRequest, context: grpc.aio.ServicerContext
    ) -> pb.UpdateConversationResponse:
        changed = await self._memory.update(
            current_principal().user_id,
            request.conversation_id,
            request.title if request.HasField("title") else None,
            STRATEGIES.get(request.memory_strategy),
        )
        return pb.UpdateConversationResponse(conversation=conversation_message(changed))

    async def DeleteConversation(
        self, request: pb.DeleteConversationRequest, context: grpc.aio.ServicerContext
    ) -> pb.DeleteConversationResponse:
        await self._memory.delete(current_principal().user_id, request.conversation_id)
        return pb.DeleteConversationResponse()

    async def CompressConversation(
        self, request: pb.CompressConversationRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.CompressConversationResponse]:
        told = self._folding.compress(current_principal().user_id, request.conversation_id, request.rebuild)
        async with aclosing(told) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    yield pb.CompressConversationResponse(delta=piece)
                else:
                    yield pb.CompressConversationResponse(summary=summary_message(piece))

    async def GetUserMemory(
        self, request: pb.GetUserMemoryRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetUserMemoryResponse:
        enabled, items = await self._person.get(current_principal().user_id)
        return pb.GetUserMemoryResponse(enabled=enabled, items=map(item_message, items))

    async def UpdateUserMemory(
        self, request: pb.UpdateUserMemoryRequest, context: grpc.aio.ServicerContext
    ) -> pb.UpdateUserMemoryResponse:
        wanted = request.enabled if request.HasField("enabled") else None
        enabled, items = await self._person.update(current_principal().user_id, wanted, request.add)
        return pb.UpdateUserMemoryResponse(enabled=enabled, items=map(item_message, items))

    async def DeleteUserMemory(
        self, request: pb.DeleteUserMemoryRequest, context: grpc.aio.ServicerContext
    ) -> pb.DeleteUserMemoryResponse:
        await self._person.forget(current_principal().user_id, request.item_id)
        return pb.DeleteUserMemoryResponse()
