"""What `make test` runs, and how its parts are shown, counted and ended."""

from __future__ import annotations

import asyncio
import fnmatch
import signal
import sys
import tomllib
from pathlib import Path

import pytest

from dev.all_tests import PARTS
from dev.grouping import ROOT

FINE = "print('all is well')"
WRONG = "print('one thing'); print('another'); raise SystemExit(3)"
WAITS = "import signal, time; print('waiting', flush=True); time.sleep(600)"


async def started(at_once: int = 2, **programs: str) -> asyncio.subprocess.Process:
    """The runner with parts that are programs in Python."""
    parts = {name: (sys.executable, "-c", program) for name, program in programs.items()}
    runner = f"import sys; from dev.all_tests import run_all; sys.exit(run_all({parts!r}, {at_once}))"
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", runner, cwd=ROOT, stdout=asyncio.subprocess.PIPE, preexec_fn=_heed_ctrl_c
    )


def _heed_ctrl_c() -> None:
    """As in a terminal; a shell that started these tests in the background has its children ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


async def output_of(process: asyncio.subprocess.Process) -> str:
    out, _ = await process.communicate()
    return out.decode()


async def test_each_line_carries_its_part_and_all_is_well_when_every_part_is() -> None:
    process = await started(units=FINE, browser=FINE)
    lines = (await output_of(process)).splitlines()
    assert sorted(lines[:2]) == ["browser | all is well", "units   | all is well"]
    assert [line.split(" after ")[0] for line in lines[3:]] == ["units    passed", "browser  passed"]
    assert process.returncode == 0


@pytest.mark.parametrize("failing", ["units", "browser"])
async def test_one_part_that_fails_fails_the_whole_and_is_shown_again_in_one_piece(failing: str) -> None:
    process = await started(**{"units": FINE, "browser": FINE, failing: WRONG})
    out = await output_of(process)
    assert f"===== {failing}, which failed, once more =====\none thing\nanother\n" in out
    assert f"\n{failing:<8} FAILED with exit code 3 after " in out
    assert out.count("once more") == 1
    assert process.returncode == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_every_part(number: signal.Signals) -> None:
    process = await started(units=WAITS, browser=WAITS)
    assert process.stdout is not None
    said = [await process.stdout.readline() for _ in range(2)]
    assert all(line.endswith(b"waiting\n") for line in said)
    process.send_signal(number)
    out = await output_of(process)
    assert out.count("FAILED with exit code") == 2
    assert process.returncode == 1


async def test_no_more_run_at_once_than_allowed_and_all_have_their_turn(tmp_path: Path) -> None:
    alone = f"import os; os.mkdir({str(tmp_path / 'here')!r}); print('alone'); os.rmdir({str(tmp_path / 'here')!r})"
    process = await started(1, one=alone, two=alone, three=alone)
    out = await output_of(process)
    assert (process.returncode, out.count("| alone"), out.count(" passed ")) == (0, 3, 3), out


async def test_what_waits_for_its_turn_when_a_signal_comes_does_not_begin() -> None:
    process = await started(1, units=WAITS, browser=WAITS)
    assert process.stdout is not None
    assert (await process.stdout.readline()).endswith(b"waiting\n")
    process.send_signal(signal.SIGTERM)
    out = await output_of(process)
    assert "browser  did not begin" in out and "waiting" not in out.split("once more")[0]
    assert process.returncode == 1


def test_each_file_of_tests_belongs_to_one_part() -> None:
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]["testpaths"]
    files = [file for path in configured for file in (ROOT / path).rglob("test_*.py")]
    assert len(files) > 200
    for file in files:
        parts = [name for name, command in PARTS.items() if takes(command, file)]
        assert len(parts) == 1, (file, parts)


def takes(command: tuple[str, ...], file: Path) -> bool:
    """Whether pytest would run a file's tests with these paths and `--ignore`s."""
    paths = [word for word in command if not word.startswith("-") and word != sys.executable and (ROOT / word).exists()]
    ignored = [word.removeprefix("--ignore=") for word in command if word.startswith("--ignore=")]
    globs = [word.removeprefix("--ignore-glob=") for word in command if word.startswith("--ignore-glob=")]
    return (
        any(file.is_relative_to(ROOT / path) for path in paths)
        and not any(file.is_relative_to(ROOT / path) for path in ignored)
        and not any(fnmatch.fnmatch(str(file), str(ROOT / glob)) for glob in globs)
    )
