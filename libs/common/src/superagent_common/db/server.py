"""A database server (PostgreSQL, MySQL) through SQLAlchemy's async engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from sqlalchemy.engine import URL
from sqlalchemy.exc import DataError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from superagent_common.db.connection import Connection
from superagent_common.errors import InvalidInput, Unavailable


class ServerStore:
    """Connections of an async engine. The driver that the URL names is loaded here and nowhere else.

    A server that cannot be reached, or is lost on the way, is Unavailable("database_unavailable"); a value that it cannot
    hold is whoever sent it's fault, InvalidInput("unstorable_value").
    """

    def __init__(self, url: URL) -> None:
        self._engine = create_async_engine(url, pool_pre_ping=True, hide_parameters=True)
        self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self.system = url.get_backend_name()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Connection]:
        async with _connected(self._reading) as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Connection]:
        async with _connected(self._engine) as connection, connection.begin():
            yield connection

    async def close(self) -> None:
        await self._engine.dispose()


@asynccontextmanager
async def _connected(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    try:
        connection = await engine.connect()
    except (OSError, DBAPIError, PoolTimeout) as error:
        raise _unavailable() from error
    with _losses():
        try:
            yield connection
        finally:
            await connection.close()


@contextmanager
def _losses() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        if error.connection_invalidated:
            raise _unavailable() from error
        if _is_at_fault(error):
            raise InvalidInput(
                "unstorable_value", "A value is longer than it may be, or holds what no text does."
            ) from error
        raise


def _is_at_fault(error: DBAPIError) -> bool:
    """Whether a value is what the database cannot hold (SQLSTATE class 22): too long, a NUL in a text."""
    return isinstance(error, DataError) or str(getattr(error.orig, "sqlstate", None) or "").startswith("22")


def _unavailable() -> Unavailable:
    return Unavailable("database_unavailable", "The database cannot be reached.")
