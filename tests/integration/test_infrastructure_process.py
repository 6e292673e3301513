"""One supervised process: how it is told to be ready, what it says when it is not, where its words go."""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dev.faults import StartFailed
from dev.process import ManagedProcess, ProcessSpec

FOREVER = "import time; print('hello', flush=True); time.sleep(600)"


async def never() -> bool:
    return False


async def always() -> bool:
    return True


@asynccontextmanager
async def started(
    data_dir: Path, code: str, ready: Callable[[], Awaitable[bool]] = always, executable: str = sys.executable
) -> AsyncIterator[ManagedProcess]:
    spec = ProcessSpec("example", (executable, "-c", code), {}, ready, data_dir)
    process = ManagedProcess(spec, data_dir)
    process.start()
    try:
        yield process
    finally:
        await process.stop(1)


async def test_silence_is_reported_with_the_log_to_look_at(tmp_path: Path) -> None:
    async with started(tmp_path, FOREVER, never) as process:
        with pytest.raises(StartFailed, match=f"example did not answer within 0 s; its log is {process.log_path}"):
            await process.wait_ready(0.2)


async def test_an_end_before_the_first_answer_is_reported_with_the_last_line(tmp_path: Path) -> None:
    async with started(tmp_path, "print('one'); print('two'); raise SystemExit(3)", never) as process:
        with pytest.raises(StartFailed, match=r"example ended \(exit code 3\) before it answered: two"):
            await process.wait_ready(90)


async def test_a_program_that_is_not_there_is_reported(tmp_path: Path) -> None:
    async with started(tmp_path, "", never, executable=str(tmp_path / "missing")) as process:
        with pytest.raises(StartFailed, match="missing"):
            await process.wait_ready(90)


async def test_a_process_that_keeps_dying_is_started_again_each_time(tmp_path: Path) -> None:
    async with started(tmp_path, FOREVER) as process:
        await process.wait_ready(90)
        seen = set()
        for _ in range(3):
            pid = process.kill(signal.SIGKILL)
            seen.add(pid)
            await process.wait_ready(90, other_than=pid)
        assert process.pid not in seen
        assert len(seen) == 3


async def test_nothing_can_be_sent_to_a_stopped_process(tmp_path: Path) -> None:
    async with started(tmp_path, FOREVER) as process:
        await process.wait_ready(90)
        await process.stop(1)
        with pytest.raises(ProcessLookupError):
            process.kill(signal.SIGTERM)


async def test_a_large_log_is_put_aside_at_the_next_start(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "example.log"
    log.parent.mkdir()
    with log.open("wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)
    async with started(tmp_path, FOREVER) as process:
        await process.wait_ready(90)
    assert log.stat().st_size < 1000
    assert log.with_suffix(".log.1").stat().st_size > 20 * 1024 * 1024
