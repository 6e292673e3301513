"""`superagent.common.v1.DeadLetterService`, for administrators."""

from __future__ import annotations

import grpc

from superagent.common.v1 import common_pb2 as pb
from superagent.common.v1.common_pb2_grpc import DeadLetterServiceServicer
from superagent_common.bus.dead_letters import DeadLetter, DeadLetters
from superagent_common.clock import timestamp
from superagent_common.identity import current_principal
from superagent_common.paging import decode_cursor, encode_cursor, page_limit
from superagent_common.rpc import Access

_SERVICE = "/superagent.common.v1.DeadLetterService/"
DEAD_LETTER_ACCESS: dict[str, Access] = {
    _SERVICE + "ListDeadLetters": "user",
    _SERVICE + "RedeliverDeadLetter": "user",
    _SERVICE + "DiscardDeadLetter": "user",
}


class DeadLetterApi(DeadLetterServiceServicer):  # type: ignore[misc]
    """Served beside a consumer's own service."""

    def __init__(self, dead_letters: DeadLetters) -> None:
        self._dead_letters = dead_letters

    async def ListDeadLetters(
        self, request: pb.ListDeadLettersRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListDeadLettersResponse:
        current_principal().check_administrator()
        limit = page_limit(request.page.limit)
        found = await self._dead_letters.list(decode_cursor(request.page.cursor), limit + 1)
        page = found[:limit]
        return pb.ListDeadLettersResponse(
            dead_letters=[_message(letter) for letter in page],
            next_cursor=encode_cursor(page[-1].failed_at, page[-1].event_id) if len(found) > limit else "",
        )

    async def RedeliverDeadLetter(
        self, request: pb.RedeliverDeadLetterRequest, context: grpc.aio.ServicerContext
    ) -> pb.RedeliverDeadLetterResponse:
        current_principal().check_administrator()
        await self._dead_letters.redeliver(request.event_id)
        return pb.RedeliverDeadLetterResponse()

    async def DiscardDeadLetter(
        self, request: pb.DiscardDeadLetterRequest, context: grpc.aio.ServicerContext
    ) -> pb.DiscardDeadLetterResponse:
        current_principal().check_administrator()
        await self._dead_letters.discard(request.event_id)
        return pb.DiscardDeadLetterResponse()


def _message(letter: DeadLetter) -> pb.DeadLetter:
    return pb.DeadLetter(
        event_id=letter.event_id,
        topic=letter.topic,
        key=letter.key,
        payload=letter.payload,
        reason=letter.reason,
        attempts=letter.attempts,
        failed_at=timestamp(letter.failed_at),
    )
