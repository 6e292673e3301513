"""The floor of a service's memory: what every service imports, one gRPC server without methods, no stores.

    python -m bench.bare_service

Prints its address and serves until SIGTERM.
"""

from __future__ import annotations

import asyncio
import signal
import sys

import grpc
import uvloop

# What superagent_common needs at least; imported for their size.
import superagent_common.bus
import superagent_common.db
import superagent_common.runtime  # noqa: F401


async def _serve() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"127.0.0.1:{port}\n")
    sys.stdout.flush()
    await stop.wait()
    await server.stop(0)


if __name__ == "__main__":
    uvloop.run(_serve())
