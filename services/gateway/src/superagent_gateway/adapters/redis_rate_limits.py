"""Sliding windows that all replicas share."""

from __future__ import annotations

import time
from collections.abc import Callable

from redis.asyncio import Redis
from redis.exceptions import RedisError

from superagent_common.errors import Unavailable
from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_gateway.domain import RateRule

# One sorted set per subject holds the times that count, on the store's clock; never more than the limit.
_TAKE = """
local now = redis.call('TIME')
local at = now[1] * 1000000 + now[2]
local window = tonumber(ARGV[2]) * 1000000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', at - window)
-- From before the clock was set back: they would count for as long as it was set back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], at + 1, '+inf')
if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[1], at, ARGV[3])
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  return 0
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return math.max(1, oldest[2] + window - at)
"""
_PAUSE_SECONDS = 1.0


class RedisRateLimits:
    """`RateLimits` in Redis, keys `gateway:rate:*`. After a failure it fails at once for a second."""

    def __init__(self, redis: Redis, log: Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._take = redis.register_script(_TAKE)
        self._log = log
        self._clock = clock
        self._paused_until = 0.0

    async def take(self, rule: RateRule, subject: str) -> float:
        if self._clock() < self._paused_until:
            raise Unavailable("rate_limits_unavailable")
        try:
            wait = await self._take(
                keys=[f"gateway:rate:{rule.name}:{subject}"], args=[rule.limit, rule.window_seconds, new_id()]
            )
        except (RedisError, OSError) as error:
            self._paused_until = self._clock() + _PAUSE_SECONDS
            self._log.warning("rate_limits_unavailable", error=type(error).__name__)
            raise Unavailable("rate_limits_unavailable") from error
        return int(wait) / 1_000_000
