"""`make test`: every test, in parts of which four at a time run side by side, since most wait much of their time.

Lines are passed on as they come, behind the name of their part; at the end what a failed part wrote stands there once
more in one piece. Exits with 1 when a part failed. Ctrl-C and SIGTERM end every part.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import FrameType

from dev.grouping import ROOT

PYTEST = (sys.executable, "-m", "pytest")
BEHIND = ("nice", "-n", "5")
"""What waits for nobody takes what the fleets leave of the cores."""
BROWSER = "tests/e2e"
# The few pages that are looked at on `fleet_without_model`, which `fleet` has anyway.
WITHOUT_MODEL = f"{BROWSER}/without_model"
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
INDEXING = ("services/ingestion", "services/retrieval")
PARTS: Mapping[str, tuple[str, ...]] = {
    "starts": (*PYTEST, *OWN_FLEETS),
    "browser": (*PYTEST, BROWSER, f"--ignore={WITHOUT_MODEL}"),
    "fleet": (
        *(*PYTEST, "tests", f"--ignore-glob={BROWSER}/test_*.py"),
        *(f"--ignore={path}" for path in OWN_FLEETS),
    ),
    "units": (*BEHIND, *PYTEST, "libs/common/tests", "services", *(f"--ignore={path}" for path in INDEXING)),
    "indexing": (*BEHIND, *PYTEST, *INDEXING),
    "page": (*BEHIND, "npm", "--prefix", "web", "run", "--silent", "test"),
}
"""Commands by name: first those that wait most, for processes and pages. `fleet` and `browser` each start what their tests
share, `starts` one fleet after another."""
AT_ONCE = 4
"""Three leave more than a quarter of two cores unused; with one that stands back they are busy, and no test is slower."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a part ended, and all that it wrote; without an exit code it never began."""

    exit_code: int | None
    seconds: float
    written: str


def run_all(parts: Mapping[str, tuple[str, ...]], at_once: int = AT_ONCE) -> int:
    """Runs all, `at_once` at a time, and gives the exit code for the whole."""
    running: dict[str, subprocess.Popen[str]] = {}
    broken_off = threading.Event()

    def forward(number: int, _frame: FrameType | None) -> None:
        broken_off.set()
        for process in list(running.values()):
            if process.poll() is None:
                os.killpg(process.pid, number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # What nohup or a shell in the background has this process ignore stays ignored.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, forward)

    def run(name: str) -> Ended:
        if broken_off.is_set():
            return Ended(None, 0, "")
        running[name] = _started(parts[name])
        if broken_off.is_set() and running[name].poll() is None:
            # It came while this one began.
            os.killpg(running[name].pid, signal.SIGTERM)
        return _passed_on(name, running[name])

    with ThreadPoolExecutor(at_once) as readers:
        ended = dict(zip(parts, readers.map(run, parts), strict=True))
    return _summed_up(ended)


def _started(command: tuple[str, ...]) -> subprocess.Popen[str]:
    colours = {"FORCE_COLOR": "1"} if sys.stdout.isatty() else {}
    return subprocess.Popen(
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
        if part.exit_code is None:
            print(f"{name:<8} did not begin", flush=True)
            continue
        how = f"FAILED with exit code {part.exit_code}" if part.exit_code else "passed"
        print(f"{name:<8} {how} after {part.seconds:.0f} s", flush=True)
    return int(any(part.exit_code != 0 for part in ended.values()))


if __name__ == "__main__":
    sys.exit(run_all(PARTS))
