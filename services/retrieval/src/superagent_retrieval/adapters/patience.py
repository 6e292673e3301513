"""Trying again what a search server could not do just now."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from superagent_common.errors import Unavailable

# A node that restarts is away longer: whoever wrote tries again then.
_PAUSES_SECONDS = (0.2, 1.0)

T = TypeVar("T")


async def patiently(call: Callable[[], Awaitable[T]]) -> T:
    """The answer of a write that may be done twice; one that is Unavailable is tried again twice."""
    for pause in _PAUSES_SECONDS:
        try:
            return await call()
        except Unavailable:
            await asyncio.sleep(pause)
    return await call()
