"""Transactions on SQLite: alone in writing, whole or not at all, and never in the way of the event loop."""

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NoOpTracer, StatusCode
from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError

from libs.common.tests.sample_service.tables import labels, metadata, notes
from superagent_common.db import Database
from superagent_common.db.server import ServerStore
from superagent_common.db.sqlite import SqliteStore
from superagent_common.errors import NotFound, Unavailable

_COUNT = select(func.count()).select_from(notes)


@pytest.fixture
async def url(tmp_path: Path) -> str:
    path = tmp_path / "notes.db"
    store = await SqliteStore.open(str(path))
    async with store.write() as connection:
        await connection.run_sync(metadata.create_all)
    await store.close()
    return f"sqlite:///{path}"


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    async with Database.opened(url, tracer=NoOpTracer()) as opened:
        yield opened


@pytest.fixture(params=["file", "server"])
async def any_database(request: pytest.FixtureRequest, url: str) -> AsyncIterator[Database]:
    """The same behaviour from both stores; aiosqlite stands for the driver of a server."""
    if request.param == "file":
        store: SqliteStore | ServerStore = await SqliteStore.open(make_url(url).database or "")
    else:
        store = ServerStore(make_url(url.replace("sqlite:", "sqlite+aiosqlite:")))
    opened = Database(store, NoOpTracer())
    yield opened
    await opened.close()


async def _count(database: Database) -> int:
    async with database.read() as connection:
        return int(await connection.scalar(_COUNT))


async def test_what_a_transaction_writes_is_read_by_the_next(any_database: Database) -> None:
    async with any_database.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": "first"})
        await connection.execute(insert(notes), [{"note_id": n, "text": f"number {n}"} for n in (2, 3)])
        await connection.execute(update(notes).where(notes.c.note_id == 2).values(text="second"))
    async with any_database.read() as connection:
        rows = (await connection.execute(select(notes).order_by(notes.c.note_id))).all()
        texts = (await connection.scalars(select(notes.c.text).where(notes.c.note_id < 3))).all()
    assert [tuple(row) for row in rows] == [(1, "first"), (2, "second"), (3, "number 3")]
    assert texts == ["first", "second"]


async def test_an_error_in_the_block_leaves_nothing_behind(any_database: Database) -> None:
    with pytest.raises(NotFound):
        async with any_database.write() as connection:
            await connection.execute(insert(notes), {"note_id": 1, "text": "half"})
            raise NotFound("unknown_note")
    assert await _count(any_database) == 0
    async with any_database.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": "whole"})
    assert await _count(any_database) == 1


async def test_the_number_of_changed_rows_is_told(any_database: Database) -> None:
    async with any_database.write() as connection:
        await connection.execute(insert(notes), [{"note_id": n, "text": str(n)} for n in range(5)])
        gone = await connection.execute(delete(notes).where(notes.c.note_id < 3))
    assert gone.rowcount == 3


async def test_inserted_rows_come_back_when_asked_for(database: Database) -> None:
    async with database.write() as connection:
        made = await connection.execute(insert(notes).values(text="returned").returning(notes.c.note_id, notes.c.text))
        assert [tuple(row) for row in made] == [(1, "returned")]


