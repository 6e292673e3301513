"""Uvicorn inside a running loop: no signal handlers of its own, no loop of its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import uvicorn
from fastapi import FastAPI

from superagent_gateway.http_protocol import HttpProtocol
from superagent_gateway.socket_protocol import SocketProtocol


@asynccontextmanager
async def serve_http(
    app: FastAPI,
    listen: str,
    *,
    trusted_proxies: str,
    refusal: Callable[[int], bytes],
    stall_seconds: float,
    heartbeat_seconds: float,
    message_bytes: int,
    grace_seconds: float,
    end_streams: Callable[[], Awaitable[None]],
) -> AsyncIterator[str]:
    """Serves on `listen` (host:port) until the block ends, and yields the address that was taken.

    `refusal` gives the whole answer, by status, to what is no request; a client may stand still for `stall_seconds`.
    WebSockets are pinged every `heartbeat_seconds` and take messages of up to `message_bytes`.
    Then nothing new is accepted, streams are ended, and running requests have `grace_seconds`. Raises OSError when
    the port is taken.
    """
    host, _, port = listen.rpartition(":")
    listener = socket.create_server((host, int(port)), backlog=2048)
    config = uvicorn.Config(
        app,
        lifespan="off",
        # Uvicorn calls it as it does a class.
        http=partial(HttpProtocol, refusal, stall_seconds),  # type: ignore[arg-type]
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=trusted_proxies or None,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=max(1, round(grace_seconds)),
        ws=partial(SocketProtocol, stall_seconds),  # type: ignore[arg-type]
        ws_max_size=message_bytes,
        ws_ping_interval=heartbeat_seconds,
        # A client that takes nothing off a full connection is told so first.
        ws_ping_timeout=2 * stall_seconds,
        ws_per_message_deflate=False,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    ticking = asyncio.create_task(server.main_loop())
    try:
        taken_host, taken_port = listener.getsockname()[:2]
        yield f"{taken_host}:{taken_port}"
    finally:
        server.should_exit = True
        await ticking
        for connections in server.servers:
            connections.close()
        await end_streams()
        await server.shutdown(sockets=[listener])
