"""SQLite on the event loop.

A statement of a few rows takes SQLite 10 to 30 µs, and handing it to a thread costs more than running it: measured
per transaction of one INSERT, this store 0.11 CPU-ms, SQLAlchemy's aiosqlite 0.8; on a loop that is busy with other
work, where each hop waits for the interpreter lock, 0.14 ms against 67. So statements run where they are called, and
only what could hold the loop up goes elsewhere: a SELECT that overruns `_LOOP_SECONDS` is broken off and runs again in
a thread, long parameter lists run in a thread, waiting for another process's lock is asynchronous, and the WAL is
copied back (which syncs the disk) by a thread.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import structlog
from sqlalchemy import Connection as SyncConnection
from sqlalchemy import Engine, Executable, ScalarResult, create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from superagent_common.db.connection import Result, Row, Rows
from superagent_common.db.prepared import PreparedStatements
from superagent_common.errors import Unavailable

_LOOP_SECONDS = 0.003
_INSTRUCTIONS_BETWEEN_CHECKS = 2_000
_ROWS_ON_LOOP = 100
_READERS = 8
_LOCK_SECONDS = 30.0
_OPEN_LOCK_SECONDS = 10.0
_CHECKPOINT_EVERY_SECONDS = 1.0
_CHECKPOINT_BYTES = 4 * 2**20

T = TypeVar("T")


class _Cursor(sqlite3.Cursor):
    """Fetches while executing: no statement stays open across an await and holds its snapshot."""

    _rows: deque[Any]

    def execute(self, sql: str, parameters: Any = ()) -> _Cursor:
        file: _File = self.connection  # type: ignore[assignment]
        if sql.startswith("SELECT"):
            file.begin_select()
        try:
            super().execute(sql, parameters)
            self._rows = deque(super().fetchall() if self.description else ())
        finally:
            # The driver's own BEGIN, COMMIT and ROLLBACK do not come this way; a limit left behind would break them off.
            file.end_select()
        return self

    def executemany(self, sql: str, parameters: Iterable[Any]) -> _Cursor:
        super().executemany(sql, parameters)
        self._rows = deque()
        return self

    def fetchone(self) -> Any:
        return self._rows.popleft() if self._rows else None

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        return [self._rows.popleft() for _ in range(min(size or 1, len(self._rows)))]

    def fetchall(self) -> list[Any]:
        rows = list(self._rows)
        self._rows.clear()
        return rows


class _File(sqlite3.Connection):
    """A driver connection that breaks off a SELECT which takes too long for the event loop."""

    in_thread = False
    is_given_up = False
    _deadline = math.inf

    def cursor(self, factory: Any = _Cursor) -> Any:
        return super().cursor(factory)

    def begin_select(self) -> None:
        if not self.in_thread:
            self._deadline = time.monotonic() + _LOOP_SECONDS

    def end_select(self) -> None:
        self._deadline = math.inf

    def is_to_break_off(self) -> bool:
        """SQLite's progress handler. `interrupt` alone would miss a statement that a thread has not begun yet."""
        return self.is_given_up or time.monotonic() > self._deadline


class SqliteConnection:
    """`Connection` on one SQLite connection that stays open; used by one task at a time."""

    def __init__(self, sync: SyncConnection, prepared: PreparedStatements) -> None:
        self._sync = sync
        self._prepared = prepared
        self.file: _File = sync.connection.driver_connection  # type: ignore[assignment]

    async def execute(self, statement: Executable, parameters: Row | Rows | None = None) -> Result:
        if isinstance(parameters, list | tuple) and len(parameters) > _ROWS_ON_LOOP:
            return await self._in_thread(lambda: self._run(statement, parameters))
        try:
            return self._run(statement, parameters)
        except OperationalError as error:
            if _code(error.orig) != sqlite3.SQLITE_INTERRUPT:
                raise
        return await self._in_thread(lambda: self._run(statement, parameters))

    def _run(self, statement: Executable, parameters: Row | Rows | None) -> Result:
        if prepared := self._prepared.find(statement, parameters):
            return prepared.run(self.file, parameters)
        return self._sync.execute(statement, parameters)

    async def scalar(self, statement: Executable, parameters: Row | None = None) -> Any:
        return (await self.execute(statement, parameters)).scalar()

    async def scalars(self, statement: Executable, parameters: Row | None = None) -> ScalarResult[Any]:
        return (await self.execute(statement, parameters)).scalars()

    async def run_sync(self, function: Callable[[SyncConnection], T]) -> T:
        """Runs a function on SQLAlchemy's own connection, for example `metadata.create_all`, in a thread."""
        return await self._in_thread(lambda: function(self._sync))

    def close(self) -> None:
        """Closes the file; the last one to do so on a file copies its WAL back."""
        self._sync.close()

    async def _in_thread(self, call: Callable[[], T]) -> T:
        self.file.in_thread = True
        work = asyncio.ensure_future(asyncio.to_thread(call))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self.file.is_given_up = True
            await _ended(work)
            raise
        finally:
            self.file.in_thread = self.file.is_given_up = False


