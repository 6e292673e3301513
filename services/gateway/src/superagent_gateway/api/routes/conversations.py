"""Conversations: /conversations."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from superagent.memory.v1 import memory_pb2 as pb
from superagent_common.ids import new_id
from superagent_common.paging import DEFAULT_LIMIT
from superagent_gateway.api.models.conversations import (
    ConversationAnswer,
    ConversationChangeBody,
    ConversationsAnswer,
    NewConversationBody,
    StoredTurnsAnswer,
)
from superagent_gateway.api.persons import Door
from superagent_gateway.api.presenters.conversations import conversation_json, stored_turn_json
from superagent_gateway.api.presenters.values import STRATEGIES, numbers
from superagent_gateway.api.routes.common import PREFIX, Cursor, Limit, page

_STRATEGIES = numbers(STRATEGIES)


def conversation_routes(memory: Any, door: Door) -> APIRouter:
    """/conversations*; `memory` is a stub of MemoryService."""
    router = APIRouter(prefix=f"{PREFIX}/conversations", tags=["conversations"], dependencies=[Depends(door.person)])

    @router.get("", response_model=ConversationsAnswer)
    async def conversations(
        query: Annotated[str, Query(max_length=200, description="a text that title or messages hold")] = "",
        unlisted: Annotated[
            bool, Query(description="those that chat completions began, instead of all others")
        ] = False,
        limit: Limit = DEFAULT_LIMIT,
        cursor: Cursor = "",
    ) -> dict[str, Any]:
        """Own conversations, latest activity first."""
        wanted = page(limit, cursor)
        if query.strip():
            answer = await memory.SearchConversations(
                pb.SearchConversationsRequest(query=query, page=wanted, unlisted=unlisted)
            )
        else:
            answer = await memory.ListConversations(pb.ListConversationsRequest(page=wanted, unlisted=unlisted))
        return {
            "conversations": [conversation_json(conversation) for conversation in answer.conversations],
            "next_cursor": answer.next_cursor or None,
        }

    @router.post("", status_code=201, response_model=ConversationAnswer)
    async def create(body: NewConversationBody) -> dict[str, Any]:
        """Makes a conversation; making it again with the same id returns it."""
        answer = await memory.CreateConversation(
            pb.CreateConversationRequest(
                conversation_id=body.conversation_id or new_id(),
                title=body.title or "",
                memory_strategy=_STRATEGIES[body.memory_strategy or "UNSPECIFIED"],
            )
        )
        return conversation_json(answer.conversation)

    @router.get("/{conversation_id}", response_model=ConversationAnswer)
    async def conversation(conversation_id: str) -> dict[str, Any]:
        """An own conversation; its turns are read page by page."""
        answer = await memory.GetConversation(
            pb.GetConversationRequest(conversation_id=conversation_id, turns_page=page(1, ""))
        )
        return conversation_json(answer.conversation)

    @router.get("/{conversation_id}/turns", response_model=StoredTurnsAnswer, response_model_exclude_unset=True)
    async def turns(conversation_id: str, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = "") -> dict[str, Any]:
        """Turns of an own conversation, oldest first."""
        answer = await memory.GetConversation(
            pb.GetConversationRequest(conversation_id=conversation_id, turns_page=page(limit, cursor))
        )
        return {
            "turns": [stored_turn_json(turn) for turn in answer.turns],
            "next_cursor": answer.next_cursor or None,
        }

    @router.patch("/{conversation_id}", response_model=ConversationAnswer)
    async def change(conversation_id: str, body: ConversationChangeBody) -> dict[str, Any]:
        """Changes title or memory strategy."""
        answer = await memory.UpdateConversation(
            pb.UpdateConversationRequest(
                conversation_id=conversation_id,
                title=body.title,
                memory_strategy=_STRATEGIES[body.memory_strategy or "UNSPECIFIED"],
            )
        )
        return conversation_json(answer.conversation)

    @router.delete("/{conversation_id}", status_code=204)
    async def delete(conversation_id: str) -> Response:
        """Deletes a conversation and all it holds."""
        await memory.DeleteConversation(pb.DeleteConversationRequest(conversation_id=conversation_id))
        return Response(status_code=204)

    return router
