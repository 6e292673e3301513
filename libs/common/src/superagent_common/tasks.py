"""Background tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from superagent_common.errors import ServiceError
from superagent_common.logging import Logger

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


async def repeating(
    work: Callable[[], Awaitable[object]], seconds: float, log: Logger, failed: str, *, after_seconds: float = 0.0
) -> None:
    """Does `work` every `seconds` until cancelled, the first time `after_seconds`.

    Whatever it raises is logged as the event `failed`, and tried again the next time: nobody would miss a loop that a
    fault of a database ended.
    """
    await asyncio.sleep(after_seconds)
    while True:
        try:
            await work()
        except ServiceError as error:
            log.warning(failed, reason=error.reason)
        except Exception as error:
            log.error(failed, exc_info=error)
        await asyncio.sleep(seconds)
