"""Qdrant. No package registry has its server, so that without Docker it has to be named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.real.container import container
from tests.real.servers import Running, Server
from tests.real.waiting import listening

_IMAGE = "qdrant/qdrant:v1.20.0"
_GRPC_PORT = 6334


@contextmanager
def _in_docker(_: Path) -> Iterator[Running]:
    with container(_IMAGE, _GRPC_PORT, {}) as address:
        listening(address)
        yield Running(f"http://{address}", f"Docker image {_IMAGE}")


QDRANT = Server("Qdrant", "QDRANT_URL", (_in_docker,))
