"""Changes of the configuration over a real Redis."""

from __future__ import annotations

import asyncio

from superagent_common.logging import get_logger
from superagent_common.redis_client import opened_redis
from superagent_common.tasks import running
from superagent_gateway.adapters import redis_signal


async def test_a_read_that_fails_does_not_end_the_following(valkey: str, monkeypatch) -> None:
    monkeypatch.setattr(redis_signal, "_AGAIN_SECONDS", 0.0)
    reads: asyncio.Queue[int] = asyncio.Queue()
    number = 0

    async def reload() -> None:
        nonlocal number
        number += 1
        reads.put_nowait(number)
        if number == 1:
            raise RuntimeError("a fault of the database")

    async with opened_redis(valkey) as redis, opened_redis(valkey) as subscriber:
        signal = redis_signal.RedisConfigurationSignal(redis, subscriber, get_logger("gateway"))
        async with running(signal.follow(reload)), asyncio.timeout(120):
            assert [await reads.get(), await reads.get()] == [1, 2]
            await signal.publish(7)
            assert await reads.get() == 3
