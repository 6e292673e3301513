"""Background tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

_AGAIN_SECONDS = 0.2


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancels tasks and returns when they have ended; what they raised is dropped.

    Cancels again until it works: a library may swallow a cancellation, as redis-py does while it connects.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=_AGAIN_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def running(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Runs coroutines beside the block and ends them with it."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        await end(*tasks)
