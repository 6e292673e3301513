"""The events of a turn, followed across breaks of the connection to the orchestrator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Any

from superagent.orchestrator.v1 import events_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import StreamTurnRequest
from superagent_common.errors import Internal, ServiceError, Unavailable

_BREAKS = 5
_FIRST_PAUSE_SECONDS = 0.1
_END_SECONDS = 1.0


async def follow_turn(
    orchestrator: Any, turn_id: str, after: int, first_pause_seconds: float = _FIRST_PAUSE_SECONDS
) -> AsyncGenerator[events_pb2.TurnEvent, None]:
    """Events behind number `after`, each once, up to `done` or `error`; nothing when the turn ended before.

    A stream that breaks is taken up again behind the last event, five times in a row with growing pauses; any replica
    of the orchestrator has the rest. Raises what the last try failed with.
    """
    breaks = seen = 0
    while True:
        broken: ServiceError = Unavailable("stream_ended", "The turn's stream ended before the turn did.")
        try:
            async with aclosing(
                orchestrator.StreamTurn(StreamTurnRequest(turn_id=turn_id, after_sequence=after))
            ) as responses:
                async for response in responses:
                    event = response.event
                    is_end = event.HasField("done") or event.HasField("error")
                    # The end has a lower number for a viewer that saw more than the log ever got.
                    if event.sequence <= after and not (is_end and event.sequence < after):
                        continue
                    after = event.sequence
                    seen += 1
                    breaks = 0
                    yield event
                    if is_end:
                        await _end(responses)
                        return
        except (Unavailable, Internal) as error:
            # A server that stops cancels its streams, which reads as INTERNAL; before the first event it is a fault.
            if isinstance(error, Internal) and not seen:
                raise
            broken = error
        else:
            if not seen:
                return
        breaks += 1
        if breaks > _BREAKS:
            raise broken
        await asyncio.sleep(first_pause_seconds * 2 ** (breaks - 1))


async def _end(responses: AsyncIterator[Any]) -> None:
    """Waits for the stream's own end: leaving before it would look like a viewer who left."""
    with suppress(TimeoutError, ServiceError):
        async with asyncio.timeout(_END_SECONDS):
            await anext(responses, None)
