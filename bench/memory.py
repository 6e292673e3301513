"""Memory of the idle product: each process, one service alone, everything with its infrastructure; beside a bare service.

    python -m bench.memory [--data DIRECTORY]

Measured after a start with databases that are there: migrations need some MiB more until the next start.
PSS counts a page that several processes share by its share, so only it may be added up over processes; RSS is what one
service needs that is alone on its machine, and is judged for those. The floor is a process that imports what every
service needs and serves one empty gRPC server. About a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from bench.processes import INFRASTRUCTURE, Memory, helper_process, memory
from bench.report import Figure, progress, show
from bench.running import product
from dev.grouping import SERVICES

SERVICE_MIB, RETRIEVAL_MIB = 120.0, 250.0
FLEET_MIB = 1.1 * 1024
SETTLE_SECONDS = 8.0
"""Until start-up garbage is gone and the first leases, sweeps and exports have been."""


async def measure(data: Path) -> list[Figure]:
    async with helper_process("bench.bare_service") as (pid, _):
        bare = memory(pid)
    progress("grouped")
    async with product(data, "grouped") as running:
        await asyncio.sleep(SETTLE_SECONDS)
        whole = memory(running.pid)
        grouped = {name: memory(pid) for name, pid in sorted(running.pids.items())}
    progress("separate")
    async with product(data, "separate") as running:
        await asyncio.sleep(SETTLE_SECONDS)
        whole_separate = memory(running.pid)
        separate = {name: memory(running.pids[name]) for name in (*SERVICES, "worker")}
    figures = [
        Figure(f"{name} alone{_children(used)}: RSS", used.rss, "MiB", bare.rss, _limit(name))
        for name, used in separate.items()
    ]
    figures += [Figure(f"  grouped, {name}{_children(used)}: PSS", used.pss, "MiB") for name, used in grouped.items()]
    servers = sum(grouped[name].pss for name in INFRASTRUCTURE)
    figures += [
        Figure("everything, grouped: PSS", whole.pss, "MiB", servers, FLEET_MIB),
        Figure(f"everything, separate ({whole_separate.processes} processes): PSS", whole_separate.pss, "MiB", servers),
    ]
    return figures


def _limit(name: str) -> float | None:
    """The workers are no service: Celery's process and its pool."""
    return {"retrieval": RETRIEVAL_MIB, "worker": None}.get(name, SERVICE_MIB)


def _children(used: Memory) -> str:
    return f" ({used.processes} processes)" if used.processes > 1 else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="data folder of the product; a temporary one if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = (options.data or Path(temporary) / "data").absolute()
        show("Idle memory", asyncio.run(measure(data)))


if __name__ == "__main__":
    main()
