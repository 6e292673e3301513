"""A worker's lock tells that it lives, however slow it is, and goes with it, however it dies."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from superagent_ingestion.adapters.worker_locks import WorkerLocks

_WORKER = """
import sys
from pathlib import Path
from superagent_ingestion.adapters.worker_locks import WorkerLocks
with WorkerLocks(Path(sys.argv[1])).held(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""


async def worker(folder: Path, owner: str) -> Process:
    """A process that holds its lock until its input ends."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _WORKER, str(folder), owner, stdin=PIPE, stdout=PIPE
    )
    assert process.stdout is not None and await process.stdout.readline() == b"held\n"
    return process


@pytest.mark.parametrize("kill", [True, False], ids=["killed", "ended in order"])
async def test_a_worker_that_is_gone_is_told_until_it_is_forgotten(tmp_path: Path, kill: bool) -> None:
    locks = WorkerLocks(tmp_path / "workers")
    assert list(locks.gone()) == []
    one, two = await worker(tmp_path / "workers", "one"), await worker(tmp_path / "workers", "two")
    assert list(locks.gone()) == []
    if kill:
        one.kill()
        await one.wait()
    else:
        await one.communicate(b"")
    assert list(locks.gone()) == ["one"]
    assert list(locks.gone()) == ["one"]
    locks.forget(["one"])
    assert list(locks.gone()) == []
    await two.communicate(b"")
    assert list(locks.gone()) == ["two"]


async def test_what_a_worker_starts_does_not_speak_for_it(tmp_path: Path) -> None:
    locks = WorkerLocks(tmp_path)
    with locks.held("parent"):
        child = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=PIPE)
    assert list(locks.gone()) == ["parent"]
    await child.communicate(b"\n")
