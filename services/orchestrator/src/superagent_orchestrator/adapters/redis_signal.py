"""What one replica tells all others at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from redis.asyncio import Redis
from redis.exceptions import RedisError

from superagent_common.logging import Logger

CANCEL = "orchestrator:cancel"
"""Turns that shall stop, by id."""
CONVERSATIONS = "orchestrator:conversations"
"""Conversations that are deleted, by id."""
DOCUMENTS = "orchestrator:documents"
"""Documents that have changed: of the replicas that share the events' topic only one hears of each."""
_RETRY_SECONDS = 0.5


class RedisSignal:
    """`Signal` over Redis pub/sub, on one channel."""

    def __init__(self, redis: Redis, channel: str, logger: Logger) -> None:
        self._redis = redis
        self._channel = channel
        self._logger = logger

    async def send(self, subject: str) -> None:
        try:
            await self._redis.publish(self._channel, subject)
        except (RedisError, OSError) as error:
            self._logger.warning("signal_not_sent", channel=self._channel, error=type(error).__name__)

    async def listen(self, hear: Callable[[str], object]) -> None:
        """Hands every subject that is sent to `hear`, until cancelled itself."""
        while True:
            try:
                async with self._redis.pubsub() as channel:
                    await channel.subscribe(self._channel)
                    async for message in channel.listen():
                        if message["type"] == "message":
                            hear(message["data"].decode())
            except (RedisError, OSError) as error:
                self._logger.warning("signal_not_heard", channel=self._channel, error=type(error).__name__)
                await asyncio.sleep(_RETRY_SECONDS)
            except Exception as error:
                self._logger.error("signal_not_heard", channel=self._channel, exc_info=error)
                await asyncio.sleep(_RETRY_SECONDS)
