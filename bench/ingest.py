"""Documents through the whole fleet beside parser and embedder alone, in one run, in turns, on the same documents.

    python -m bench.ingest [--documents 40] [--characters 2000] [--rounds 3] [--pages 120] [--data DIRECTORY]

Text: Markdown, half Chinese, half English, eight uploads at once, from the first upload until all are READY; the floor
parses, cuts and embeds them one after the other in the same child processes the product uses, and stores nothing. PDF:
one file with a text layer; counted is the CPU besides embedding. About four minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psutil

from bench.documents import markdown, pdf
from bench.processes import INFRASTRUCTURE, CpuClock, total
from bench.report import Figure, median, progress, show
from dev.api_client import ApiClient
from dev.fleet import fleet
from superagent_common.logging import configure
from superagent_ingestion.adapters.parsing.process import ParserProcess
from superagent_ingestion.domain.chunking import ChunkLimits, chunk
from superagent_retrieval.adapters.local_embedder.embedder import LocalEmbedder, bundled_weights, child_command

TARGET_OF_RAW = 0.85
PAGES_PER_CPU_SECOND = 20.0
UPLOADS_AT_ONCE = 8
POLL_SECONDS = 1.0
"""About as often as the page asks: with five times a second, asking took a sixth of a core from what is measured."""
UNDER_WAY = ("UPLOADED", "PARSING", "PARSED", "CONFIRMED", "CHUNKING", "INDEXING")
BESIDES_EMBEDDING = ("edge", "ingestion", "worker")
WARMING = 6
"""Documents first, so that each worker has its parser."""
LIMIT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Spent:
    seconds: float
    cpu_ms: float


class Floor:
    """Parser and embedder as the product starts them, without anything around."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._folder = folder
        self._parser = ParserProcess()
        self._embedder = LocalEmbedder(child_command(bundled_weights(), cache))

    async def start(self) -> None:
        self._embedder.start()
        await self._embedder.wait_ready()
        await self.read("warm.md", markdown(0, 500, 0), embed=True)

    async def read(self, name: str, content: bytes, *, embed: bool) -> None:
        """Parses and cuts one document, and embeds its children."""
        path = self._folder / "content"
        path.write_bytes(content)
        chunks = chunk(await self._parser.parse(path, name), ChunkLimits())
        if embed:
            await self._embedder.embed_passages([child.text for child in chunks.children])

    async def run(self, files: Sequence[tuple[str, bytes]], *, embed: bool = True) -> Spent:
        pids = [pid for pid in (self._parser.pid, self._embedder.child_pid) if pid]
        children = [psutil.Process(pid) for pid in pids]

        def cpu() -> float:
            return time.process_time() + sum(sum(child.cpu_times()[:2]) for child in children)

        began, before = time.perf_counter(), cpu()
        for name, content in files:
            await self.read(name, content, embed=embed)
        return Spent(time.perf_counter() - began, (cpu() - before) * 1000)

    async def close(self) -> None:
        await self._parser.aclose()
        await self._embedder.close()


async def ingest(
    person: ApiClient, files: Sequence[tuple[str, bytes]], *, limit_seconds: float = LIMIT_SECONDS
) -> float:
    """Seconds until all files are READY. Raises RuntimeError when one is not, TimeoutError after `limit_seconds`."""
    places = asyncio.Semaphore(UPLOADS_AT_ONCE)

    async def upload(name: str, content: bytes) -> None:
        async with places:
            await person.upload(name, content)

    async def one_is(*states: str) -> bool:
        answer = await person.http.get("/documents", params={"state": states, "limit": 1})
        answer.raise_for_status()
        return bool(answer.json()["documents"])

    began = time.time()
    async with asyncio.timeout(limit_seconds):
        await asyncio.gather(*itertools.starmap(upload, files))
        while await one_is(*UNDER_WAY):  # noqa: ASYNC110 - from outside there is nothing to wait for
            await asyncio.sleep(POLL_SECONDS)
    if await one_is("FAILED"):
        raise RuntimeError("a document failed")
    # They are worked on in the order of their coming: the last to be READY is among the newest.
    newest = await person.http.get("/documents", params={"limit": 100})
    newest.raise_for_status()
    return max(datetime.fromisoformat(each["updated_at"]).timestamp() for each in newest.json()["documents"]) - began


