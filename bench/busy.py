"""Searching while hundreds of documents are embedded, beside searching when nothing else is done; memory of the workers.

    python -m bench.busy [--documents 500] [--characters 2000] [--searches 300] [--data DIRECTORY]

One person searches through the public door, question after question, each a new one; another uploads all documents at
once. Memory is the RSS of the worker pool with its parsers, sampled while documents are embedded. About six minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bench.documents import markdown, text
from bench.ingest import ingest
from bench.processes import memory
from bench.report import Figure, median, percentile, progress, show
from dev.api_client import ApiClient
from dev.fleet import Fleet, fleet
from dev.grouping import WORKER
from superagent_common.logging import configure

TIMES_IDLE = 2.0
GROWTH = 1.1
WARM_DOCUMENTS = 40
SAMPLE_SECONDS = 1.0
LIMIT_SECONDS = 1800.0


async def search(person: ApiClient, chance: random.Random) -> float:
    """Seconds of one search."""
    question = text(chance.choice(("zh", "en")), 60, chance) + str(chance.random())
    began = time.perf_counter()
    (await person.http.post("/retrieval/search", json={"question": question, "top_k": 5})).raise_for_status()
    return time.perf_counter() - began


@asynccontextmanager
async def sampled(running: Fleet) -> AsyncIterator[list[float]]:
    """MiB of the worker pool, every second while the block runs."""
    samples: list[float] = []

    async def sample() -> None:
        while True:
            samples.append(memory(running.pids[WORKER]).rss)
            await asyncio.sleep(SAMPLE_SECONDS)

    sampling = asyncio.create_task(sample())
    try:
        yield samples
    finally:
        sampling.cancel()
        await asyncio.gather(sampling, return_exceptions=True)


async def measure(options: argparse.Namespace, data: Path) -> list[Figure]:
    async with (
        fleet(data, environment={"GATEWAY_REGISTRATIONS_PER_10_MINUTES": "1000"}) as running,
        ApiClient(running.base_url) as reader,
        ApiClient(running.base_url) as author,
    ):
        await reader.sign_up()
        await author.sign_up()
        progress("warming up")
        warm = [(f"{number}.md", markdown(number, options.characters, 0)) for number in range(WARM_DOCUMENTS)]
        await ingest(author, warm)
        await ingest(reader, warm[:5])
        chance = random.Random(1)
        for _ in range(20):
            await search(reader, chance)
        progress("searching, nothing else")
        idle = [await search(reader, chance) for _ in range(options.searches)]
        progress(f"searching while {options.documents} documents are embedded")
        files = [(f"{number}.md", markdown(number, options.characters, 1)) for number in range(options.documents)]
        busy: list[float] = []
        async with sampled(running) as held:
            embedding = asyncio.create_task(ingest(author, files, limit_seconds=LIMIT_SECONDS))
            while not embedding.done():
                busy.append(await search(reader, chance))
            seconds = await embedding
    quarter = max(1, len(held) // 4)
    first, last = held[quarter : 2 * quarter], held[-quarter:]
    return [
        Figure("search, nothing else: p95", percentile(idle, 95) * 1e3, "ms"),
        Figure(
            "search while embedding: p95",
            percentile(busy, 95) * 1e3,
            "ms",
            percentile(idle, 95) * 1e3,
            at_most=TIMES_IDLE,
            target_of="ratio",
        ),
        Figure("  p50", median(busy) * 1e3, "ms", median(idle) * 1e3),
        Figure("  documents embedded meanwhile", options.documents / seconds, "docs/s"),
        Figure(
            "worker pool, last quarter of the documents: RSS",
            median(last),
            "MiB",
            median(first),
            at_most=GROWTH,
            target_of="ratio",
        ),
        Figure("  most", max(held), "MiB"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--characters", type=int, default=2000, help="of one document")
    parser.add_argument("--searches", type=int, default=300, help="without anything else")
    parser.add_argument("--data", type=Path, help="data folder of the fleet; a temporary one if not given")
    options = parser.parse_args()
    configure("WARNING")
    with tempfile.TemporaryDirectory() as temporary:
        data = (options.data or Path(temporary) / "data").absolute()
        show("Busy", asyncio.run(measure(options, data)))


if __name__ == "__main__":
    main()