async def test_a_failed_statement_does_not_spoil_the_transaction_it_is_caught_in(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": "same"})
        with pytest.raises(IntegrityError):
            await connection.execute(insert(notes), {"note_id": 2, "text": "same"})
        await connection.execute(insert(notes), {"note_id": 3, "text": "other"})
    assert await _count(database) == 2


async def test_readers_see_nothing_of_an_open_transaction_and_do_not_wait_for_it(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": "unborn"})
        assert await _count(database) == 0
    assert await _count(database) == 1


async def test_writers_of_one_process_take_turns(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": "0"})

    async def add_one() -> None:
        async with database.write() as connection:
            value = int(await connection.scalar(select(notes.c.text)))
            await asyncio.sleep(0)
            await connection.execute(update(notes).values(text=str(value + 1)))

    await asyncio.gather(*(add_one() for _ in range(50)))
    async with database.read() as connection:
        assert await connection.scalar(select(notes.c.text)) == "50"


_ADD_200 = """
import asyncio, sys
from opentelemetry.trace import NoOpTracer
from sqlalchemy import text
from superagent_common.db import Database

async def main():
    async with Database.opened(sys.argv[1], tracer=NoOpTracer()) as database:
        for _ in range(200):
            async with database.write() as connection:
                value = await connection.scalar(text("SELECT text FROM notes"))
                await connection.execute(text("UPDATE notes SET text = :text"), {"text": str(int(value) + 1)})

asyncio.run(main())
"""


async def test_writers_of_several_processes_lose_no_update(url: str, database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": "0"})
    processes = [await asyncio.create_subprocess_exec(sys.executable, "-c", _ADD_200, url) for _ in range(2)]
    assert [await process.wait() for process in processes] == [0, 0]
    async with database.read() as connection:
        assert await connection.scalar(select(notes.c.text)) == "400"


async def test_waiting_for_another_process_leaves_the_loop_free(url: str, database: Database) -> None:
    other = sqlite3.connect(make_url(url).database or "", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    wanted = asyncio.create_task(_write_one(database))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not wanted.done()
    other.execute("COMMIT")
    await wanted
    assert await _count(database) == 1
    other.close()


async def _write_one(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": "patient"})


_LONG = text(
    "SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :size)"
    " SELECT i FROM n)"
)


class LoopTurns:
    """Counts the turns that the event loop makes within the block."""

    async def __aenter__(self) -> "LoopTurns":
        self.count = 0
        self._counting = asyncio.create_task(self._run())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._counting.cancel()

    async def _run(self) -> None:
        while True:
            self.count += 1
            await asyncio.sleep(0)


async def test_a_long_select_runs_beside_the_loop(database: Database) -> None:
    async with LoopTurns() as turns, database.read() as connection:
        assert await connection.scalar(_LONG, {"size": 1_000_000}) == 1_000_000
    assert turns.count > 10


async def test_a_long_select_in_a_transaction_keeps_what_was_written(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": "kept"})
        assert await connection.scalar(_LONG, {"size": 300_000}) == 300_000
    assert await _count(database) == 1


async def test_a_cancelled_long_select_stops_and_leaves_the_connection_usable(database: Database) -> None:
    async with database.read() as connection:
        running = asyncio.create_task(connection.scalar(_LONG, {"size": 2_000_000_000}))
        for _ in range(10):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await connection.scalar(_COUNT) == 0


async def test_many_rows_at_once_are_written_beside_the_loop(database: Database) -> None:
    async with LoopTurns() as turns, database.write() as connection:
        await connection.execute(insert(notes), [{"note_id": n, "text": f"row {n}"} for n in range(20_000)])
    assert turns.count > 10
    assert await _count(database) == 20_000


async def test_more_readers_than_connections_take_turns(database: Database) -> None:
    all_taken, release = asyncio.Event(), asyncio.Event()
    started = 0

    async def read() -> int:
        nonlocal started
        async with database.read() as connection:
            started += 1
            if started == 8:
                all_taken.set()
            await release.wait()
            return int(await connection.scalar(_COUNT))

    reading = [asyncio.create_task(read()) for _ in range(20)]
    await all_taken.wait()
    release.set()
    assert await asyncio.gather(*reading) == [0] * 20


async def test_a_full_disk_is_told_and_leaves_nothing_behind(database: Database) -> None:
    async with database.write() as connection:
        pages = await connection.scalar(text("PRAGMA page_count"))
        await connection.execute(text(f"PRAGMA max_page_count={pages}"))
    with pytest.raises(Unavailable) as refused:
        async with database.write() as connection:
            await connection.execute(insert(notes), {"note_id": 1, "text": "small"})
            await connection.execute(insert(notes), {"note_id": 2, "text": "large" * 10_000})
    assert refused.value.reason == "database_full"
    assert await _count(database) == 0
    async with database.write() as connection:
        await connection.execute(insert(notes), {"note_id": 1, "text": "small"})
    assert await _count(database) == 1


async def test_foreign_keys_are_enforced(database: Database) -> None:
    with pytest.raises(IntegrityError):
        async with database.write() as connection:
            await connection.execute(insert(labels), {"label": "lost", "note_id": 99})


async def test_a_closed_database_is_one_file(url: str) -> None:
    async with Database.opened(url, tracer=NoOpTracer()) as database:
        await _write_one(database)
    path = Path(make_url(url).database or "")
    assert [found.name for found in path.parent.iterdir()] == [path.name]


async def test_a_database_in_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a file"):
        await Database.open("sqlite://", tracer=NoOpTracer())


async def test_a_transaction_within_a_trace_is_one_span(url: str) -> None:
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    tracer = provider.get_tracer("notes")
    async with Database.opened(url, tracer=tracer) as database:
        await _write_one(database)
        assert spans.get_finished_spans() == ()
        with tracer.start_as_current_span("turn") as turn:
            assert await _count(database) == 1
            with pytest.raises(IntegrityError):
                await _write_one(database)
    read, write, _ = spans.get_finished_spans()
    assert (read.name, write.name) == ("sql read", "sql write")
    assert read.attributes == {"db.system": "sqlite"}
    assert read.parent is not None and read.parent.span_id == turn.get_span_context().span_id
    assert write.status.status_code is StatusCode.ERROR and write.status.description == "IntegrityError"
