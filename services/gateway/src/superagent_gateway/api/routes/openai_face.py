"""An OpenAI-compatible face on the same turns, so that existing chat clients work: /v1/chat/completions, /v1/models."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse, Response

from superagent_common.errors import NotFound
from superagent_common.identity import current_principal
from superagent_gateway.api.event_stream import EventStreams
from superagent_gateway.api.models.openai import ChatCompletionBody
from superagent_gateway.api.openai_answers import (
    Completion,
    CompletionStream,
    turn_error_body,
    turn_error_headers,
    turn_error_status,
)
from superagent_gateway.api.openai_requests import MODELS, completion_request
from superagent_gateway.api.persons import Door
from superagent_gateway.api.routes.common import IdempotencyKey
from superagent_gateway.api.turn_feed import follow_turn
from superagent_gateway.application.limits import EdgeLimits

COMPLETIONS = "/v1/chat/completions"


def openai_routes(orchestrator: Any, streams: EventStreams, limits: EdgeLimits, door: Door) -> APIRouter:
    """/v1/*; `orchestrator` is a stub of OrchestratorService."""
    router = APIRouter(dependencies=[Depends(door.person)], include_in_schema=False)

    @router.post(COMPLETIONS)
    async def complete(body: ChatCompletionBody, idempotency_key: IdempotencyKey = None) -> Response:
        """Answers, whole or streamed. The turn goes on when the client leaves, and is kept as every turn is."""
        request = completion_request(body, idempotency_key)
        await limits.chat(current_principal().user_id)
        started = await orchestrator.StartTurn(request)
        completion = Completion(body.model, started.turn_id, started.conversation_id)
        events = follow_turn(orchestrator, started.turn_id, 0, is_new=True)
        if body.stream:
            include_usage = body.stream_options is not None and body.stream_options.include_usage
            return streams.of(events, CompletionStream(completion, include_usage=include_usage))
        async with aclosing(events):
            async for event in events:
                completion.take(event)
        if completion.error:
            failed = completion.error
            return JSONResponse(turn_error_body(failed), turn_error_status(failed), turn_error_headers(failed))
        return JSONResponse(completion.whole())

    @router.get("/v1/models")
    async def models() -> Response:
        """The modes, as models."""
        return JSONResponse({"object": "list", "data": [_model(name) for name in MODELS]})

    @router.get("/v1/models/{name}")
    async def model(name: str) -> Response:
        """One of them."""
        if name not in MODELS:
            raise NotFound("model_not_found", f"There is no such model; there are {', '.join(MODELS)}.", param="model")
        return JSONResponse(_model(name))

    return router


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "super-agent"}
