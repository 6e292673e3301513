"""Servers as Docker containers, where a Docker engine answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import docker
from docker.errors import DockerException
from testcontainers.core.container import DockerContainer

from tests.real.servers import NotHere


@contextmanager
def container(image: str, port: int, environment: Mapping[str, str]) -> Iterator[str]:
    """host:port of a fresh container's `port`, which may not answer yet."""
    try:
        docker.from_env().ping()
    except DockerException as error:
        raise NotHere("no Docker engine answers") from error
    served = DockerContainer(image).with_exposed_ports(port)
    for name, value in environment.items():
        served = served.with_env(name, value)
    with served:
        yield f"{served.get_container_host_ip()}:{served.get_exposed_port(port)}"
