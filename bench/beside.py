"""Products that are measured beside the fleet in the same run, each in an environment of its own.

None of them is a dependency of this one: `build/` keeps what a bench has installed, and a run that cannot install says so.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.report import Figure, median, progress
from dev.grouping import ROOT, machine_environment

LANGGRAPH = ("langgraph==1.2.24", "langgraph-checkpoint-sqlite==3.1.2", "httpx==0.28.1", "uvloop==0.23.0")
_INSTALL_SECONDS = 900
_RUN_SECONDS = 300


@dataclass
class Beside:
    """All rounds of one kind of load; times in milliseconds, `cpu_ms` a turn."""

    cpu_ms: list[float] = field(default_factory=list)
    per_second: list[float] = field(default_factory=list)
    events: list[float] = field(default_factory=list)


class LangGraph:
    """A running process of `bench/graph.py`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def run(self, requests: int, concurrent: int, into: Beside) -> None:
        """One round of turns. Raises RuntimeError when the process has ended."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps({"requests": requests, "concurrent": concurrent}).encode() + b"\n")
        async with asyncio.timeout(_RUN_SECONDS):
            line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError("LangGraph's process has ended")
        ran: dict[str, Any] = json.loads(line)
        into.cpu_ms.append(ran["cpu_ms"])
        into.per_second.append(requests / ran["seconds"])
        into.events.append(ran["events"])


@asynccontextmanager
async def langgraph(model_url: str) -> AsyncIterator[LangGraph | None]:
    """LangGraph with a checkpointer on this model while the block runs; None when it cannot be installed."""
    try:
        python = await asyncio.to_thread(_installed, "langgraph", LANGGRAPH)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        progress(f"LangGraph is not measured, it could not be installed: {said.strip().rpartition(chr(10))[2]}")
        yield None
        return
    with tempfile.TemporaryDirectory() as temporary:
        process = await asyncio.create_subprocess_exec(
            str(python),
            "-P",
            str(ROOT / "bench" / "graph.py"),
            model_url,
            f"{temporary}/threads.db",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={name: value for name, value in machine_environment().items() if name != "PYTHONPATH"},
        )
        try:
            yield LangGraph(process)
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


def langgraph_figures(alone: Beside, at_50: Beside) -> list[Figure]:
    """Lines of a table; one that says so when nothing was measured."""
    if not alone.cpu_ms:
        return [Figure("  beside: LangGraph could not be installed (0 is no figure)", 0.0)]
    what = "  beside: LangGraph, checkpointer, no HTTP"
    return [
        Figure(f"{what}, alone", median(alone.cpu_ms), "CPU-ms"),
        Figure(f"{what}, 50 at once", median(at_50.cpu_ms), "CPU-ms"),
        Figure(f"{what}, 50 at once, turns", median(at_50.per_second), "/s"),
    ]


def _installed(name: str, packages: tuple[str, ...]) -> Path:
    """The interpreter of an environment with exactly these packages; one that is there is taken as it is."""
    folder = ROOT / "build" / f"bench-{name}"
    python, stamp = folder / "bin" / "python", folder / "installed.txt"
    wanted = "\n".join((sys.version, *packages))
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    progress(f"{name} is installed into {folder.relative_to(ROOT)}: a few minutes, once")
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(exist_ok=True)
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages],
    ):
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_INSTALL_SECONDS)
    stamp.write_text(wanted)
    return python
