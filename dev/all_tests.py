"""`make test`: every test, in parts that run side by side, since each of them waits much of its time.

Lines are passed on as they come, behind the name of their part; at the end what a failed part wrote stands there once
more in one piece. Exits with 1 when a part failed. Ctrl-C and SIGTERM end every part.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import FrameType

from dev.grouping import ROOT

PYTEST = (sys.executable, "-m", "pytest")
BROWSER = "tests/e2e"
OWN_FLEETS = (
    "tests/chaos",
    *(
        f"tests/integration/test_{name}.py"
        for name in (
            "infrastructure_fleet",
            "infrastructure_process",
            "infrastructure_servers",
            "infrastructure_start_faults",
            "model_queue",
            "separate_processes",
            "two_replicas",
        )
    ),
)
PARTS: Mapping[str, tuple[str, ...]] = {
    "page": ("npm", "--prefix", "web", "run", "--silent", "test"),
    "units": (*PYTEST, "libs/common/tests", "services"),
    "starts": (*PYTEST, *OWN_FLEETS),
    "fleet": (*PYTEST, "tests", *(f"--ignore={path}" for path in (BROWSER, *OWN_FLEETS))),
    "browser": (*PYTEST, BROWSER),
}
"""Commands by name. `fleet` and `browser` each start the fleets that their tests share, `starts` one after another."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a part ended, and all that it wrote."""

    exit_code: int
    seconds: float
    written: str


def run_all(parts: Mapping[str, tuple[str, ...]]) -> int:
    """Runs all at once and gives the exit code for the whole."""
    running: dict[str, subprocess.Popen[str]] = {}

    def forward(number: int, _frame: FrameType | None) -> None:
        for process in running.values():
            if process.poll() is None:
                os.killpg(process.pid, number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # What nohup or a shell in the background has this process ignore stays ignored.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, forward)
    colours = {"FORCE_COLOR": "1"} if sys.stdout.isatty() else {}
    for name, command in parts.items():
        running[name] = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **colours},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            # A terminal's Ctrl-C reaches every part once, by `forward`.
            start_new_session=True,
        )
    with ThreadPoolExecutor(len(running)) as readers:
        ended = dict(zip(running, readers.map(_passed_on, running, running.values()), strict=True))
    return _summed_up(ended)


def _passed_on(name: str, process: subprocess.Popen[str]) -> Ended:
    began = time.monotonic()
    written: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        written.append(line)
        sys.stdout.write(f"{name:<8}| {line.rstrip()}\n")
        sys.stdout.flush()
    return Ended(process.wait(), time.monotonic() - began, "".join(written))


def _summed_up(ended: Mapping[str, Ended]) -> int:
    failed = {name: part for name, part in ended.items() if part.exit_code}
    for name, part in failed.items():
        print(f"\n===== {name}, which failed, once more =====\n{part.written}")
    print()
    for name, part in ended.items():
        how = f"FAILED with exit code {part.exit_code}" if part.exit_code else "passed"
        print(f"{name:<8} {how} after {part.seconds:.0f} s", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(run_all(PARTS))
