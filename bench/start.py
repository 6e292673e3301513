"""Later starts of the whole product to its first healthy answer, and its stops; beside the embedded servers alone.

    python -m bench.start [--rounds 3] [--data DIRECTORY]

A first start, which makes the embedder's files and the databases, is printed but has no target. About two minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from bench.report import Figure, median, progress, show
from bench.running import product
from dev.grouping import Processes
from dev.infrastructure import EmbeddedInfrastructure

START_SECONDS = 6.0
STOP_SECONDS = 5.0
KINDS: tuple[Processes, ...] = ("grouped", "separate")


async def measure(data: Path, rounds: int) -> list[Figure]:
    progress("first start")
    async with product(data, "grouped") as first:
        pass
    starts: dict[str, list[float]] = {"servers": [], **{kind: [] for kind in KINDS}}
    stops: dict[str, list[float]] = {"servers": [], **{kind: [] for kind in KINDS}}
    for number in range(rounds):
        progress(f"round {number + 1} of {rounds}")
        began = time.perf_counter()
        async with EmbeddedInfrastructure(data):
            starts["servers"].append(time.perf_counter() - began)
            began = time.perf_counter()
        stops["servers"].append(time.perf_counter() - began)
        for kind in KINDS:
            async with product(data, kind) as running:
                pass
            starts[kind].append(running.start_seconds)
            stops[kind].append(running.stop_seconds)
    start_floor, stop_floor = median(starts["servers"]), median(stops["servers"])
    figures = [Figure("first start", first.start_seconds, "s")]
    for kind in KINDS:
        figures.append(Figure(f"later start, {kind}", median(starts[kind]), "s", start_floor, START_SECONDS))
        figures.append(Figure(f"  longest, {kind}", max(starts[kind]), "s"))
    for kind in KINDS:
        figures.append(Figure(f"stop, {kind}", median(stops[kind]), "s", stop_floor, STOP_SECONDS))
        figures.append(Figure(f"  longest, {kind}", max(stops[kind]), "s"))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="data folder of the product; a temporary one if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = (options.data or Path(temporary) / "data").absolute()
        show("Start and stop", asyncio.run(measure(data, options.rounds)))


if __name__ == "__main__":
    main()
