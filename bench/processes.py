"""CPU time and memory of running processes, each with everything it has started."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import psutil

from dev.grouping import ROOT, machine_environment

INFRASTRUCTURE = ("valkey", "seaweedfs", "tansu")


def cpu_seconds(pids: Mapping[str, int]) -> dict[str, float]:
    """CPU seconds that each process and its children have used so far, those of ended children included."""
    return {name: sum(_used(process) for process in _tree(pid)) for name, pid in pids.items()}


@dataclass(frozen=True, slots=True)
class Memory:
    """MiB of a process and its children; a page that several share counts in `pss` by its share, in `rss` each time."""

    rss: float
    pss: float
    processes: int


def memory(pid: int) -> Memory:
    """What a process and its children hold now."""
    infos = [process.memory_full_info() for process in _tree(pid)]
    return Memory(sum(info.rss for info in infos) / 2**20, sum(info.pss for info in infos) / 2**20, len(infos))


class CpuClock:
    """CPU of processes between two moments, without what they use when nothing is asked of them."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids = dict(pids)
        self.idle: dict[str, float] = dict.fromkeys(pids, 0.0)
        """CPU-ms a second while idle, by process."""
        self.start()

    async def measure_idle(self, seconds: float) -> None:
        """Watches for `seconds` in which nothing may be asked."""
        self.start()
        await asyncio.sleep(seconds)
        spent = time.perf_counter() - self._at
        now = cpu_seconds(self._pids)
        self.idle = {name: (now[name] - self._before[name]) * 1000 / spent for name in self._pids}

    def start(self) -> None:
        """Begins to count."""
        self._before, self._at = cpu_seconds(self._pids), time.perf_counter()

    def used(self) -> dict[str, float]:
        """CPU-ms since `start` beyond idling, by process."""
        spent = time.perf_counter() - self._at
        now = cpu_seconds(self._pids)
        return {name: (now[name] - self._before[name]) * 1000 - self.idle[name] * spent for name in self._pids}


@asynccontextmanager
async def helper_process(module: str, *arguments: str) -> AsyncIterator[tuple[int, str]]:
    """Runs `python -m module arguments` while the block runs; its pid and the first line it prints (its address)."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, stdout=asyncio.subprocess.PIPE, cwd=ROOT, env=machine_environment()
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode().strip()
        if not line:
            raise RuntimeError(f"{module} ended before it said where it listens")
        yield process.pid, line
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


def total(used: Mapping[str, float], names: Iterable[str]) -> float:
    """Sum over some processes; those that are not there count nothing."""
    return sum(used.get(name, 0.0) for name in names)


def _tree(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def _used(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system + times.children_user + times.children_system)
