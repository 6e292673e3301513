"""What consumers of events have given up, for administrators: /admin/dead-letters."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from fastapi import APIRouter, Depends, Response
from fastapi.responses import StreamingResponse

from superagent.common.v1 import common_pb2 as pb
from superagent_common.identity import Identity, acting_as, current_identity
from superagent_common.paging import DEFAULT_LIMIT, MAX_LIMIT
from superagent_gateway.api.models.dead_letters import Consumer, DeadLettersAnswer
from superagent_gateway.api.persons import Door
from superagent_gateway.api.presenters.dead_letters import dead_letter_json
from superagent_gateway.api.routes.common import PREFIX, Cursor, Limit, page

_NDJSON = "application/x-ndjson"


def dead_letter_routes(consumers: Mapping[Consumer, Any], door: Door) -> APIRouter:
    """`consumers` are stubs of DeadLetterService by the service that serves it."""
    router = APIRouter(
        prefix=f"{PREFIX}/admin/dead-letters", tags=["admin"], dependencies=[Depends(door.administrator)]
    )

    @router.get("", response_model=DeadLettersAnswer)
    async def dead_letters(service: Consumer, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = "") -> dict[str, Any]:
        """What a service has given up, newest first: events, and at ingestion also documents after five tries."""
        answer = await consumers[service].ListDeadLetters(pb.ListDeadLettersRequest(page=page(limit, cursor)))
        return {
            "dead_letters": [dead_letter_json(service, letter) for letter in answer.dead_letters],
            "next_cursor": answer.next_cursor or None,
        }

    @router.get("/export", response_class=StreamingResponse, responses={200: {"content": {_NDJSON: {}}}})
    async def export(service: Consumer | None = None) -> StreamingResponse:
        """All of a service, or of all services, one JSON object a line."""
        lines = _lines({service: consumers[service]} if service else consumers, current_identity())
        # Whoever does not answer at all is said with a status, before the first line is sent.
        first = await anext(lines, b"")

        async def body() -> AsyncIterator[bytes]:
            yield first
            async for line in lines:
                yield line

        return StreamingResponse(body(), media_type=_NDJSON)

    @router.post("/{service}/{event_id}/redeliver", status_code=204)
    async def redeliver(service: Consumer, event_id: str) -> Response:
        """Hands it to its service again; it is gone from here when that succeeds. A document begins with all its tries."""
        await consumers[service].RedeliverDeadLetter(pb.RedeliverDeadLetterRequest(event_id=event_id))
        return Response(status_code=204)

    @router.delete("/{service}/{event_id}", status_code=204)
    async def discard(service: Consumer, event_id: str) -> Response:
        """Forgets it for good; a document stays FAILED."""
        await consumers[service].DiscardDeadLetter(pb.DiscardDeadLetterRequest(event_id=event_id))
        return Response(status_code=204)

    return router


async def _lines(consumers: Mapping[Consumer, Any], identity: Identity) -> AsyncIterator[bytes]:
    for service, stub in consumers.items():
        cursor = ""
        while True:
            request = pb.ListDeadLettersRequest(page=page(MAX_LIMIT, cursor))
            with acting_as(identity):
                answer = await stub.ListDeadLetters(request)
            for letter in answer.dead_letters:
                yield json.dumps(dead_letter_json(service, letter), ensure_ascii=False).encode() + b"\n"
            if not (cursor := answer.next_cursor):
                break
