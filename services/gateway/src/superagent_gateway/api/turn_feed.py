"""The events of a turn, followed across breaks of the connection to the orchestrator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Any

from superagent.orchestrator.v1 import events_pb2
from superagent.orchestrator.v1.orchestrator_pb2 import StreamTurnRequest
from superagent_common.errors import Internal, ServiceError, Unavailable

_BREAKS_UNKNOWN, _BREAKS = 5, 25
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.1, 2.0
_END_SECONDS = 1.0


async def follow_turn(
    orchestrator: Any,
    turn_id: str,
    after: int,
    *,
    is_new: bool = False,
    first_pause_seconds: float = _FIRST_PAUSE_SECONDS,
) -> AsyncGenerator[events_pb2.TurnEvent, None]:
    """Events behind number `after`, each once, up to `done` or `error`; nothing when the turn ended before.

    A stream that breaks is taken up again behind the last event, with growing pauses; any replica of the orchestrator
    has the rest. A turn that is known to be there, because it `is_new` or has been heard, gets 45 s of it: as long as
    another orchestrator may need to start and take the turn over. Else five tries. Raises what the last try failed with.
    """
    breaks, seen = 0, is_new
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
                    seen = True
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
        if breaks > (_BREAKS if seen else _BREAKS_UNKNOWN):
            raise broken
        await asyncio.sleep(min(first_pause_seconds * 2 ** (breaks - 1), _LONGEST_PAUSE_SECONDS))


async def _end(responses: AsyncIterator[Any]) -> None:
    """Waits for the stream's own end: leaving before it would look like a viewer who left."""
    with suppress(TimeoutError, ServiceError):
        async with asyncio.timeout(_END_SECONDS):
            await anext(responses, None)
