"""Servers out of Debian packages: those that are installed, or unpacked into a folder without being installed."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from dev.ports import PortBook
from superagent_common.parent_death import end_with_parent
from tests.real.servers import NotHere
from tests.real.waiting import listening

_UNPRIVILEGED = "nobody"
_STOP_SECONDS = 30.0


@contextmanager
def workplace() -> Iterator[tuple[Path, int]]:
    """A folder that belongs to whom the servers run as (they refuse to run as root), and a free port."""
    folder = Path(tempfile.mkdtemp(prefix="test-real-server-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, _UNPRIVILEGED)
        with closing(PortBook(folder / "ports.json")) as ports:
            yield folder, ports.port("server")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unpacked(packages: Sequence[str], folder: Path) -> Path:
    """The root of a tree with the files of packages, fetched by apt. Raises NotHere."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise NotHere("apt-get is not installed")
    root = folder / "packages"
    root.mkdir()
    fetched = run(["apt-get", "download", *packages], root, privileged=True)
    if fetched.returncode != 0:
        raise NotHere(f"apt-get could not fetch {packages[0]}: {_last_line(fetched)}")
    for package in root.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
    return root


def run(
    command: Sequence[str | Path],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    *,
    privileged: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end in a folder."""
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **({} if privileged else _whom()),
    )


def checked(done: subprocess.CompletedProcess[str]) -> None:
    """Raises RuntimeError with the last line when a command failed."""
    if done.returncode != 0:
        raise RuntimeError(f"{done.args[0]}: {_last_line(done)}")


@contextmanager
def serving(
    command: Sequence[str | Path],
    port: int,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    stop: signal.Signals = signal.SIGTERM,
) -> Iterator[None]:
    """Runs a server until the block ends; its log is in the folder."""
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdout=log,
            stderr=log,
            preexec_fn=end_with_parent,
            **_whom(),
        )
        try:
            try:
                listening(f"127.0.0.1:{port}")
            except TimeoutError as late:
                raise RuntimeError(f"{command[0]}: {(folder / 'log').read_text()[-2_000:]}") from late
            yield
        finally:
            process.send_signal(stop)
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _whom() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    person = pwd.getpwnam(_UNPRIVILEGED)
    return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    return (done.stdout.strip().splitlines() or ["no output"])[-1]