class SqliteStore:
    """One writing connection and up to eight reading ones on one file."""

    system = "sqlite"

    def __init__(self, path: Path, engine: Engine, prepared: PreparedStatements, writer: SqliteConnection) -> None:
        self._path = path
        self._engine = engine
        self._prepared = prepared
        self._writer = writer
        self._write_lock = asyncio.Lock()
        self._readers: list[SqliteConnection] = []
        self._idle_readers: list[SqliteConnection] = []
        self._reader_slots = asyncio.Semaphore(_READERS)
        self._checkpoint_timer: asyncio.TimerHandle | None = None
        self._checkpoint: asyncio.Future[None] | None = None

    @classmethod
    async def open(cls, path: str) -> SqliteStore:
        """Opens a file, which is made when missing; its folder must exist."""
        if path in ("", ":memory:"):
            raise ValueError("a SQLite database needs a file: readers and the writer are separate connections")
        engine = create_engine(
            f"sqlite:///{path}",
            poolclass=NullPool,
            pool_reset_on_return=None,
            hide_parameters=True,  # what people wrote must not get into logs by way of an error
            connect_args={
                "check_same_thread": False,
                "isolation_level": None,
                "timeout": _OPEN_LOCK_SECONDS,
                "factory": _File,
            },
        )
        prepared = PreparedStatements(engine.dialect)
        writer = await asyncio.to_thread(_connect, engine, prepared)
        # The writer waits for other processes without holding up the loop; see `_begin`.
        writer.file.execute("PRAGMA busy_timeout=0")
        # `_copy_back_if_large` does it instead.
        writer.file.execute("PRAGMA wal_autocheckpoint=0")
        return cls(Path(path), engine, prepared, writer)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[SqliteConnection]:
        async with self._reader_slots:
            if not self._idle_readers:
                reader = await asyncio.to_thread(_connect, self._engine, self._prepared)
                self._readers.append(reader)
                self._idle_readers.append(reader)
            reader = self._idle_readers.pop()
            try:
                yield reader
            finally:
                self._idle_readers.append(reader)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[SqliteConnection]:
        async with self._write_lock:
            file = self._writer.file
            try:
                await self._begin()
                yield self._writer
                file.commit()
            except BaseException as error:
                # After a BEGIN that failed, too: it may have begun nevertheless.
                file.rollback()
                if _code(getattr(error, "orig", error)) == sqlite3.SQLITE_FULL:
                    raise Unavailable("database_full", "There is no room to store anything.") from error
                raise
            if self._checkpoint_timer is None:
                loop = asyncio.get_running_loop()
                self._checkpoint_timer = loop.call_later(_CHECKPOINT_EVERY_SECONDS, self._start_checkpoint)

    async def close(self) -> None:
        if self._checkpoint_timer:
            self._checkpoint_timer.cancel()
        if self._checkpoint:
            await asyncio.gather(self._checkpoint, return_exceptions=True)
        await asyncio.to_thread(self._close_all)

    def _close_all(self) -> None:
        for connection in (*self._readers, self._writer):
            connection.close()

    async def _begin(self) -> None:
        give_up_at = time.monotonic() + _LOCK_SECONDS
        pause = 0.001
        while True:
            try:
                self._writer.file.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY:
                    raise
                if time.monotonic() > give_up_at:
                    raise Unavailable("database_busy", "Another process holds the database.") from error
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.05)

    def _start_checkpoint(self) -> None:
        self._checkpoint = asyncio.ensure_future(asyncio.to_thread(_copy_back_if_large, self._path))
        self._checkpoint.add_done_callback(self._end_checkpoint)

    def _end_checkpoint(self, checkpoint: asyncio.Future[None]) -> None:
        self._checkpoint = self._checkpoint_timer = None
        if not checkpoint.cancelled() and (error := checkpoint.exception()):
            structlog.get_logger().warning("sqlite_checkpoint_failed", file=self._path.name, error=repr(error))


async def _ended(work: asyncio.Future[Any]) -> None:
    """Waits however often this task is cancelled: the connection is not free before."""
    while not work.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([work])
    work.exception()


def _connect(engine: Engine, prepared: PreparedStatements) -> SqliteConnection:
    connection = SqliteConnection(engine.connect(), prepared)
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "journal_size_limit=0"):
        connection.file.execute(f"PRAGMA {pragma}")
    connection.file.set_progress_handler(connection.file.is_to_break_off, _INSTRUCTIONS_BETWEEN_CHECKS)
    return connection


def _copy_back_if_large(path: Path) -> None:
    """Copies a WAL beyond 4 MiB (SQLite's own measure) back into the file; never waits for readers or the writer."""
    wal = path.with_name(path.name + "-wal")
    if not wal.exists() or wal.stat().st_size < _CHECKPOINT_BYTES:
        return
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    finally:
        connection.close()


def _code(error: BaseException | None) -> int:
    # The low byte is the primary code; the rest says which kind of it.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
