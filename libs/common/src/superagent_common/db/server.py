"""A database server (PostgreSQL, MySQL) through SQLAlchemy's async engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from superagent_common.db.connection import Connection


class ServerStore:
    """Connections of an async engine. The driver that the URL names is loaded here and nowhere else."""

    def __init__(self, url: URL) -> None:
        self._engine = create_async_engine(url, pool_pre_ping=True, hide_parameters=True)
        self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self.system = url.get_backend_name()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Connection]:
        async with self._reading.connect() as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Connection]:
        async with self._engine.begin() as connection:
            yield connection

    async def close(self) -> None:
        await self._engine.dispose()
