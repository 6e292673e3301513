"""Stands in for the services where tests are about the processes: `python -m tests.integration.stand_in_services NAME...`.

Speaks like a group of services: waits for a line on standard input, answers health checks where each service listens, and
/readyz for the gateway. `worker` only runs. Set STAND_IN_BROKEN, STAND_IN_STUBBORN or STAND_IN_PARENT to a name, and the
process that holds it ends at once, ignores SIGTERM, or starts a child whose pid goes to DATA_DIR/child.pid.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from dev.grouping import variable

PROGRAM = (sys.executable, "-m", "tests.integration.stand_in_services")


async def serve_health(address: str) -> grpc.aio.Server:
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    await servicer.set("", health_pb2.HealthCheckResponse.SERVING)
    server.add_insecure_port(address)
    await server.start()
    return server


async def answer_ready(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    await writer.drain()
    writer.close()


def create_administrator() -> None:
    """As the gateway does when its database is new."""
    database = Path(os.environ["GATEWAY_DATABASE_URL"].removeprefix("sqlite:///"))
    if not database.exists():
        Path(os.environ["GATEWAY_ADMIN_PASSWORD_FILE"]).write_text("admin\nmade-up-for-this-test\n")
        database.touch()


async def run(names: list[str]) -> None:
    ended = asyncio.Event()
    stubborn = os.environ.get("STAND_IN_STUBBORN") in names
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, (lambda: None) if stubborn else ended.set)
    servers = [
        await serve_health(os.environ[variable(name, "LISTEN")])
        for name in names
        if variable(name, "LISTEN") in os.environ
    ]
    if "gateway" in names:
        create_administrator()
        host, _, port = os.environ["GATEWAY_HTTP_LISTEN"].partition(":")
        await asyncio.start_server(answer_ready, host, int(port))
    await ended.wait()
    for server in servers:
        await server.stop(0)


def main(names: list[str]) -> None:
    if os.environ.get("STAND_IN_BROKEN") in names:
        sys.exit("the setting EXAMPLE is missing")
    if os.environ.get("STAND_IN_PARENT") in names:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        (Path(os.environ["DATA_DIR"]) / "child.pid").write_text(str(child.pid))
    if names != ["worker"] and not sys.stdin.readline():
        return
    asyncio.run(run(names))


if __name__ == "__main__":
    main(sys.argv[1:])
