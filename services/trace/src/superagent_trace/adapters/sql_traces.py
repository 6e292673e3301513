"""Turns and spans in a relational database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Integer, and_, bindparam, case, cast, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from superagent_common.clock import SECOND
from superagent_common.db import Connection, Database
from superagent_trace.adapters.tables import dead_letters, deleted, spans, turns
from superagent_trace.domain import ServiceHealth, Span, Turn, UsageRow

_TURN_FIELDS = [field.name for field in fields(Turn)]
_SPAN_FIELDS = [field.name for field in fields(Span)]
_TURN_COLUMNS = [turns.c[name] for name in _TURN_FIELDS]
_SPAN_COLUMNS = [spans.c[name] for name in _SPAN_FIELDS]
# Built once: these are on the path of every turn.
_ADD_SPANS = insert(spans)
_STORED_SPANS = select(spans.c.span_id).where(spans.c.span_id.in_(bindparam("ids", expanding=True)))
_FORGET_TURN = delete(turns).where(turns.c.turn_id == bindparam("turn"))
_ADD_TURN = insert(turns)
_DELETED = select(deleted.c.id).where(deleted.c.id.in_(bindparam("ids", expanding=True)))
_ADD_DELETED = insert(deleted)
_NOTHING_SAID: dict[str, Any] = {"conversation_id": "", "trace_id": "", "record": b""}
# Of a deleted conversation's turn the figures are kept for the sums.
_SHOWN = turns.c.conversation_id != ""
_DAY = 86_400 * SECOND


class SqlTraceStore:
    """`TraceStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_spans(self, new: Sequence[Span]) -> None:
        async with self._database.read() as connection:
            gone = set(await connection.scalars(_DELETED, {"ids": list({span.trace_id for span in new})}))
        rows = [_values(span, _SPAN_FIELDS) for span in new if span.trace_id not in gone]
        if not rows:
            return
        try:
            async with self._database.write() as connection:
                await connection.execute(_ADD_SPANS, rows)
        except IntegrityError:
            # A batch that is sent again after a broken answer: seldom, so that looking first would cost more.
            async with self._database.write() as connection:
                stored = set(await connection.scalars(_STORED_SPANS, {"ids": [row["span_id"] for row in rows]}))
                missing = [row for row in rows if row["span_id"] not in stored]
                if missing:
                    await connection.execute(_ADD_SPANS, missing)

    async def turn(self, user_id: str | None, turn_id: str) -> Turn | None:
        async with self._database.read() as connection:
            row = (
                await connection.execute(
                    select(*_TURN_COLUMNS).where(turns.c.turn_id == turn_id, _SHOWN, *_of(user_id))
                )
            ).first()
        return Turn(*row) if row else None

    async def spans(self, trace_id: str, limit: int) -> Sequence[Span]:
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(*_SPAN_COLUMNS)
                .where(spans.c.trace_id == trace_id)
                .order_by(spans.c.started_at, spans.c.span_id)
                .limit(limit)
            )
            return [Span(*row) for row in rows]

    async def turns(
        self, user_id: str | None, conversation_id: str, before: tuple[int, str] | None, limit: int
    ) -> Sequence[Turn]:
        wanted = [_SHOWN, *_of(user_id)]
        if conversation_id:
            wanted.append(turns.c.conversation_id == conversation_id)
        if before:
            at, key = before
            wanted.append(or_(turns.c.started_at < at, and_(turns.c.started_at == at, turns.c.turn_id < key)))
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(*_TURN_COLUMNS)
                .where(*wanted)
                .order_by(turns.c.started_at.desc(), turns.c.turn_id.desc())
                .limit(limit)
            )
            return [Turn(*row) for row in rows]

    async def usage(self, user_id: str | None, since: int, until: int) -> Sequence[UsageRow]:
        day = cast(turns.c.started_at // _DAY, Integer).label("day_number")
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(
                    day,
                    turns.c.user_id,
                    turns.c.model,
                    func.count(),
                    func.sum(turns.c.input_tokens),
                    func.sum(turns.c.output_tokens),
                    func.sum(turns.c.cost),
                )
                .where(turns.c.started_at >= since, turns.c.started_at < until, *_of(user_id))
                .group_by(day, turns.c.user_id, turns.c.model)
                .order_by(day, turns.c.user_id, turns.c.model)
            )
            return [UsageRow(_day(row[0]), *row[1:]) for row in rows]

    async def health(self, since: int) -> Sequence[ServiceHealth]:
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(
                    spans.c.service,
                    func.count(),
                    func.sum(case((spans.c.failed, 1), else_=0)),
                    func.max(spans.c.started_at),
                )
                .where(spans.c.started_at >= since, spans.c.kind == "server")
                .group_by(spans.c.service)
                .order_by(spans.c.service)
            )
            return [ServiceHealth(*row) for row in rows]

    async def forget(self, spans_before: int, deletions_before: int) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(spans).where(spans.c.started_at < spans_before))
            await connection.execute(delete(deleted).where(deleted.c.deleted_at < deletions_before))


async def record_turn(connection: Connection, turn: Turn, at: int) -> None:
    """Stores a finished turn, in the transaction of the event that told of it; a later record replaces it.

    Of one whose conversation is deleted only the figures; `at` is now, in microseconds.
    """
    if (await connection.execute(_DELETED, {"ids": [turn.conversation_id]})).first():
        await _drop_traces(connection, [turn.trace_id], at)
        turn = replace(turn, **_NOTHING_SAID)
    await connection.execute(_FORGET_TURN, {"turn": turn.turn_id})
    await connection.execute(_ADD_TURN, _values(turn, _TURN_FIELDS))


async def drop_conversation(connection: Connection, conversation_id: str, at: int) -> None:
    """Removes all but the figures of a deleted conversation's turns, those that come late included."""
    await _add_deleted(connection, [conversation_id], at)
    its_turns = turns.c.conversation_id == conversation_id
    traces = (await connection.scalars(select(turns.c.trace_id).where(its_turns).distinct())).all()
    await connection.execute(update(turns).where(its_turns).values(**_NOTHING_SAID))
    await _drop_traces(connection, traces, at)
    await connection.execute(delete(dead_letters).where(dead_letters.c.key == conversation_id))


async def _drop_traces(connection: Connection, traces: Sequence[str], at: int) -> None:
    """Unless a turn of another conversation has the same trace: a client may begin several in one."""
    shared = set(await connection.scalars(select(turns.c.trace_id).where(turns.c.trace_id.in_(traces))))
    gone = [trace for trace in traces if trace and trace not in shared]
    await _add_deleted(connection, gone, at)
    await connection.execute(delete(spans).where(spans.c.trace_id.in_(gone)))


async def _add_deleted(connection: Connection, ids: Sequence[str], at: int) -> None:
    known = set(await connection.scalars(_DELETED, {"ids": ids}))
    rows = [{"id": each, "deleted_at": at} for each in ids if each not in known]
    if rows:
        await connection.execute(_ADD_DELETED, rows)


def _values(row: Turn | Span, names: Sequence[str]) -> dict[str, Any]:
    # dataclasses.asdict copies what is inside as well.
    return {name: getattr(row, name) for name in names}


def _of(user_id: str | None) -> list:  # type: ignore[type-arg]
    return [] if user_id is None else [turns.c.user_id == user_id]


def _day(number: int) -> str:
    return datetime.fromtimestamp(number * 86_400, UTC).date().isoformat()
