"""The product as `make run` starts it: a process of its own, watched from outside."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from dev.grouping import ROOT, Processes, machine_environment
from dev.probes import http_ok

_START_SECONDS = 180.0
_POLL_SECONDS = 0.02


@dataclass
class Running:
    """`start_seconds` from the call to the first healthy answer at /readyz; `stop_seconds` from SIGTERM to the end."""

    pid: int
    start_seconds: float
    pids: dict[str, int]
    stop_seconds: float = 0.0


@asynccontextmanager
async def product(data: Path, processes: Processes) -> AsyncIterator[Running]:
    """Runs everything while the block runs. Raises RuntimeError with its last line when it does not come up."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    environment = {**machine_environment(), "PORT": str(port), "DATA_DIR": str(data), "PROCESSES": processes}
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "dev.all_in_one",
        "--stop-with-parent",
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_START_SECONDS):
            while not await _ready(port):
                if process.returncode is not None and process.stderr is not None:
                    raise RuntimeError((await process.stderr.read()).decode().strip().rpartition("\n")[2])
                await asyncio.sleep(_POLL_SECONDS)
        running = Running(process.pid, time.perf_counter() - began, _pids(data))
        yield running
        began = time.perf_counter()
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.communicate()
    running.stop_seconds = time.perf_counter() - began


async def _ready(port: int) -> bool:
    try:
        return await http_ok(port, "/readyz")
    except OSError:
        return False


def _pids(data: Path) -> dict[str, int]:
    return {path.stem: json.loads(path.read_text())["pid"] for path in (data / "run").glob("*.pid")}
