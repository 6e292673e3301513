"""What is kept of conversations: their summaries, and the whole as a file."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.responses import StreamingResponse

from superagent.memory.v1 import memory_pb2 as pb
from superagent_common.errors import ServiceError
from superagent_common.identity import Identity, acting_as, current_identity, current_principal
from superagent_gateway.api.models.memory import (
    CompressBody,
    CompressDelta,
    ConversationMemoryAnswer,
    ExportFormat,
)
from superagent_gateway.api.persons import Door
from superagent_gateway.api.presenters.export import json_export, markdown_export
from superagent_gateway.api.presenters.memory import conversation_memory_json
from superagent_gateway.api.routes.common import PREFIX, page
from superagent_gateway.api.server_sent import SSE_HEADERS, SSE_TYPE, with_heartbeats
from superagent_gateway.application.limits import EdgeLimits

# A page must fit a message, and is what the gateway holds of an export at a time.
_PAGE = 50
_COMPRESS_SECONDS = 600.0
_MARKDOWN, _JSON = "text/markdown; charset=utf-8", "application/json"
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `delta` as the summary is written, then `summary` as it is kept, or `error`",
        "content": {
            SSE_TYPE: {
                "schema": {
                    "anyOf": [
                        {"$ref": f"#/components/schemas/{model.__name__}"}
                        for model in (CompressDelta, ConversationMemoryAnswer)
                    ]
                }
            }
        },
    }
}


def conversation_memory_routes(memory: Any, limits: EdgeLimits, door: Door) -> APIRouter:
    """/conversations/{id}/memory, /compress and /export; `memory` is a stub of MemoryService."""
    router = APIRouter(prefix=f"{PREFIX}/conversations", tags=["conversations"], dependencies=[Depends(door.person)])

    @router.get("/{conversation_id}/memory", response_model=ConversationMemoryAnswer)
    async def kept(conversation_id: str) -> dict[str, Any]:
        """What older turns of an own conversation were folded into."""
        return conversation_memory_json((await _page(memory, conversation_id, 1, "")).summary)

    @router.post("/{conversation_id}/compress", response_class=StreamingResponse, responses=_EVENTS)
    async def compress(conversation_id: str, body: CompressBody | None = None) -> StreamingResponse:
        """Folds all but the newest turns into the summary now. What is in `summary` counts, whatever `delta` said."""
        await limits.chat(current_principal().user_id)
        # Who has no such conversation is told so by a status, before the stream begins.
        await _page(memory, conversation_id, 1, "")
        request = pb.CompressConversationRequest(
            conversation_id=conversation_id, rebuild=body is not None and body.rebuild
        )
        frames = with_heartbeats(_compression(memory, request, current_identity()))
        return StreamingResponse(frames, media_type=SSE_TYPE, headers=SSE_HEADERS)

    @router.get(
        "/{conversation_id}/export",
        response_class=StreamingResponse,
        responses={200: {"content": {_MARKDOWN: {}, _JSON: {}}}},
    )
    async def export(conversation_id: str, format: ExportFormat = "markdown") -> StreamingResponse:
        """An own conversation as a file, read page by page while it is sent."""
        first = await _page(memory, conversation_id, _PAGE, "")
        pages = _pages(memory, conversation_id, first, current_identity())
        name = f"conversation-{first.conversation.conversation_id}"
        if format == "json":
            return _file(json_export(pages), _JSON, f"{name}.json")
        return _file(markdown_export(pages), _MARKDOWN, f"{name}.md")

    return router


def _file(lines: AsyncIterator[str], media_type: str, name: str) -> StreamingResponse:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(lines, media_type=media_type, headers=headers)


async def _page(memory: Any, conversation_id: str, limit: int, cursor: str) -> pb.GetConversationResponse:
    request = pb.GetConversationRequest(conversation_id=conversation_id, turns_page=page(limit, cursor))
    answer: pb.GetConversationResponse = await memory.GetConversation(request)
    return answer


async def _pages(
    memory: Any, conversation_id: str, first: pb.GetConversationResponse, identity: Identity
) -> AsyncIterator[pb.GetConversationResponse]:
    answer = first
    while True:
        yield answer
        if not answer.next_cursor:
            return
        with acting_as(identity):
            answer = await _page(memory, conversation_id, _PAGE, answer.next_cursor)


async def _compression(
    memory: Any, request: pb.CompressConversationRequest, identity: Identity
) -> AsyncGenerator[tuple[str, str], None]:
    try:
        with acting_as(identity):
            async with aclosing(memory.CompressConversation(request, timeout=_COMPRESS_SECONDS)) as pieces:
                async for told in pieces:
                    if told.WhichOneof("payload") == "delta":
                        yield "delta", json.dumps({"text": told.delta}, ensure_ascii=False)
                    else:
                        yield "summary", json.dumps(conversation_memory_json(told.summary), ensure_ascii=False)
    except ServiceError as error:
        yield "error", json.dumps({"reason": error.reason, "message": error.message}, ensure_ascii=False)
