"""Brings a service's database to the newest revision at start.

A service keeps its revisions in `<package>/migrations/versions/<nnnn>_<what>.py`, `revision = "<nnnn>"`, and this
`migrations/env.py`:

    from superagent_common.db.migrations import run
    from superagent_<service>.adapters.tables import metadata

    run(metadata)
"""

from __future__ import annotations

import asyncio
import fcntl
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path

from sqlalchemy import Connection, MetaData, create_engine, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.pool import NullPool

_REVISION_FILE = re.compile(r"(\d{4})_\w+\.py")
# PostgreSQL's ends with the transaction, MySQL's with the connection. The number is any that others do not use.
_SERVER_LOCKS = {
    "postgresql": "SELECT pg_advisory_xact_lock(495891539314)",
    "mysql": "SELECT GET_LOCK('superagent_migrations', 600)",
    "mariadb": "SELECT GET_LOCK('superagent_migrations', 600)",
}
# Alembic keeps what it works on in module globals, and several services may start in one process.
_alembic = threading.Lock()


async def migrate(url: str, package: str) -> None:
    """Upgrades the database at `url` to the newest revision in `<package>.migrations`, one process at a time.

    A SQLite file is made with its folder when it is missing. Alembic (0.5 s to import) is left alone when the
    database is at the newest revision already.
    """
    folder = Path(str(resources.files(package))) / "migrations"
    newest = max(found[1] for path in folder.glob("versions/*.py") if (found := _REVISION_FILE.fullmatch(path.name)))
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        await asyncio.to_thread(_migrate_file, parsed, folder, newest)
    else:
        # A loop of its own: `_alembic` is a thread's lock and is held across awaits.
        await asyncio.to_thread(lambda: asyncio.run(_migrate_server(parsed, folder, newest)))


def run(metadata: MetaData) -> None:
    """The body of a service's `env.py`: runs what `migrate` asked for on the connection that it gave."""
    from alembic import context

    connection: Connection = context.config.attributes["connection"]
    # SQLite changes tables by making new ones (batch mode).
    context.configure(
        connection=connection, target_metadata=metadata, render_as_batch=connection.dialect.name == "sqlite"
    )
    context.run_migrations()


def _migrate_file(url: URL, folder: Path, newest: str) -> None:
    path = Path(url.database or "")
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{path}", poolclass=NullPool, connect_args={"isolation_level": None})
    with _file_lock(path.with_name(path.name + ".migration-lock")), closing(engine.connect()) as connection:
        if _revision(connection) == newest:
            return
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        _upgrade(connection, folder, newest)
        connection.commit()


async def _migrate_server(url: URL, folder: Path, newest: str) -> None:
    # Imported here: see Database.open.
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(url, poolclass=NullPool)
    if engine.dialect.name in _SERVER_LOCKS:
        # Whoever waited for the lock must see what was done meanwhile; MySQL by default shows what there was before.
        engine = engine.execution_options(isolation_level="READ COMMITTED")
    try:
        async with engine.begin() as connection:
            if await connection.run_sync(_revision) != newest:
                await connection.run_sync(_upgrade_locked, folder, newest)
    finally:
        await engine.dispose()


def _upgrade_locked(connection: Connection, folder: Path, newest: str) -> None:
    if lock := _SERVER_LOCKS.get(connection.dialect.name):
        connection.execute(text(lock))
    _upgrade(connection, folder, newest)


def _upgrade(connection: Connection, folder: Path, newest: str) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    with _alembic:
        command.upgrade(config, "head")
    if (reached := _revision(connection)) != newest:
        raise RuntimeError(f"{folder}: the file named {newest}_* is not the head revision, {reached} is")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.scalar(text("SELECT version_num FROM alembic_version"))  # type: ignore[no-any-return]


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
