"""A worker's temporary files go with it, however it dies."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from superagent_ingestion.adapters.scratch_folder import scratch_folder

_WORKER = """
import subprocess, sys, tempfile
from superagent_ingestion.adapters.scratch_folder import scratch_folder
with scratch_folder(sys.argv[1]) as folder:
    tempfile.mkdtemp()
    subprocess.run([sys.executable, "-c", "import tempfile; tempfile.mkdtemp()"], check=True)
    print(folder, flush=True)
    sys.stdin.read()
"""


async def worker(owner: str, temporary: Path) -> tuple[Process, Path]:
    """A process with two temporary folders, one made by what it started, and the folder that should hold both."""
    environment = os.environ | {"TMPDIR": str(temporary)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _WORKER, owner, stdin=PIPE, stdout=PIPE, env=environment
    )
    assert process.stdout is not None
    folder = Path((await process.stdout.readline()).decode().strip())
    assert entries(folder) == 2
    return process, folder


def entries(folder: Path) -> int | None:
    """How many there are; None without the folder."""
    return len(list(folder.iterdir())) if folder.exists() else None


async def test_what_a_killed_worker_left_is_removed_by_the_next_that_starts(tmp_path: Path) -> None:
    killed, left = await worker("killed", tmp_path)
    living, kept = await worker("living", tmp_path)
    killed.kill()
    await killed.wait()
    assert entries(left) == 2
    following, folder = await worker("following", tmp_path)
    assert entries(left) is None and entries(kept) == 2
    await living.communicate(b"")
    await following.communicate(b"")
    assert entries(kept) is None and entries(folder) is None


def test_a_folder_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"superagent-ingestion-{os.getuid()}").symlink_to(elsewhere)
    with pytest.raises(PermissionError), scratch_folder("anybody"):
        pass
    assert list(elsewhere.iterdir()) == []
