"""Where a worker and its parsers keep files for a moment. What a killed one left is removed by the next that starts."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from superagent_ingestion.adapters.worker_locks import WorkerLocks


@contextmanager
def scratch_folder(owner: str) -> Iterator[Path]:
    """Temporary files of this process and of those it starts lie in a folder of the owner's while the block runs.

    It is in the system's folder for such files, which all workers of a machine share. Raises PermissionError when
    another user of the machine has taken its place there.
    """
    before = tempfile.gettempdir()
    root = Path(before) / f"superagent-ingestion-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    if root.is_symlink() or root.stat().st_uid != os.getuid():
        raise PermissionError(f"{root} belongs to somebody else")
    locks = WorkerLocks(root / "workers")
    gone = locks.gone()
    for name in gone:
        # Another worker that starts may be removing it as well.
        shutil.rmtree(root / name, ignore_errors=True)
    locks.forget(gone)
    folder = root / owner
    with locks.held(owner):
        folder.mkdir(mode=0o700)
        told = os.environ.get("TMPDIR")
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
        try:
            yield folder
        finally:
            tempfile.tempdir = before
            if told is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = told
            shutil.rmtree(folder, ignore_errors=True)
