"""Events that wait in the producer's database until they are published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message
from sqlalchemy import Row, Table, bindparam, delete, func, insert, select, update

from superagent_common import clock
from superagent_common.bus.event import MAX_EVENT_BYTES, TRACEPARENT_HEADER
from superagent_common.db import Connection
from superagent_common.ids import new_id
from superagent_common.telemetry import PROPAGATOR

_DELETED_AT_ONCE = 500


class Outbox:
    """The `outbox` table of a service."""

    def __init__(self, table: Table) -> None:
        self._insert = insert(table)
        self._unpublished = (
            select(table).where(table.c.published_at.is_(None)).order_by(table.c.position).limit(bindparam("rows"))
        )
        self._count = select(func.count()).select_from(table).where(table.c.published_at.is_(None))
        self._mark = (
            update(table)
            .where(table.c.position.in_(bindparam("positions", expanding=True)))
            .values(published_at=bindparam("at"), payload=b"")
        )
        self._old = select(table.c.position).where(table.c.published_at < bindparam("at")).limit(_DELETED_AT_ONCE)
        self._delete = delete(table).where(table.c.position.in_(bindparam("positions", expanding=True)))

    async def add(self, connection: Connection, topic: str, key: str, message: Message) -> None:
        """Writes an event in the caller's transaction; call `OutboxRelay.wake` once that is committed.

        `key` is the aggregate's id. The current span becomes the parent of everything that follows from the event.
        Raises ValueError for an event beyond `MAX_EVENT_BYTES`, which no broker would take.
        """
        payload = message.SerializeToString()
        if len(payload) > MAX_EVENT_BYTES:
            raise ValueError(f"an event of {len(payload)} bytes for {topic}: put what is large elsewhere")
        carrier: dict[str, str] = {}
        PROPAGATOR.inject(carrier)
        await connection.execute(
            self._insert,
            {
                "event_id": new_id(),
                "topic": topic,
                "key": key,
                "payload": payload,
                "traceparent": carrier.get(TRACEPARENT_HEADER, ""),
                "created_at": clock.now(),
            },
        )

    async def unpublished(self, connection: Connection, rows: int) -> Sequence[Row[Any]]:
        """The oldest events that are not known to be published, in the order they were written."""
        return (await connection.execute(self._unpublished, {"rows": rows})).all()

    async def count_unpublished(self, connection: Connection) -> int:
        """How many events wait."""
        return int(await connection.scalar(self._count))

    async def mark_published(self, connection: Connection, positions: Sequence[int]) -> None:
        """Takes events out of `unpublished`, and what they say out of the table."""
        await connection.execute(self._mark, {"positions": positions, "at": clock.now()})

    async def delete_published(self, connection: Connection, before: int) -> bool:
        """Deletes some events published before a time (microseconds); returns whether there may be more."""
        positions = (await connection.scalars(self._old, {"at": before})).all()
        if positions:
            await connection.execute(self._delete, {"positions": positions})
        return len(positions) == _DELETED_AT_ONCE
