"""What a repository needs of a connection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import sqlalchemy
from sqlalchemy import Executable, ScalarResult

Row = Mapping[str, Any]
Rows = Sequence[Mapping[str, Any]]


class Result(Protocol):
    """The part of SQLAlchemy's `CursorResult` that both stores offer."""

    @property
    def rowcount(self) -> int:
        """Rows that an UPDATE or DELETE met."""
        ...

    def __iter__(self) -> Iterator[sqlalchemy.Row[Any]]: ...

    def all(self) -> Sequence[sqlalchemy.Row[Any]]:
        """Every row."""
        ...

    def first(self) -> sqlalchemy.Row[Any] | None:
        """The first row, or None."""
        ...

    def one(self) -> sqlalchemy.Row[Any]:
        """The only row. Raises NoResultFound or MultipleResultsFound."""
        ...

    def scalar(self) -> Any:
        """The first column of the first row, or None."""
        ...

    def scalars(self) -> ScalarResult[Any]:
        """The first column of each row."""
        ...


class Connection(Protocol):
    """The part of SQLAlchemy's `AsyncConnection` that both stores offer; results are fetched when a call returns.

    A statement built once at import time with `bindparam` costs a tenth of one built on each call: worth it on the
    path of a turn. A sequence of parameters runs the statement once per row in one go.
    """

    async def execute(self, statement: Executable, parameters: Row | Rows | None = None) -> Result:
        """Runs a statement."""
        ...

    async def scalar(self, statement: Executable, parameters: Row | None = None) -> Any:
        """The first column of the first row, or None."""
        ...

    async def scalars(self, statement: Executable, parameters: Row | None = None) -> ScalarResult[Any]:
        """The first column of each row."""
        ...


class Store(Protocol):
    """Where transactions come from: a SQLite file or a database server."""

    system: str
    """Name of the kind of database as in the semantic conventions: `sqlite`, `postgresql`, `mysql`."""

    def read(self) -> AbstractAsyncContextManager[Connection]:
        """A connection on which each statement sees what is committed."""
        ...

    def write(self) -> AbstractAsyncContextManager[Connection]:
        """A transaction, committed when the block succeeds and rolled back otherwise."""
        ...

    async def close(self) -> None:
        """Closes all connections."""
        ...
