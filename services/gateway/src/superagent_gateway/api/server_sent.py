"""Server-sent events of something that ends by itself and is not taken up again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from superagent_common.tasks import end

SSE_TYPE = "text/event-stream"
SSE_HEADERS = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}
_HEARTBEAT_SECONDS = 15.0

Event = tuple[str, str]
"""Name, and data on one line."""


async def with_heartbeats(
    events: AsyncGenerator[Event, None], seconds: float = _HEARTBEAT_SECONDS
) -> AsyncIterator[str]:
    """Frames of events, and a comment whenever there was none for `seconds`."""
    waiting: asyncio.Queue[Event | None] = asyncio.Queue(maxsize=1)

    async def follow() -> None:
        # One task from the first to the last: whoever it acts for is part of its context.
        async with aclosing(events):
            async for event in events:
                await waiting.put(event)
        await waiting.put(None)

    following = asyncio.create_task(follow())
    try:
        while True:
            try:
                event = await asyncio.wait_for(waiting.get(), seconds)
            except TimeoutError:
                if following.done():
                    # It failed, which is no event: the stream breaks off.
                    following.result()
                yield ": heartbeat\n\n"
                continue
            if event is None:
                return
            yield f"event: {event[0]}\ndata: {event[1]}\n\n"
    finally:
        await end(following)
