"""Turns in a relational database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, bindparam, insert, or_, select, text, update
from sqlalchemy.exc import IntegrityError

from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2
from superagent_common.bus import Outbox
from superagent_common.bus.event import MAX_EVENT_BYTES
from superagent_common.bus.topics import TURN_COMPLETED
from superagent_common.clock import SECOND, now, steady
from superagent_common.db import Connection, Database
from superagent_common.identity import Principal
from superagent_orchestrator.adapters.sql_deletions import ends_in_deleted
from superagent_orchestrator.adapters.tables import turns
from superagent_orchestrator.domain.refusals import busy, not_the_last_turn
from superagent_orchestrator.ports import TurnRow

_COLUMNS = (
    turns.c.turn_id,
    turns.c.conversation_id,
    turns.c.principal,
    turns.c.request,
    turns.c.started_at,
    turns.c.trace_parent,
    turns.c.attempts,
    turns.c.record,
    turns.c.running_in,
    turns.c.replaces_turn_id,
    turns.c.replays_turn_id,
    turns.c.stop_asked_at,
)
# Built once: these are on the path of every turn.
_ADD = insert(turns)
_BY_ID = select(*_COLUMNS).where(turns.c.turn_id == bindparam("turn"), turns.c.user_id == bindparam("user"))
_BY_KEY = select(*_COLUMNS).where(turns.c.idempotency_key == bindparam("key"), turns.c.user_id == bindparam("user"))
_LATEST = turns.c.position.desc()
_BEFORE = (
    select(turns.c.turn_id, turns.c.position, turns.c.running_in)
    .where(turns.c.conversation_id == bindparam("conversation"))
    .order_by(_LATEST)
    .limit(1)
)
_NEWEST = (
    select(*_COLUMNS)
    .where(turns.c.conversation_id == bindparam("conversation"), turns.c.user_id == bindparam("user"))
    .order_by(_LATEST)
    .limit(1)
)
_RUNNING = (
    select(*_COLUMNS)
    .where(turns.c.running_in.is_not(None), turns.c.user_id == bindparam("user"))
    .order_by(turns.c.started_at, turns.c.turn_id)
)
_OWN = (
    turns.c.turn_id == bindparam("turn"),
    turns.c.owner == bindparam("mine"),
    turns.c.running_in.is_not(None),
)
_SAVE = update(turns).where(*_OWN).values(record=bindparam("new_record"))
_FINISH = update(turns).where(*_OWN).values(record=bindparam("new_record"), running_in=None, lease_until=None)
_ASK_TO_STOP = (
    update(turns)
    .where(turns.c.turn_id == bindparam("turn"), turns.c.running_in.is_not(None))
    .values(stop_asked_at=bindparam("at"))
)
_MYSQL_NOW = text("SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)")
_SERVER_NOW = {
    "postgresql": text("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"),
    "mysql": _MYSQL_NOW,
    "mariadb": _MYSQL_NOW,
}


class SqlTurnStore:
    """`TurnStore` on SQLAlchemy Core."""

    def __init__(
        self,
        database: Database,
        outbox: Outbox,
        published: Callable[[], None],
        lease_seconds: float,
    ) -> None:
        """`published` is told when the outbox has something new.

        Leases go by the store's clock: a server's own, and with SQLite the machine's, that all its processes share and
        nobody sets. That one begins anew with the machine; a lease that would last longer than any is one from before.
        """
        self._database = database
        self._outbox = outbox
        self._published = published
        self._server_now = _SERVER_NOW.get(database.system)
        self._lease = int(lease_seconds * SECOND)

    async def add(self, turn: TurnRow, owner: str, *, behind: str = "") -> TurnRow:
        try:
            return await self._add(turn, owner, behind)
        except IntegrityError:
            # On a server two may look at once, and one of them finds now what the other has added.
            return await self._add(turn, owner, behind)

    async def _add(self, turn: TurnRow, owner: str, behind: str) -> TurnRow:
        user_id, key = turn.principal.user_id, turn.request.idempotency_key or None
        async with self._database.write() as connection:
            if key:
                known = (await connection.execute(_BY_KEY, {"key": key, "user": user_id})).first()
                if known:
                    return _row(known)
            before = (await connection.execute(_BEFORE, {"conversation": turn.conversation_id})).first()
            if before and before.running_in:
                raise busy(before.turn_id)
            if behind and (before is None or before.turn_id != behind):
                raise not_the_last_turn(before.turn_id if before else "")
            await connection.execute(
                _ADD,
                {
                    "turn_id": turn.turn_id,
                    "conversation_id": turn.conversation_id,
                    "user_id": user_id,
                    "idempotency_key": key,
                    "running_in": turn.conversation_id,
                    "position": before.position + 1 if before else 1,
                    "replaces_turn_id": turn.replaces_turn_id or None,
                    "replays_turn_id": turn.replays_turn_id or None,
                    "principal": asdict(turn.principal),
                    "request": turn.request.SerializeToString(),
                    "record": None,
                    "trace_parent": turn.trace_parent,
                    "started_at": turn.started_at,
                    "owner": owner,
                    "lease_until": await self._now(connection) + self._lease,
                    "attempts": 1,
                },
            )
        return turn

    async def get(self, user_id: str, turn_id: str) -> TurnRow | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_BY_ID, {"turn": turn_id, "user": user_id})).first()
        return _row(row) if row else None

    async def by_key(self, user_id: str, idempotency_key: str) -> TurnRow | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_BY_KEY, {"key": idempotency_key, "user": user_id})).first()
        return _row(row) if row else None

    async def newest(self, user_id: str, conversation_id: str) -> TurnRow | None:
        async with self._database.read() as connection:
            wanted = {"conversation": conversation_id, "user": user_id}
            row = (await connection.execute(_NEWEST, wanted)).first()
        return _row(row) if row else None

    async def running(self, user_id: str, conversation_id: str) -> Sequence[TurnRow]:
        wanted = _RUNNING.where(turns.c.running_in == conversation_id) if conversation_id else _RUNNING
        async with self._database.read() as connection:
            rows = (await connection.execute(wanted, {"user": user_id})).all()
        return [_row(row) for row in rows]

    async def save_record(self, record: events_pb2.TurnRecord, owner: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(_SAVE, _saved(record, owner))

    async def finish(self, record: events_pb2.TurnRecord, owner: str) -> bool:
        async with self._database.write() as connection:
            if not (await connection.execute(_FINISH, _saved(record, owner))).rowcount:
                return False
            deleted = await ends_in_deleted(connection, record.conversation_id, now())
            completed = _figures(record) if deleted else _completed(record)
            await self._outbox.add(connection, TURN_COMPLETED, record.conversation_id, completed)
        self._published()
        return True

    async def ask_to_stop(self, turn_id: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(_ASK_TO_STOP, {"turn": turn_id, "at": now()})

    async def renew(self, owner: str, turn_ids: Sequence[str]) -> Mapping[str, bool]:
        own = (turns.c.turn_id.in_(turn_ids), turns.c.owner == owner, turns.c.running_in.is_not(None))
        async with self._database.write() as connection:
            until = await self._now(connection) + self._lease
            await connection.execute(update(turns).where(*own).values(lease_until=until))
            rows = await connection.execute(select(turns.c.turn_id, turns.c.stop_asked_at).where(*own))
        return {row.turn_id: row.stop_asked_at is not None for row in rows}

    async def take_over(self, owner: str) -> Sequence[TurnRow]:
        async with self._database.read() as connection:
            at = await self._now(connection)
            lapsed = or_(turns.c.lease_until < at, turns.c.lease_until > at + 2 * self._lease)
            if not (await connection.execute(select(turns.c.turn_id).where(lapsed).limit(1))).first():
                return ()
        async with self._database.write() as connection:
            # Locked, where a database has row locks: of two replicas that look at once only one may find it.
            rows = (await connection.execute(select(*_COLUMNS).where(lapsed).limit(20).with_for_update())).all()
            await connection.execute(
                update(turns)
                .where(turns.c.turn_id.in_([row.turn_id for row in rows]))
                .values(owner=owner, lease_until=at + self._lease, attempts=turns.c.attempts + 1)
            )
        return [_row(row, attempts=row.attempts + 1) for row in rows]

    async def _now(self, connection: Connection) -> int:
        return steady() if self._server_now is None else int(await connection.scalar(self._server_now))


def _row(row: Row, attempts: int | None = None) -> TurnRow:  # type: ignore[type-arg]
    return TurnRow(
        row.turn_id,
        row.conversation_id,
        principal_of(row.principal),
        orchestrator_pb2.StartTurnRequest.FromString(row.request),
        row.started_at,
        row.trace_parent,
        attempts or row.attempts,
        events_pb2.TurnRecord.FromString(row.record) if row.record else None,
        row.running_in is not None,
        row.replaces_turn_id or "",
        row.replays_turn_id or "",
        row.stop_asked_at is not None,
    )


def _completed(record: events_pb2.TurnRecord) -> events_pb2.TurnCompleted:
    """What others are told of a turn: without its longest parts where no broker would take it whole.

    A turn whose end cannot be told could never end, and its conversation would stay busy.
    """
    completed = events_pb2.TurnCompleted(turn=record)
    if completed.ByteSize() > MAX_EVENT_BYTES:
        completed.turn.plan.ClearField("memory")
        for stage in completed.turn.stages:
            stage.ClearField("detail")
    if completed.ByteSize() > MAX_EVENT_BYTES:
        for field in ("plan", "sources", "stages"):
            completed.turn.ClearField(field)
    return completed


def _figures(record: events_pb2.TurnRecord) -> events_pb2.TurnCompleted:
    """What is told of a turn whose conversation is deleted: what it has cost, and nothing of what was said."""
    kept = ("turn_id", "conversation_id", "user_id", "trace_id", "state", "started_at", "completed_at", "usage")
    figures = events_pb2.TurnRecord()
    figures.CopyFrom(record)
    for field, _ in record.ListFields():
        if field.name not in kept:
            figures.ClearField(field.name)
    return events_pb2.TurnCompleted(turn=figures)


def _saved(record: events_pb2.TurnRecord, owner: str) -> dict[str, Any]:
    return {"turn": record.turn_id, "mine": owner, "new_record": record.SerializeToString()}


def principal_of(person: Mapping[str, Any]) -> Principal:
    """A stored principal."""
    return Principal(person["user_id"], person["username"], tuple(person["roles"]), tuple(person["org_tags"]))
