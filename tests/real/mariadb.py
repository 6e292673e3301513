"""MariaDB, which stands for MySQL too, from Debian's packages or in Docker."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.real.container import container
from tests.real.debian import checked, run, serving, unpacked, workplace
from tests.real.servers import Running, Server
from tests.real.waiting import listening

_IMAGE = "mariadb:11.4"
_PACKAGES = ("mariadb-server-core", "mariadb-client-core", "libaio1", "libnuma1", "liburing2")


@contextmanager
def _from_packages(_: Path) -> Iterator[Running]:
    with workplace() as (folder, port):
        root = Path("/")
        if shutil.which("mariadbd", path="/usr/sbin:/usr/bin") is None:
            root = unpacked(_PACKAGES, folder)
        usr = root / "usr"
        environment = {"LD_LIBRARY_PATH": str(usr / "lib/x86_64-linux-gnu")} if root != Path("/") else {}
        data = folder / "data"
        checked(
            run(
                [
                    *(usr / "bin/mariadb-install-db", "--no-defaults", f"--basedir={usr}", f"--datadir={data}"),
                    *("--auth-root-authentication-method=normal", "--skip-test-db", "--cross-bootstrap"),
                ],
                folder,
                environment,
            )
        )
        command = [
            *(usr / "sbin/mariadbd", "--no-defaults", f"--basedir={usr}", f"--datadir={data}", f"--port={port}"),
            *("--bind-address=127.0.0.1", f"--socket={folder}/socket", f"--pid-file={folder}/pid"),
            *(f"--lc-messages-dir={usr}/share/mysql", "--innodb-flush-log-at-trx-commit=0", "--skip-name-resolve"),
        ]
        with serving(command, port, folder, environment):
            version = run([usr / "sbin/mariadbd", "--no-defaults", "--version"], folder, environment).stdout.split()[2]
            yield Running(f"mysql+asyncmy://root@127.0.0.1:{port}/mysql", f"{version}, started here")


@contextmanager
def _in_docker(_: Path) -> Iterator[Running]:
    with container(_IMAGE, 3306, {"MARIADB_ALLOW_EMPTY_ROOT_PASSWORD": "1"}) as address:
        listening(address)
        yield Running(f"mysql+asyncmy://root@{address}/mysql", f"Docker image {_IMAGE}")


MARIADB = Server("MariaDB", "MYSQL_URL", (_from_packages, _in_docker))
