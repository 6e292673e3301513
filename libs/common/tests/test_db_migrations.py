"""Databases come to the newest revision at start, once, whoever else starts."""

import asyncio
import sqlite3
import sys
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from libs.common.tests.sample_service.tables import metadata
from superagent_common.db import migrate
from superagent_common.db.migrations import _migrate_server

_SAMPLE = "libs.common.tests.sample_service"
_FOLDER = Path(__file__).parent / "sample_service" / "migrations"


def _revision(path: Path) -> str:
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    finally:
        connection.close()


async def test_a_missing_database_is_made_with_all_tables(tmp_path: Path) -> None:
    path = tmp_path / "deeper" / "notes.db"
    await migrate(f"sqlite:///{path}", _SAMPLE)
    assert _revision(path) == "0002"
    with create_engine(f"sqlite:///{path}").connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


async def test_services_that_start_together_migrate_one_after_the_other(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.db" for name in ("shared", "other", "third")]
    await asyncio.gather(*(migrate(f"sqlite:///{path}", _SAMPLE) for path in (*paths, *paths, *paths)))
    assert [_revision(path) for path in paths] == ["0002"] * 3


async def test_rows_survive_the_next_revision(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    await migrate(f"sqlite:///{path}", _SAMPLE)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO notes (note_id, text) VALUES (1, 'old')")
    connection.execute("DROP TABLE labels")
    connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.commit()
    await migrate(f"sqlite:///{path}", _SAMPLE)
    assert connection.execute("SELECT text FROM notes").fetchall() == [("old",)]
    assert connection.execute("SELECT * FROM labels").fetchall() == []
    connection.close()


async def test_a_failing_revision_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    connection = sqlite3.connect(path)
    # In the way of the second revision: the first must not stay behind alone.
    connection.execute("CREATE TABLE labels (other INTEGER)")
    connection.commit()
    try:
        await migrate(f"sqlite:///{path}", _SAMPLE)
    except Exception as error:  # noqa: BLE001 - which one is Alembic's business
        assert "labels" in str(error)
    else:
        raise AssertionError("the revision went through")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    assert tables == {"labels"}


async def test_alembic_is_not_loaded_when_there_is_nothing_to_do(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/notes.db"
    await migrate(url, _SAMPLE)
    program = (
        "import asyncio, sys; from superagent_common.db import migrate;"
        f"asyncio.run(migrate({url!r}, {_SAMPLE!r})); sys.exit('alembic' in sys.modules)"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, cwd=Path(__file__).parents[3])
    assert await process.wait() == 0


async def test_a_database_behind_an_async_driver_is_migrated_the_same_way(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    url = make_url(f"sqlite+aiosqlite:///{path}")
    await asyncio.to_thread(lambda: asyncio.run(_migrate_server(url, _FOLDER, "0002")))
    assert _revision(path) == "0002"
