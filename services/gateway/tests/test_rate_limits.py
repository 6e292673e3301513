"""Sliding windows: the same behaviour in Redis and in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from redis.asyncio import Redis

from services.gateway.tests.gateway_fakes import Clock, RememberingLog
from superagent_common.errors import Unavailable
from superagent_common.ids import new_id
from superagent_common.redis_client import opened_redis
from superagent_gateway.adapters.local_rate_limits import LocalRateLimits
from superagent_gateway.adapters.redis_rate_limits import RedisRateLimits
from superagent_gateway.domain import RateRule
from superagent_gateway.ports import RateLimits

Pass = Callable[[float], Awaitable[None]]
Windows = tuple[RateLimits, Pass]
THREE = RateRule("three", 3, 60)


async def _shift(redis: Redis, seconds: float) -> None:
    """Makes all that was counted older: the store's own clock cannot be set."""
    async for key in redis.scan_iter("gateway:rate:*"):
        for member, at in await redis.zrange(key, 0, -1, withscores=True):
            await redis.zadd(key, {member: float(at) - seconds * 1_000_000})


@pytest.fixture(params=["memory", "redis"])
async def windows(request: pytest.FixtureRequest, valkey: str) -> AsyncIterator[Windows]:
    if request.param == "memory":
        clock = Clock()

        async def advance(seconds: float) -> None:
            clock.at += seconds

        yield LocalRateLimits(clock.seconds), advance
        return
    async with opened_redis(valkey, give_up_seconds=60) as redis:
        await redis.flushdb()
        yield RedisRateLimits(redis, RememberingLog()), lambda seconds: _shift(redis, seconds)  # type: ignore[arg-type]


async def test_as_many_pass_as_the_rule_says_and_the_next_learns_how_long(windows: Windows) -> None:
    limits, advance = windows
    assert [await limits.take(THREE, "a") for _ in range(3)] == [0, 0, 0]
    assert 45 < await limits.take(THREE, "a") <= 60
    await advance(40)
    assert 5 < await limits.take(THREE, "a") <= 20


async def test_the_window_slides(windows: Windows) -> None:
    limits, advance = windows
    await limits.take(THREE, "a")
    await advance(40)
    await limits.take(THREE, "a")
    await limits.take(THREE, "a")
    await advance(20.5)
    assert await limits.take(THREE, "a") == 0
    assert 25 < await limits.take(THREE, "a") <= 40


async def test_what_was_refused_does_not_count(windows: Windows) -> None:
    limits, advance = windows
    for _ in range(10):
        await limits.take(THREE, "a")
    await advance(60.5)
    assert await limits.take(THREE, "a") == 0


async def test_subjects_and_rules_are_counted_apart(windows: Windows) -> None:
    limits, _ = windows
    for _ in range(3):
        await limits.take(THREE, "a")
    assert await limits.take(THREE, "b") == 0
    assert await limits.take(RateRule("other", 1, 60), "a") == 0
    assert await limits.take(THREE, "a") > 0


async def test_any_number_at_once_never_passes_more_than_the_rule(windows: Windows) -> None:
    limits, _ = windows
    waits = await asyncio.gather(*(limits.take(RateRule("twenty", 20, 60), "a") for _ in range(100)))
    assert waits.count(0) == 20


async def test_windows_in_redis_vanish_with_their_time(valkey: str) -> None:
    subject = new_id()
    async with Redis.from_url(valkey) as redis:
        await RedisRateLimits(redis, RememberingLog()).take(THREE, subject)  # type: ignore[arg-type]
        assert 0 < await redis.ttl(f"gateway:rate:three:{subject}") <= 60


async def test_a_redis_that_is_gone_is_not_asked_again_for_a_second() -> None:
    clock, log = Clock(), RememberingLog()
    async with Redis.from_url("redis://127.0.0.1:1") as redis:
        limits = RedisRateLimits(redis, log, clock.seconds)  # type: ignore[arg-type]
        for _ in range(3):
            with pytest.raises(Unavailable):
                await limits.take(THREE, "a")
        assert len(log.lines) == 1
        clock.at += 1.5
        with pytest.raises(Unavailable):
            await limits.take(THREE, "a")
        assert len(log.lines) == 2


async def test_memory_forgets_the_subjects_seen_longest_ago() -> None:
    limits = LocalRateLimits()
    for number in range(10_001):
        await limits.take(RateRule("one", 1, 60), str(number))
    assert await limits.take(RateRule("one", 1, 60), "10000") > 0
    assert await limits.take(RateRule("one", 1, 60), "0") == 0


async def test_a_clock_that_is_set_back_shuts_nobody_out(valkey: str) -> None:
    async with opened_redis(valkey, give_up_seconds=60) as redis:
        await redis.flushdb()
        limits = RedisRateLimits(redis, RememberingLog())  # type: ignore[arg-type]
        for _ in range(3):
            await limits.take(THREE, "a")
        await _shift(redis, -7_200)
        assert [await limits.take(THREE, "a") for _ in range(3)] == [0, 0, 0]
        assert 59 < await limits.take(THREE, "a") <= 60
