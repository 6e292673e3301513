"""PostgreSQL, from Debian's packages or in Docker."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.real.container import container
from tests.real.debian import checked, run, serving, unpacked, workplace
from tests.real.servers import Running, Server
from tests.real.waiting import listening

_IMAGE = "postgres:16"
_PACKAGES = ("postgresql-15", "libpq5", "libllvm14", "libjson-c5", "libldap-2.5-0", "libsasl2-2", "libxslt1.1")
_USER = "superagent"


@contextmanager
def _from_packages(_: Path) -> Iterator[Running]:
    with workplace() as (folder, port):
        root = Path("/")
        if not _programs(root):
            root = unpacked(_PACKAGES, folder)
        programs = _programs(root)[-1]
        environment = {"LD_LIBRARY_PATH": str(root / "usr/lib/x86_64-linux-gnu")} if root != Path("/") else {}
        data = folder / "data"
        checked(
            run(
                [
                    *(programs / "initdb", "--pgdata", data, "--username", _USER, "--auth", "trust"),
                    *("--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"),
                ],
                folder,
                environment,
            )
        )
        command = [
            *(programs / "postgres", "-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1"),
            *("-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=50"),
        ]
        # SIGINT is its fast shutdown: SIGTERM waits for all who are connected.
        with serving(command, port, folder, environment, stop=signal.SIGINT):
            version = run([programs / "postgres", "--version"], folder, environment).stdout.split()[2]
            yield Running(f"postgresql+asyncpg://{_USER}@127.0.0.1:{port}/postgres", f"{version}, started here")


@contextmanager
def _in_docker(_: Path) -> Iterator[Running]:
    environment = {"POSTGRES_USER": _USER, "POSTGRES_HOST_AUTH_METHOD": "trust", "POSTGRES_DB": "postgres"}
    with container(_IMAGE, 5432, environment) as address:
        listening(address)
        yield Running(f"postgresql+asyncpg://{_USER}@{address}/postgres", f"Docker image {_IMAGE}")


def _programs(root: Path) -> list[Path]:
    """Folders with the server's programs, the newest version last."""
    found = [path.parent for path in (root / "usr/lib/postgresql").glob("*/bin/postgres")]
    if not found and root == Path("/") and (initdb := shutil.which("initdb")) and shutil.which("postgres"):
        found = [Path(initdb).resolve().parent]
    return sorted(found, key=lambda path: int(path.parent.name) if path.parent.name.isdigit() else 0)


POSTGRESQL = Server("PostgreSQL", "POSTGRESQL_URL", (_from_packages, _in_docker))
