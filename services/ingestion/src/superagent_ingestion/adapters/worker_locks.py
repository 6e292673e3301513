"""Which workers of this machine live: each holds a lock on a file of its name, which the kernel drops when it dies."""

from __future__ import annotations

import fcntl
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path


class WorkerLocks:
    """`Departures` in a folder that workers and service share; unlike by a lease, a slow worker never looks gone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def held(self, owner: str) -> Iterator[None]:
        """Shows while the block runs that the owner lives. A process forked meanwhile would show it as well."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path, unfinished = self._folder / owner, self._folder / f".{owner}"
        with unfinished.open("wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # Not before it is locked: it would look like that of a dead one.
            unfinished.rename(path)
            # The file stays: however the worker ends, its jobs are for the others.
            yield

    def gone(self) -> Collection[str]:
        return [path.name for path in self._folder.glob("[!.]*") if not _is_locked(path)]

    def forget(self, owners: Collection[str]) -> None:
        for owner in owners:
            (self._folder / owner).unlink(missing_ok=True)


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        # Another sweeper was here.
        return True
    return False
