"""Which services share a process, in which order they stop, and what each is told in its environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from dev.ports import PortBook

Processes = Literal["grouped", "separate"]

ROOT = Path(__file__).resolve().parent.parent
STATIC_DIR = ROOT / "services" / "gateway" / "src" / "superagent_gateway" / "static"

# Callees before callers: a process starts its services in this order and stops them in reverse.
SERVICES = ("trace", "memory", "retrieval", "ingestion", "agent-executor", "orchestrator", "gateway")
WORKER = "worker"

GROUPS: Mapping[Processes, Mapping[str, tuple[str, ...]]] = {
    "grouped": {
        "edge": ("trace", "memory", "agent-executor", "orchestrator", "gateway"),
        "retrieval": ("retrieval",),
        "ingestion": ("ingestion",),
    },
    "separate": {service: (service,) for service in SERVICES},
}

# A turn that is in its grace still searches, plans and stores: what it calls stops after it.
_STOP_WAVE = {"agent-executor": 1, "retrieval": 2, "memory": 2, "trace": 3}


def stop_wave(services: tuple[str, ...]) -> int:
    """When a process with these services is told to stop: 0 first, callers before whom they call."""
    return min(_STOP_WAVE.get(service, 0) for service in services)


def variable(service: str, what: str) -> str:
    """The name of a service's variable: `agent-executor`, `LISTEN` → AGENT_EXECUTOR_LISTEN."""
    return f"{service.replace('-', '_').upper()}_{what}"


def service_environment(
    data_dir: Path, ports: PortBook, http_port: int, infrastructure: Mapping[str, str]
) -> dict[str, str]:
    """What every process is told, the same for all: stores, keys, and for each service where it listens and is reached."""
    environment = {
        **infrastructure,
        "DATA_DIR": str(data_dir),
        "KEYS_DIR": str(data_dir / "keys"),
        "RETRIEVAL_DATA_DIR": str(data_dir / "retrieval"),
        "INGESTION_WORKER_LOCKS_DIR": str(data_dir / "run" / "ingestion-workers"),
        "GATEWAY_HTTP_LISTEN": f"127.0.0.1:{http_port}",
        "GATEWAY_ADMIN_PASSWORD_FILE": str(data_dir / "admin-password.once"),
    }
    if STATIC_DIR.is_dir():
        environment["GATEWAY_STATIC_DIR"] = str(STATIC_DIR)
    for service in SERVICES:
        address = f"127.0.0.1:{ports.port(service)}"
        database = data_dir / "databases" / f"{service}.db"
        environment[variable(service, "LISTEN")] = address
        environment[variable(service, "ADDRESS")] = address
        environment[variable(service, "METRICS_LISTEN")] = f"127.0.0.1:{ports.port(f'{service}.metrics')}"
        environment[variable(service, "DATABASE_URL")] = f"sqlite:///{database}"
    environment["OTLP_ENDPOINT"] = environment["TRACE_ADDRESS"]
    return environment


def second_replica(service: str, environment: dict[str, str], ports: PortBook) -> dict[str, str]:
    """What the second replica of a service is told differently: where it listens.

    From now on `environment`, which all share, says that the service is reached at both.
    """
    listen = f"127.0.0.1:{ports.port(f'{service}-2')}"
    own = {
        variable(service, "LISTEN"): listen,
        variable(service, "METRICS_LISTEN"): f"127.0.0.1:{ports.port(f'{service}-2.metrics')}",
    }
    if service == "gateway":
        own["GATEWAY_HTTP_LISTEN"] = f"127.0.0.1:{ports.port('gateway-2.http')}"
    environment[variable(service, "ADDRESS")] = f"ipv4:{environment[variable(service, 'LISTEN')]},{listen}"
    return own


# What a process needs from the machine, whatever else it is told; the proxies keep tests from reaching outside.
_MACHINE = ("PATH", "PYTHONPATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SSL_CERT_FILE")


def machine_environment() -> dict[str, str]:
    """The part of this process's environment that says nothing about the product."""
    return {name: value for name, value in os.environ.items() if name in _MACHINE or name.lower().endswith("_proxy")}
