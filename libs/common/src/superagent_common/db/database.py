"""The database of one service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from opentelemetry.trace import Span, SpanKind, Tracer, get_current_span
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from superagent_common.db.connection import Connection, Store
from superagent_common.db.sqlite import SqliteStore
from superagent_common.errors import Unavailable
from superagent_common.telemetry import fail


class Database:
    """Transactions on one service's database; made in its composition root.

    Each transaction that belongs to a trace is one span. Keep blocks short: on SQLite there is one writer at a time.
    """

    def __init__(self, store: Store, tracer: Tracer) -> None:
        self._store = store
        self._tracer = tracer

    @property
    def system(self) -> str:
        """Kind of database: `sqlite`, `postgresql`, `mysql`, `mariadb`."""
        return self._store.system

    @classmethod
    async def open(cls, url: str, *, tracer: Tracer) -> Database:
        """Opens `sqlite:///<path>` or an async SQLAlchemy URL of a server (`postgresql+asyncpg://…`)."""
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite":
            return cls(await SqliteStore.open(parsed.database or ""), tracer)
        # Imported here: it brings SQLAlchemy's ORM with it, 6 MiB that SQLite has no use for.
        from superagent_common.db.server import ServerStore

        return cls(ServerStore(parsed), tracer)

    @classmethod
    @asynccontextmanager
    async def opened(cls, url: str, *, tracer: Tracer) -> AsyncIterator[Database]:
        """`open` for an `async with` block, which closes it."""
        database = await cls.open(url, tracer=tracer)
        try:
            yield database
        finally:
            await database.close()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Connection]:
        """A connection for reading: each statement sees what is committed when it runs."""
        span = self._span("sql read")
        try:
            async with self._store.read() as connection:
                yield connection
        except BaseException as error:
            _mark(span, error)
            raise
        finally:
            if span:
                span.end()

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Connection]:
        """A transaction that may write: committed when the block succeeds, rolled back when it raises.

        On SQLite it holds the write lock from the start (BEGIN IMMEDIATE). Raises Unavailable when another process
        holds that lock for 30 seconds, or the disk is full.
        """
        span = self._span("sql write")
        try:
            async with self._store.write() as connection:
                yield connection
        except BaseException as error:
            _mark(span, error)
            raise
        finally:
            if span:
                span.end()

    async def close(self) -> None:
        """Closes all connections; nothing may be in a transaction any more."""
        await self._store.close()

    def _span(self, name: str) -> Span | None:
        # Sweeps and other work outside of a trace would fill it with traces of one span.
        if not get_current_span().is_recording():
            return None
        return self._tracer.start_span(name, kind=SpanKind.CLIENT, attributes={"db.system": self._store.system})


def _mark(span: Span | None, error: BaseException) -> None:
    if span is None:
        return
    if isinstance(error, (SQLAlchemyError, Unavailable)):
        fail(span, error)
    else:
        span.set_attribute("superagent.rolled_back", True)