async def measure(options: argparse.Namespace, data: Path, folder: Path) -> list[Figure]:
    async with fleet(data, environment={"GATEWAY_REGISTRATIONS_PER_10_MINUTES": "1000"}) as running:
        floor = Floor(folder, data / "retrieval" / "embedder")
        await floor.start()
        clock = CpuClock(running.pids)
        own = (*BESIDES_EMBEDDING, "retrieval")

        async def through(files: Sequence[tuple[str, bytes]]) -> tuple[Spent, dict[str, float]]:
            async with ApiClient(running.base_url) as person:
                await person.sign_up()
                clock.start()
                seconds = await ingest(person, files)
                used = clock.used()
            return Spent(seconds, total(used, own)), used

        progress("warming up")
        await through(
            [("warm.pdf", pdf(1, 0)), *((f"warm{seed}.md", markdown(seed, 500, 0)) for seed in range(WARMING))]
        )
        await floor.read("warm.pdf", pdf(1, 0), embed=False)
        await clock.measure_idle(5.0)
        text: list[tuple[Spent, Spent, dict[str, float]]] = []
        pages: list[tuple[Spent, Spent, dict[str, float]]] = []
        for number in range(1, options.rounds + 1):
            progress(f"round {number} of {options.rounds}: text")
            files = [(f"{seed}.md", markdown(seed, options.characters, number)) for seed in range(options.documents)]
            raw = await floor.run(files)
            text.append((raw, *await through(files)))
        # Behind all text: a long PDF has parsers replaced, for which the next documents would wait.
        for number in range(1, options.rounds + 1):
            progress(f"round {number} of {options.rounds}: PDF")
            files = [("book.pdf", pdf(options.pages, number))]
            raw = await floor.run(files, embed=False)
            pages.append((raw, *await through(files)))
        await floor.close()
    count, sheets = options.documents, options.pages
    return [
        Figure(
            f"Markdown of {options.characters} characters",
            median([count / whole.seconds for _, whole, _ in text]),
            "docs/s",
            median([count / raw.seconds for raw, _, _ in text]),
            at_least=TARGET_OF_RAW,
            target_of="ratio",
        ),
        Figure(
            "  CPU of a document, own processes",
            median([whole.cpu_ms / count for _, whole, _ in text]),
            "CPU-ms",
            median([raw.cpu_ms / count for raw, _, _ in text]),
        ),
        Figure(
            "    of it besides retrieval", median([total(u, BESIDES_EMBEDDING) / count for *_, u in text]), "CPU-ms"
        ),
        Figure("  infrastructure", median([total(u, INFRASTRUCTURE) / count for *_, u in text]), "CPU-ms"),
        Figure(
            "PDF pages per CPU-second besides retrieval",
            median([sheets * 1000 / total(used, BESIDES_EMBEDDING) for *_, used in pages]),
            "",
            median([sheets * 1000 / raw.cpu_ms for raw, _, _ in pages]),
            at_least=PAGES_PER_CPU_SECOND,
        ),
        Figure("PDF pages per second, embedding included", median([sheets / whole.seconds for _, whole, _ in pages])),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=40, help="of one round, at most 100")
    parser.add_argument("--characters", type=int, default=2000, help="of one document")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pages", type=int, default=120)
    parser.add_argument("--data", type=Path, help="data folder of the fleet; a temporary one if not given")
    options = parser.parse_args()
    configure("WARNING")
    with tempfile.TemporaryDirectory() as temporary:
        data = (options.data or Path(temporary) / "data").absolute()
        show("Ingest", asyncio.run(measure(options, data, Path(temporary))))


if __name__ == "__main__":
    main()
