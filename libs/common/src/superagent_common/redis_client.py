"""The way services connect to Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import BlockingConnectionPool, Redis

_CONNECTIONS = 32
_WAIT_SECONDS = 5.0
_HEALTH_CHECK_SECONDS = 15


@asynccontextmanager
async def opened_redis(url: str) -> AsyncIterator[Redis]:
    """A client with at most 32 connections, closed with the block; a call waits for a free one up to 5 s.

    redis-py's own pool raises when it runs out, which a burst of turns would do.
    """
    pool = BlockingConnectionPool.from_url(
        url, max_connections=_CONNECTIONS, timeout=_WAIT_SECONDS, health_check_interval=_HEALTH_CHECK_SECONDS
    )
    redis = Redis.from_pool(pool)
    try:
        yield redis
    finally:
        await redis.aclose()
