"""Counts what goes through a database: statements, and rows that come back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from superagent_common.db import Database


class CountingDatabase:
    """A `Database` for stores; `counted()` gives the counts since the last time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.statements = 0
        self.rows = 0

    def counted(self) -> tuple[int, int]:
        """Statements and rows."""
        counts, self.statements, self.rows = (self.statements, self.rows), 0, 0
        return counts

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Any]:
        async with self._database.read() as connection:
            yield _Connection(connection, self)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Any]:
        async with self._database.write() as connection:
            yield _Connection(connection, self)


class _Connection:
    def __init__(self, connection: Any, counts: CountingDatabase) -> None:
        self._connection = connection
        self._counts = counts

    async def execute(self, statement: Any, parameters: Any = None) -> Any:
        self._counts.statements += 1
        result = await self._connection.execute(statement, parameters)
        if result.rowcount >= 0:  # of a SELECT, SQLite says -1
            return result
        frozen = result.freeze()
        self._counts.rows += len(frozen.data)
        return frozen()

    async def scalar(self, statement: Any, parameters: Any = None) -> Any:
        return (await self.execute(statement, parameters)).scalar()

    async def scalars(self, statement: Any, parameters: Any = None) -> Any:
        return (await self.execute(statement, parameters)).scalars()
