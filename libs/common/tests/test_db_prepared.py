"""A statement that is kept and runs again answers as it did the first time, when SQLAlchemy ran it."""

import gc
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    LargeBinary,
    MetaData,
    String,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.exc import IntegrityError
from sqlalchemy.types import TypeDecorator

from superagent_common.db.connection import Connection
from superagent_common.db.prepared import PreparedStatements
from superagent_common.db.sqlite import SqliteStore


class _Shouted(TypeDecorator[str]):
    """A type of one's own, which converts both ways."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        return value and str(value).upper()

    def process_result_value(self, value: Any, dialect: Any) -> str | None:
        return value and f"{value}!"


_METADATA = MetaData()
_THINGS = Table(
    "things",
    _METADATA,
    Column("thing_id", String(20), primary_key=True),
    Column("detail", JSON),
    Column("good", Boolean),
    Column("raw", LargeBinary),
    Column("word", _Shouted),
    Column("made", String(20), default=lambda: "by code"),
)
_ADD = insert(_THINGS)
_ONE = select(_THINGS).where(_THINGS.c.thing_id == bindparam("wanted"))
_FULL = {"detail": {"n": [1, None]}, "good": True, "raw": b"\x00\xff", "word": "hey", "made": "by hand"}


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncIterator[Connection]:
    store = await SqliteStore.open(str(tmp_path / "things.db"))
    async with store.write() as opened:
        await opened.run_sync(_METADATA.create_all)
        yield opened
    await store.close()


async def test_values_and_rows_are_converted_the_same_in_every_run(connection: Connection) -> None:
    for name in ("first", "second", "third"):
        added = await connection.execute(_ADD, {"thing_id": name, **_FULL})
        assert added.rowcount == 1
    rows = [(await connection.execute(_ONE, {"wanted": name})).one() for name in ("first", "second", "third")]
    for row, name in zip(rows, ("first", "second", "third"), strict=True):
        assert tuple(row) == (name, {"n": [1, None]}, True, b"\x00\xff", "HEY!", "by hand")
        assert row._mapping == {"thing_id": name, **_FULL, "word": "HEY!"}
        assert row.good is True


async def test_columns_that_are_left_out_and_defaults_of_code_stay_what_they_are(connection: Connection) -> None:
    for name in ("first", "second", "third"):
        await connection.execute(_ADD, {"thing_id": name})
        await connection.execute(_ADD, {"thing_id": f"{name} full", **_FULL})
    rows = (await connection.execute(select(_THINGS.c.made, _THINGS.c.word).order_by(_THINGS.c.thing_id))).all()
    assert [tuple(row) for row in rows] == [("by code", None), ("by hand", "HEY!")] * 3


async def test_constants_counts_and_lists_of_any_length(connection: Connection) -> None:
    many = [{"thing_id": f"{number:02}", **_FULL} for number in range(10)]
    clear, newest = delete(_THINGS), select(_THINGS.c.thing_id).order_by(_THINGS.c.thing_id.desc()).limit(2)
    rename = update(_THINGS).where(_THINGS.c.thing_id < "05").values(word=bindparam("told"), good=False)
    among = select(func.count()).where(_THINGS.c.thing_id.in_(bindparam("ids", expanding=True)))
    for run in range(3):
        await connection.execute(_ADD, many)
        assert (await connection.scalars(newest)).all() == ["09", "08"]
        assert (await connection.execute(rename, {"told": "x"})).rowcount == 5
        assert await connection.scalar(among, {"ids": ["00", "01", "x"][: run + 1]}) == min(run + 1, 2)
        assert await connection.scalar(_ONE, {"wanted": "nobody"}) is None
        assert (await connection.execute(clear)).rowcount == 10


async def test_what_the_database_refuses_is_the_same_error_and_does_not_say_what_was_written(
    connection: Connection,
) -> None:
    await connection.execute(_ADD, {"thing_id": "secret", **_FULL})
    for _ in range(3):
        with pytest.raises(IntegrityError) as refused:
            await connection.execute(_ADD, {"thing_id": "secret", **_FULL})
        assert "secret" not in str(refused.value)


def test_only_what_is_run_again_is_prepared_and_kept_no_longer_than_by_who_runs_it() -> None:
    statements = PreparedStatements(dialect())
    statement = select(_THINGS.c.thing_id)
    assert statements.find(statement, None) is None
    again = statements.find(statement, None)
    assert again is not None
    assert statements.find(statement, None) is again
    gone = weakref.ref(statement)
    del statement
    gc.collect()
    assert gone() is None
