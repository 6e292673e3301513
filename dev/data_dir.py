"""The data folder: made, checked and held by one start at a time."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dev.faults import StartFailed
from dev.pid_files import kill_orphans

_STOPPING = "stopping"
# A little longer than a stop may take.
_STOP_SECONDS = 6.0


@contextmanager
def held(data_dir: Path) -> Iterator[Callable[[], None]]:
    """Holds the folder until the block ends, after ending what a killed earlier start left running.

    Yields what to call when stopping begins: a start that comes meanwhile waits for the end of it instead of being
    refused. Raises StartFailed when the folder cannot be written or another start holds it.
    """
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(data_dir / "fleet.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StartFailed(f"cannot write to the data folder {data_dir}: {error.strerror}") from None
    try:
        _take(lock, data_dir)
        _say(lock, str(os.getpid()))
        try:
            kill_orphans(data_dir / "run", data_dir)
        except TimeoutError as error:
            raise StartFailed(f"a process of an earlier start is still there: {error}") from None
        yield lambda: _say(lock, _STOPPING)
    finally:
        os.close(lock)


def _take(lock: int, data_dir: Path) -> None:
    deadline = time.monotonic() + _STOP_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(lock, 64, 0).decode()
            if holder == _STOPPING and time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            whose = f"pid {holder}" if holder.isdigit() else "one that is stopping"
            raise StartFailed(
                f"the data folder {data_dir} is in use by another start ({whose}): stop that one or set DATA_DIR"
            ) from None
        return


def _say(lock: int, what: str) -> None:
    os.ftruncate(lock, 0)
    os.pwrite(lock, what.encode(), 0)
