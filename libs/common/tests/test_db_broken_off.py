"""What may be broken off, a SELECT that takes long, leaves nothing behind that breaks off what must not be."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from libs.common.tests.sample_service.tables import metadata, notes
from superagent_common.db.sqlite import SqliteStore


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(str(tmp_path / "notes.db"))
    async with opened.write() as connection:
        await connection.run_sync(metadata.create_all)
    yield opened
    await opened.close()


async def test_the_time_limit_of_a_select_is_not_that_of_later_transactions(store: SqliteStore) -> None:
    async with store.write() as connection:
        await connection.execute(select(notes))
    # SQLite asks whether to break off after 2,000 instructions of a statement in all its runs: here several times.
    for _ in range(3_000):
        async with store.write():
            pass
    await _write(store, "in time")


async def test_a_transaction_that_breaks_off_while_it_begins_is_not_left_open(store: SqliteStore) -> None:
    async with store.write() as connection:
        file = connection.file
    once = iter([True])
    file.set_progress_handler(lambda: file.in_transaction and next(once, False), 1)
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        async with store.write():
            pass
    await _write(store, "next")
    async with store.read() as connection:
        assert await connection.scalar(select(notes.c.text)) == "next"


async def _write(store: SqliteStore, words: str) -> None:
    async with store.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": words})
