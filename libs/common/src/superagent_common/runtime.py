"""Runs services: one process may hold one or several, each with its own server, telemetry and stores."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

import grpc
import uvloop

from superagent_common.identity import KeySet, ServiceTokens, SigningKey, TokenVerifier
from superagent_common.logging import Logger, configure, get_logger
from superagent_common.metrics import serve_metrics
from superagent_common.rpc import Access, Channel
from superagent_common.rpc.server import CallInterceptor, Readiness, serve
from superagent_common.settings import ServiceSettings
from superagent_common.telemetry import Telemetry

_COLLECT_AFTER = (5_000, 20, 20)

Build = Callable[[Any], AbstractAsyncContextManager[None]]
"""A service's composition root: given its settings, serves until the block ends."""


class ServiceCore:
    """What each composition root starts from: telemetry, identity, and the ways in and out."""

    def __init__(self, name: str, settings: ServiceSettings, telemetry: Telemetry, stack: AsyncExitStack) -> None:
        self.name = name
        self.telemetry = telemetry
        self.log: Logger = get_logger(name)
        self.verifier = TokenVerifier(KeySet.load(settings.keys_dir))
        self.tokens = ServiceTokens(SigningKey.load(settings.keys_dir, name))
        self._settings = settings
        self._stack = stack

    def channel(self, address: str) -> Channel:
        """A channel to another service (host:port), closed with this service."""
        channel = Channel(address, self.telemetry, self.tokens)
        self._stack.push_async_callback(channel.close)
        return channel

    def serve(
        self, access: Mapping[str, Access], *add_servicers: Callable[[grpc.aio.Server], None]
    ) -> AbstractAsyncContextManager[Readiness]:
        """Serves gRPC until the block ends; `access` names every method, each of `add_servicers` adds a servicer."""
        return serve(
            self._settings.listen,
            CallInterceptor(self.telemetry, self.verifier, access, self.log),
            add_servicers,
            reflection=self._settings.reflection,
            grace_seconds=self._settings.stop_grace_seconds,
        )


@asynccontextmanager
async def service_core(name: str, settings: ServiceSettings) -> AsyncIterator[ServiceCore]:
    """Opens a service's telemetry, metrics and identity."""
    async with AsyncExitStack() as stack:
        telemetry = Telemetry(name, otlp_endpoint=settings.otlp_endpoint, sample_ratio=settings.trace_sample_ratio)
        stack.push_async_callback(telemetry.close)
        await stack.enter_async_context(serve_metrics(settings.metrics_listen, telemetry.registry))
        yield ServiceCore(name, settings, telemetry, stack)


def run_services(*services: tuple[Build, ServiceSettings]) -> None:
    """Runs services in this process until SIGTERM or SIGINT; they start in order and stop in reverse."""
    configure(services[0][1].log_level)
    # A start makes little garbage, but what there is grows with every module.
    gc.disable()
    uvloop.run(_run(services))


async def _run(services: tuple[tuple[Build, ServiceSettings], ...]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        for build, settings in services:
            await stack.enter_async_context(build(settings))
        _spare_the_collector()
        await stop.wait()


def _spare_the_collector() -> None:
    """Has the garbage collector look less often and never at what is there by now: all modules, for good.

    At 50 turns at once it otherwise takes a seventh of the process's time.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
