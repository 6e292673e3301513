"""The whole product on one machine: embedded servers and every process of the grouping table."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from dev import grouping
from dev.data_dir import held
from dev.dotenv import read_dotenv
from dev.faults import StartFailed
from dev.grouping import GROUPS, ROOT, WORKER, Processes, variable
from dev.infrastructure import EmbeddedInfrastructure
from dev.ports import PortBook, is_free
from dev.probes import grpc_serving, http_ok
from dev.process import ManagedProcess, ProcessSpec
from dev.together import together

_READY_SECONDS = 180.0
# Five seconds in all. Running turns get 3 s of grace and then are ended and stored, callees follow, and what is left is
# for the servers: 1.1 s is enough for all of them, with less SeaweedFS is killed, which it survives.
_STOP_SECONDS = 4.8
_FIRST_WAVE_SECONDS = 3.9
_SERVICES_SECONDS = 4.1
# Celery takes 2.3 s to end; nobody waits for the worker's answers, and its jobs are leases that another one takes up.
_WORKER_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Programs:
    """What is run for a group of services (their names are appended) and for the Celery worker."""

    group: tuple[str, ...] = (sys.executable, "-m", "dev.group")
    worker: tuple[str, ...] = (sys.executable, "-m", "superagent_ingestion.worker")


@dataclass(frozen=True, slots=True)
class Administrator:
    """The first administrator, whose password is known this once."""

    username: str
    password: str


class Fleet:
    """The running processes by name (`edge`, `worker`, `tansu`, ...); each is started again when it dies.

    `base_url` is the gateway's, `environment` what the services were told, `logs` the folder with one file per process,
    `administrator` set only by the start that created it.
    """

    def __init__(
        self, data_dir: Path, base_url: str, environment: Mapping[str, str], infrastructure: EmbeddedInfrastructure
    ) -> None:
        self.data_dir = data_dir
        self.base_url = base_url
        self.environment = environment
        self.infrastructure = infrastructure
        self.replicas: dict[str, dict[str, str]] = {}
        """What the second replica of a service was told differently, by service."""
        self.logs = data_dir / "logs"
        self.administrator: Administrator | None = None
        self.processes: dict[str, ManagedProcess] = dict(infrastructure.processes)

    @property
    def pids(self) -> dict[str, int]:
        """Pids of what runs now."""
        return {name: process.pid for name, process in self.processes.items() if process.pid is not None}

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> int:
        """Sends a signal to one process and returns its pid. Raises ProcessLookupError when it does not run."""
        return self.processes[name].kill(number)

    async def replaced(self, name: str, pid: int, timeout_seconds: float = _READY_SECONDS) -> None:
        """Waits until another process than `pid` runs under the name and answers. Raises StartFailed otherwise."""
        await self.processes[name].wait_ready(timeout_seconds, other_than=pid)

    async def stop(self, name: str, grace_seconds: float = _FIRST_WAVE_SECONDS) -> None:
        """Stops one process and leaves it stopped, for tests of what the others do without it."""
        await self.processes[name].stop(grace_seconds)

    async def start(self, name: str, timeout_seconds: float = _READY_SECONDS) -> None:
        """Starts again what `stop` stopped and waits until it answers. Raises StartFailed."""
        self.processes[name].start()
        await self.processes[name].wait_ready(timeout_seconds)


@asynccontextmanager
async def fleet(
    data_dir: Path,
    *,
    port: int = 0,
    processes: Processes = "grouped",
    environment: Mapping[str, str] | None = None,
    programs: Programs | None = None,
    second: tuple[str, ...] = (),
) -> AsyncIterator[Fleet]:
    """Starts everything, yields when every service says SERVING and the gateway is ready, stops within 5 s on leaving.

    `data_dir` is absolute. `port` is the gateway's; 0 takes a free one. `environment` holds further settings of the
    services; without it they are taken from `.env` and this process's own environment, which wins. `second` names
    services that run twice, the second time in a process of its own, `<service>-2`. Raises StartFailed with one line.
    """
    if environment is None:
        settings = {**read_dotenv(ROOT / ".env"), **os.environ}
    else:
        settings = {**grouping.machine_environment(), **environment}
    with held(data_dir) as stopping, closing(PortBook(data_dir / "ports.json")) as ports:
        # Not before: what a killed start left behind had it until now.
        if port and not is_free(port):
            raise StartFailed(f"port {port} on 127.0.0.1 is taken: choose another with PORT=")
        infrastructure = EmbeddedInfrastructure(data_dir, ports)
        contract = grouping.service_environment(
            data_dir, ports, port or ports.port("gateway.http"), infrastructure.environment()
        )
        replicas = {service: grouping.second_replica(service, contract, ports) for service in second}
        running = Fleet(data_dir, f"http://{contract['GATEWAY_HTTP_LISTEN']}", contract, infrastructure)
        running.replicas = replicas
        waves: list[list[ManagedProcess]] = [[], [], [], []]
        for spec, services in _specs(processes, {**settings, **contract}, programs or Programs(), replicas):
            running.processes[spec.name] = ManagedProcess(spec, data_dir)
            if services:
                waves[grouping.stop_wave(services)].append(running.processes[spec.name])
        try:
            await _start(running, [process for wave in waves for process in wave])
            running.administrator = _first_administrator(Path(contract["GATEWAY_ADMIN_PASSWORD_FILE"]))
            yield running
        finally:
            stopping()
            await _stop(running, waves)


def _specs(
    processes: Processes,
    environment: Mapping[str, str],
    programs: Programs,
    replicas: Mapping[str, Mapping[str, str]],
) -> list[tuple[ProcessSpec, tuple[str, ...]]]:
    """What to run for each process, with its services; the worker has none."""
    specs: list[tuple[ProcessSpec, tuple[str, ...]]] = []
    groups = [(name, services, environment) for name, services in GROUPS[processes].items()]
    groups += [(f"{service}-2", (service,), {**environment, **own}) for service, own in replicas.items()]
    for name, services, told in groups:
        spec = ProcessSpec(
            name=name,
            command=(*programs.group, *services),
            environment=told,
            ready=_Serving(services, told),
            directory=ROOT,
            waits_for_go=True,
        )
        specs.append((spec, services))
    worker = ProcessSpec(name=WORKER, command=programs.worker, environment=environment, ready=_runs, directory=ROOT)
    return [*specs, (worker, ())]


class _Serving:
    """Whether every service of a process says SERVING, and the gateway's door is open too."""

    def __init__(self, services: tuple[str, ...], environment: Mapping[str, str]) -> None:
        self._addresses = [environment[variable(service, "LISTEN")] for service in services]
        self._http_port = int(environment["GATEWAY_HTTP_LISTEN"].rpartition(":")[2]) if "gateway" in services else None

    async def __call__(self) -> bool:
        for address in self._addresses:
            if not await grpc_serving(address):
                return False
        return self._http_port is None or await http_ok(self._http_port, "/readyz")


