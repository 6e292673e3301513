"""The way services connect to Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

_CONNECTIONS = 32
_WAIT_SECONDS = 5.0
_HEALTH_CHECK_SECONDS = 15


@asynccontextmanager
async def opened_redis(url: str, *, give_up_seconds: float | None = None) -> AsyncIterator[Redis]:
    """A client with at most 32 connections, closed with the block; a call waits for a free one up to 5 s.

    redis-py's own pool raises when it runs out, which a burst of turns would do. With `give_up_seconds` no step of a
    call (a free connection, connecting, the answer) waits longer, and what failed is tried again once, at once: for
    what has a tier below Redis.
    """
    patience = {"timeout": _WAIT_SECONDS} if give_up_seconds is None else _impatient(give_up_seconds)
    pool = BlockingConnectionPool.from_url(
        url, max_connections=_CONNECTIONS, health_check_interval=_HEALTH_CHECK_SECONDS, **patience
    )
    redis = Redis.from_pool(pool)
    try:
        yield redis
    finally:
        await redis.aclose()


def _impatient(seconds: float) -> dict[str, object]:
    return {
        "timeout": seconds,
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "retry": Retry(NoBackoff(), 1),
    }
