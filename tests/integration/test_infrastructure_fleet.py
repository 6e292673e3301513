"""The supervisor behind `make run`, with stand-ins for the services: start, restart, stop, and what a killed one leaves."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from dev.faults import StartFailed
from dev.fleet import Fleet, fleet
from dev.grouping import ROOT, SERVICES, Processes
from dev.pid_files import PidFile
from dev.probes import grpc_serving
from tests.integration.stand_in_fleet import STAND_INS

SERVERS = {"valkey", "seaweedfs", "tansu"}
STOP_SECONDS = 120.0
"""Five, and what a busy machine adds; whoever will not stop would stay for ten minutes."""


@asynccontextmanager
async def stand_in_fleet(
    data_dir: Path, processes: Processes = "grouped", environment: Mapping[str, str] | None = None, port: int = 0
) -> AsyncIterator[Fleet]:
    settings = environment or {}
    async with fleet(data_dir, port=port, processes=processes, environment=settings, programs=STAND_INS) as running:
        yield running


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def gone(pids: list[int], within_seconds: float = 120) -> bool:
    """Waits for processes that are not children of this one."""

    def wait() -> bool:
        deadline = time.monotonic() + within_seconds
        while any(map(runs, pids)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return not any(map(runs, pids))

    return await asyncio.to_thread(wait)


@pytest.mark.parametrize(
    ("processes", "names"),
    [("grouped", {"edge", "retrieval", "ingestion", "worker"}), ("separate", {*SERVICES, "worker"})],
)
async def test_every_service_answers_once_the_fleet_is_there_and_none_is_left_after_it(
    tmp_path: Path, processes: Processes, names: set[str]
) -> None:
    async with stand_in_fleet(tmp_path, processes) as running:
        assert set(running.pids) == names | SERVERS
        for service in SERVICES:
            assert await grpc_serving(running.environment[f"{service.replace('-', '_').upper()}_ADDRESS"])
        with await asyncio.to_thread(urllib.request.urlopen, f"{running.base_url}/readyz", timeout=120) as answer:
            assert answer.status == 200
        pids = list(running.pids.values())
        began = time.monotonic()
    assert time.monotonic() - began < STOP_SECONDS
    assert not [pid for pid in pids if runs(pid)]
    assert not list((tmp_path / "run").iterdir())


async def test_services_are_told_where_everything_is(tmp_path: Path) -> None:
    async with stand_in_fleet(tmp_path, environment={"LLM_MODEL": "a-model"}) as running:
        told = psutil.Process(running.pids["retrieval"]).environ()
        assert told["LLM_MODEL"] == "a-model"
        assert told["DATA_DIR"] == str(tmp_path)
        assert told["OTLP_ENDPOINT"] == told["TRACE_LISTEN"] == told["TRACE_ADDRESS"]
        assert told["AGENT_EXECUTOR_DATABASE_URL"] == f"sqlite:///{tmp_path}/databases/agent-executor.db"
        assert told.items() >= running.infrastructure.environment().items()
        assert (Path(told["KEYS_DIR"]) / "keys.json").exists()
        listeners = [value for name, value in told.items() if name.endswith("LISTEN")]
        assert len(listeners) == len(set(listeners)) == 2 * len(SERVICES) + 1


async def test_a_process_that_dies_is_started_again_without_what_it_had_started(tmp_path: Path) -> None:
    async with stand_in_fleet(tmp_path, environment={"STAND_IN_PARENT": "retrieval"}) as running:
        child = int((tmp_path / "child.pid").read_text())
        others = {name: pid for name, pid in running.pids.items() if name != "retrieval"}
        killed = running.kill("retrieval")
        await running.replaced("retrieval", killed)
        assert await gone([child])
        assert await grpc_serving(running.environment["RETRIEVAL_ADDRESS"])
        assert {name: pid for name, pid in running.pids.items() if name != "retrieval"} == others


async def test_a_stopped_process_stays_stopped_until_it_is_started(tmp_path: Path) -> None:
    async with stand_in_fleet(tmp_path) as running:
        await running.stop("tansu")
        assert "tansu" not in running.pids
        await running.start("tansu")
        assert "tansu" in running.pids


async def test_a_process_that_will_not_stop_is_killed_in_time(tmp_path: Path) -> None:
    async with stand_in_fleet(tmp_path, environment={"STAND_IN_STUBBORN": "gateway"}) as running:
        pids = list(running.pids.values())
        began = time.monotonic()
    assert time.monotonic() - began < STOP_SECONDS
    assert not [pid for pid in pids if runs(pid)]


async def test_the_first_start_alone_hands_over_the_administrator(tmp_path: Path) -> None:
    async with stand_in_fleet(tmp_path) as first:
        assert first.administrator is not None
        assert first.administrator.password == "made-up-for-this-test"
    assert not (tmp_path / "admin-password.once").exists()
    async with stand_in_fleet(tmp_path) as second:
        assert second.administrator is None


async def test_a_service_that_cannot_start_is_named_with_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match=r"^ingestion ended \(exit code 1\).*the setting EXAMPLE is missing$"):
        async with stand_in_fleet(tmp_path, environment={"STAND_IN_BROKEN": "ingestion"}):
            pass
    assert not list((tmp_path / "run").iterdir())


async def test_a_second_start_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    async with stand_in_fleet(tmp_path) as running:
        pids = running.pids
        with pytest.raises(StartFailed, match=f"in use by another start .*pid {os.getpid()}"):
            async with stand_in_fleet(tmp_path):
                pass
        assert running.pids == pids


@asynccontextmanager
async def killable_start(data_dir: Path, path: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, dict[str, int]]]:
    """A start in a process of its own, and the pids of its children once all answer."""
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.integration.stand_in_fleet",
        str(data_dir),
        cwd=ROOT,
        env={**os.environ, "PATH": path, "STAND_IN_PARENT": "retrieval"},
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout is not None
    try:
        yield parent, json.loads(await parent.stdout.readline())
    finally:
        if parent.returncode is None:
            parent.kill()
        await parent.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of their parent's death")
async def test_children_end_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    async with killable_start(tmp_path, os.environ["PATH"]) as (parent, children):
        parent.kill()
        assert await gone(list(children.values()))


async def test_the_next_start_ends_what_a_killed_supervisor_left(tmp_path: Path) -> None:
    # Without setpriv on its path the supervisor cannot have the kernel end its children.
    async with killable_start(tmp_path, path="/nowhere") as (parent, children):
        child = int((tmp_path / "child.pid").read_text())
        # Its leader goes too: retrieval's child is then found by its group and its environment.
        parent.kill()
        await parent.wait()
        os.kill(children["retrieval"], signal.SIGKILL)
        assert runs(child)
        assert len([pid for pid in children.values() if runs(pid)]) >= len(children) - 1
        port = json.loads((tmp_path / "ports.json").read_text())["gateway.http"]
        async with stand_in_fleet(tmp_path, port=port) as running:
            assert not [pid for pid in [child, *children.values()] if runs(pid)]
            assert not set(running.pids.values()) & set(children.values())


async def test_a_stranger_that_got_a_recorded_pid_is_left_alone(tmp_path: Path) -> None:
    stranger = await asyncio.create_subprocess_exec("sleep", "600", start_new_session=True)
    try:
        file = tmp_path / "run" / "edge.pid"
        PidFile(file).record(stranger.pid)
        recorded = json.loads(file.read_text())
        file.write_text(json.dumps({**recorded, "started": recorded["started"] - 60}))
        async with stand_in_fleet(tmp_path):
            assert stranger.returncode is None
    finally:
        stranger.kill()
        await stranger.wait()