async def _runs() -> bool:
    """The worker has no door to knock on: it is there or it has ended."""
    return True


async def _start(running: Fleet, groups: list[ManagedProcess]) -> None:
    infrastructure = asyncio.create_task(running.infrastructure.start())
    try:
        # They import while the servers start.
        for process in groups:
            process.start()
        from superagent_common.identity.keys import ensure_keys

        ensure_keys(running.data_dir / "keys")
        for folder in ("databases", "retrieval"):
            (running.data_dir / folder).mkdir(exist_ok=True)
        await infrastructure
    finally:
        infrastructure.cancel()
    for process in groups:
        process.go()
    worker = running.processes[WORKER]
    worker.start()
    await together(*(process.wait_ready(_READY_SECONDS) for process in (*groups, worker)))


async def _stop(running: Fleet, waves: list[list[ManagedProcess]]) -> None:
    began = time.monotonic()

    async def in_waves() -> None:
        for number, wave in enumerate(waves):
            until = began + (_FIRST_WAVE_SECONDS if number == 0 else _SERVICES_SECONDS)
            grace = max(0.0, until - time.monotonic())
            await asyncio.gather(*(process.stop(grace) for process in wave))

    await asyncio.gather(in_waves(), running.processes[WORKER].stop(_WORKER_SECONDS))
    await running.infrastructure.stop(began + _STOP_SECONDS - time.monotonic())


def _first_administrator(path: Path) -> Administrator | None:
    """Takes what the gateway left when it created the first administrator: two lines, name and password."""
    if not path.exists():
        return None
    username, password = path.read_text(encoding="utf-8").splitlines()
    path.unlink()
    return Administrator(username, password)
