"""Pid files: who was started from this data folder, so that a later start can end what a killed one left behind."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import psutil

# The kernel counts from boot; the wall clock that psutil adds may have been set meanwhile.
_CLOCK_TOLERANCE_SECONDS = 2.0
_GONE_SECONDS = 5.0


class PidFile:
    """Pid and start time of one process that leads its own group."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def record(self, pid: int) -> None:
        """Writes the file; does nothing for a process that has already gone."""
        try:
            started = psutil.Process(pid).create_time()
        except psutil.NoSuchProcess:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self._path.with_suffix(".tmp")
        scratch.write_text(json.dumps({"pid": pid, "started": started}))
        scratch.replace(self._path)

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


def kill_group(pid: int) -> None:
    """Kills what is left of the process group that `pid` leads or led."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def kill_orphans(folder: Path, data_dir: Path) -> list[str]:
    """Ends the processes that the pid files in `folder` name, with their groups; returns their names.

    A number that now belongs to a stranger is left alone: the leader must have the recorded start time, and members of
    a group whose leader has gone must carry `data_dir` as DATA_DIR in their environment. Raises TimeoutError when one
    does not go.
    """
    ended = []
    for path in sorted(folder.glob("*.pid")):
        recorded = json.loads(path.read_text())
        orphans = _group_of(recorded["pid"], recorded["started"], data_dir)
        for orphan in orphans:
            try:
                orphan.kill()
            except psutil.NoSuchProcess:
                continue
        deadline = time.monotonic() + _GONE_SECONDS
        while alive := [orphan.pid for orphan in orphans if _runs(orphan)]:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path.stem} (pid {alive[0]}) does not end")
            time.sleep(0.02)
        if orphans:
            ended.append(path.stem)
        path.unlink()
    return ended


def _group_of(pid: int, started: float, data_dir: Path) -> list[psutil.Process]:
    """The leader when it still is the recorded process, and the members of its group that are ours."""
    members = []
    for process in psutil.process_iter():
        try:
            if process.pid == pid:
                if abs(process.create_time() - started) > _CLOCK_TOLERANCE_SECONDS:
                    return []
                members.append(process)
            elif os.getpgid(process.pid) == pid and process.environ().get("DATA_DIR") == str(data_dir):
                members.append(process)
        except (psutil.Error, ProcessLookupError):
            continue
    return [process for process in members if _runs(process)]


def _runs(process: psutil.Process) -> bool:
    """Whether it still does; a zombie that nobody reaps does not."""
    try:
        return bool(process.is_running()) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
