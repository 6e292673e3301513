"""Whether the services behind the gateway serve."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

_CHECK_SECONDS = 0.8
_FRESH_SECONDS = 1.0
_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
)


class FleetHealth:
    """Asks each service's health check, all at once; an answer counts for a second.

    Plain channels: a probe is no call of a person and would fill the traces.
    """

    def __init__(self, addresses: Mapping[str, str], clock: Callable[[], float] = time.monotonic) -> None:
        """`addresses` by service name, each host:port."""
        self._channels = {name: grpc.aio.insecure_channel(at, options=_OPTIONS) for name, at in addresses.items()}
        self._clock = clock
        self._checking = asyncio.Lock()
        self._known: dict[str, bool] = {}
        self._known_at = float("-inf")

    async def close(self) -> None:
        for channel in self._channels.values():
            await channel.close()

    async def serving(self) -> dict[str, bool]:
        """Each service and whether it serves."""
        async with self._checking:
            if self._clock() - self._known_at > _FRESH_SECONDS:
                answers = await asyncio.gather(*map(_is_serving, self._channels.values()))
                self._known = dict(zip(self._channels, answers, strict=True))
                self._known_at = self._clock()
            return self._known


async def _is_serving(channel: grpc.aio.Channel) -> bool:
    try:
        answer = await health_pb2_grpc.HealthStub(channel).Check(
            health_pb2.HealthCheckRequest(), timeout=_CHECK_SECONDS, wait_for_ready=True
        )
    except grpc.RpcError:
        return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
