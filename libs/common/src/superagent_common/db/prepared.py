"""Statements that run again and again on SQLite, past what SQLAlchemy works out anew in each execution.

Of a statement of one row, SQLite takes 7 µs and SQLAlchemy's execution 35 to 50 around it, and finds the same each time:
which text, in which order the values, what converts them and the rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import CompoundSelect, Delete, Dialect, Executable, Insert, Select, Update
from sqlalchemy.engine import IteratorResult
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

from superagent_common.db.connection import Row, Rows

_Convert = Callable[[Any], Any]
_Kept = Select[Any] | CompoundSelect[Any] | Insert | Update | Delete


class Fetched(IteratorResult[Any]):
    """Rows that are all here, and `rowcount`: how many the statement changed."""

    rowcount: int


class Prepared:
    """A statement, compiled for parameters of certain names."""

    def __init__(self, statement: _Kept, compiled: SQLCompiler, dialect: Dialect) -> None:
        self._sql = str(compiled)
        self._dialect = dialect
        binds = [(name, compiled.binds[name]) for name in compiled.positiontup or ()]
        self._constants = {name: bind.value for name, bind in binds if not bind.required}
        self._writes = [(name, _own(bind.type, dialect).bind_processor(dialect)) for name, bind in binds]
        columns = list(statement.selected_columns) if isinstance(statement, Select | CompoundSelect) else []
        self._metadata = SimpleResultMetaData([str(column.key) for column in columns])
        self._reads = [_own(column.type, dialect).result_processor(dialect, None) for column in columns]
        self._converts = any(self._reads)

    def run(self, file: sqlite3.Connection, parameters: Row | Rows | None) -> Fetched:
        """Runs it, once per row for a sequence. Raises what SQLAlchemy raises for what the driver raises."""
        cursor = file.cursor()
        try:
            if parameters is None or isinstance(parameters, Mapping):
                cursor.execute(self._sql, self._values(parameters or {}))
            else:
                cursor.executemany(self._sql, [self._values(row) for row in parameters])
        except sqlite3.Error as error:
            raise DBAPIError.instance(
                self._sql, None, error, sqlite3.Error, hide_parameters=True, dialect=self._dialect
            ) from error
        rows = cursor.fetchall()
        if self._converts:
            rows = [self._read(row) for row in rows]
        fetched = Fetched(self._metadata, iter(rows))
        fetched.rowcount = cursor.rowcount
        return fetched

    def _values(self, given: Row) -> list[Any]:
        if self._constants:
            given = {**self._constants, **given}
        return [convert(given[name]) if convert else given[name] for name, convert in self._writes]

    def _read(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([convert(value) if convert else value for convert, value in zip(self._reads, row, strict=True)])


class PreparedStatements:
    """Those of one database that are kept by whoever runs them, such as a module: found by identity at the second run."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._known: WeakKeyDictionary[Executable, dict[tuple[str, ...], Prepared | None]] = WeakKeyDictionary()

    def find(self, statement: Executable, parameters: Row | Rows | None) -> Prepared | None:
        """None for a statement that is new, or that SQLAlchemy has to look at in each execution."""
        known = self._known.get(statement)
        if known is None:
            self._known[statement] = {}
            return None
        row: Row = {}
        if parameters:
            row = parameters if isinstance(parameters, Mapping) else parameters[0]
        names = tuple(row)
        if names not in known:
            known[names] = self._prepared(statement, names)
        return known[names]

    def _prepared(self, statement: Executable, names: tuple[str, ...]) -> Prepared | None:
        if not isinstance(statement, _Kept):
            return None
        compiled = statement.compile(dialect=self._dialect, column_keys=list(names))
        assert isinstance(compiled, SQLCompiler)
        if (
            compiled.post_compile_params  # a list of values, as long as it is this time
            or compiled.literal_execute_params
            or compiled.insert_prefetch  # defaults that code makes
            or compiled.update_prefetch
            or compiled.effective_returning
            or any(bind.callable for bind in compiled.binds.values())
        ):
            return None
        return Prepared(statement, compiled, self._dialect)


def _own(kind: TypeEngine[Any], dialect: Dialect) -> TypeEngine[Any]:
    return kind.dialect_impl(dialect)
