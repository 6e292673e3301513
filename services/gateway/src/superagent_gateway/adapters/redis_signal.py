"""Changes of the configuration over Redis pub/sub, channel `gateway:config`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from redis.asyncio import Redis
from redis.exceptions import RedisError

from superagent_common.errors import Unavailable
from superagent_common.logging import Logger
from superagent_common.org_tree import CONFIG_CHANNEL

_AGAIN_SECONDS = 1.0


class RedisConfigurationSignal:
    """`ConfigurationSignal` in Redis."""

    def __init__(self, redis: Redis, subscriber: Redis, log: Logger) -> None:
        """`subscriber` must have no read time-out: it waits for hours."""
        self._redis = redis
        self._subscriber = subscriber
        self._log = log

    async def publish(self, version: int) -> None:
        try:
            await self._redis.publish(CONFIG_CHANNEL, str(version))
        except (RedisError, OSError) as error:
            self._log.warning("configuration_signal_lost", version=version, error=type(error).__name__)

    async def follow(self, reload: Callable[[], Awaitable[None]]) -> None:
        """Calls `reload` on each signal, and behind each loss of the connection; runs until it is cancelled."""
        while True:
            try:
                async with self._subscriber.pubsub(ignore_subscribe_messages=True) as subscription:
                    await subscription.subscribe(CONFIG_CHANNEL)
                    await reload()
                    async for _ in subscription.listen():
                        await reload()
            except (RedisError, OSError, Unavailable):
                await asyncio.sleep(_AGAIN_SECONDS)
            except Exception as error:  # noqa: BLE001 - whatever reading fails with: revoked tokens must stop counting
                self._log.error("configuration_not_read", exc_info=error)
                await asyncio.sleep(_AGAIN_SECONDS)
