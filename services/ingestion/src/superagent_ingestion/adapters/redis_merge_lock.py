"""One completion of an upload at a time, over all replicas."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from redis.asyncio import Redis
from redis.exceptions import RedisError

from superagent_common.ids import new_id
from superagent_common.logging import Logger
from superagent_common.tasks import running

_POLL_SECONDS = 0.1
_RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end"
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end"


class RedisMergeLock:
    """`MergeLock` in Redis, keys `ingestion:upload:{id}:merge`; within this process also without it."""

    def __init__(self, redis: Redis, log: Logger, *, lease_seconds: float = 10.0) -> None:
        """Whoever dies with it keeps others waiting for `lease_seconds`."""
        self._redis = redis
        self._log = log
        self._lease_ms = int(lease_seconds * 1000)
        self._renew = redis.register_script(_RENEW)
        self._release = redis.register_script(_RELEASE)
        self._here: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def held(self, upload_id: str) -> AsyncIterator[None]:
        key, token = f"ingestion:upload:{upload_id}:merge", new_id()
        here = self._here.setdefault(upload_id, asyncio.Lock())
        async with here:
            try:
                while not await self._redis.set(key, token, nx=True, px=self._lease_ms):  # noqa: ASYNC110 - another process's
                    await asyncio.sleep(_POLL_SECONDS)
            except (RedisError, OSError) as error:
                self._log.warning("merge_lock_unavailable", upload_id=upload_id, error=type(error).__name__)
            try:
                async with running(self._kept(key, token)):
                    yield
            finally:
                try:
                    await self._release(keys=[key], args=[token])
                except (RedisError, OSError) as error:
                    # It ends by itself.
                    self._log.warning("merge_lock_kept", upload_id=upload_id, error=type(error).__name__)

    async def _kept(self, key: str, token: str) -> None:
        while True:
            await asyncio.sleep(self._lease_ms / 3000)
            try:
                await self._renew(keys=[key], args=[token, self._lease_ms])
            except (RedisError, OSError) as error:
                self._log.warning("merge_lock_not_renewed", error=type(error).__name__)
