"""Several things at once, of which one failure is enough."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine


async def together(*work: Coroutine[None, None, None]) -> None:
    """Runs all; at the first failure the others are cancelled and that failure is raised, bare."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
