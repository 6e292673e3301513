"""Events that a consumer has given up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Row, Table, and_, delete, insert, or_, select, update

from superagent_common import clock
from superagent_common.bus.event import Delivery
from superagent_common.bus.handling import Handling, SettledBefore
from superagent_common.db import Connection, Database
from superagent_common.errors import Conflict, NotFound, reason_of

_NO_PLACE = -1


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An event that failed `attempts` times, last at `failed_at` (microseconds) for `reason`."""

    event_id: str
    topic: str
    key: str
    payload: bytes
    reason: str
    attempts: int
    failed_at: int


class DeadLetters:
    """The `dead_letters` table of a consumer.

    What is in it counts as settled: another copy of the event from the log is skipped, before and after it is
    redelivered or discarded here.
    """

    def __init__(self, database: Database, table: Table, handling: Handling) -> None:
        self._database = database
        self._table = table
        self._handling = handling

    async def add(self, delivery: Delivery, reason: str, attempts: int) -> None:
        """Gives an event up, unless it is settled already."""
        try:
            async with self._database.write() as connection:
                await self._handling.settle(connection, delivery.event_id)
                await connection.execute(
                    insert(self._table),
                    {
                        "event_id": delivery.event_id,
                        "topic": delivery.topic,
                        "key": delivery.key,
                        "payload": delivery.value,
                        "traceparent": delivery.traceparent,
                        "reason": reason,
                        "attempts": attempts,
                        "failed_at": clock.now(),
                    },
                )
        except SettledBefore:
            return

    async def list(self, before: tuple[int, str] | None, limit: int) -> Sequence[DeadLetter]:
        """Newest first, from below `before` (time of failure, event id)."""
        table = self._table
        wanted = select(*(table.c[name] for name in DeadLetter.__slots__))
        if before:
            at, event_id = before
            older = or_(table.c.failed_at < at, and_(table.c.failed_at == at, table.c.event_id < event_id))
            wanted = wanted.where(older)
        newest_first = wanted.order_by(table.c.failed_at.desc(), table.c.event_id.desc())
        async with self._database.read() as connection:
            return [DeadLetter(**row._mapping) for row in await connection.execute(newest_first.limit(limit))]

    async def redeliver(self, event_id: str) -> None:
        """Hands an event to its handler again, which removes it from here.

        Raises NotFound when it is not here, Conflict("redelivery_failed", cause=<reason>) when the handler fails.
        """
        row = await self._find(event_id)
        attempts = row.attempts + 1
        delivery = Delivery(event_id, row.topic, _NO_PLACE, _NO_PLACE, row.key, row.payload, row.traceparent)
        try:
            with self._handling.span(delivery, attempts):
                async with self._database.write() as connection:
                    # First, so that of two administrators at once only one gets to the handler.
                    await self._remove(connection, event_id)
                    await self._handling.call(connection, delivery)
        except NotFound:
            raise
        except Exception as error:
            reason = reason_of(error)
            async with self._database.write() as connection:
                await connection.execute(
                    update(self._table)
                    .where(self._table.c.event_id == event_id)
                    .values(reason=reason, attempts=attempts, failed_at=clock.now())
                )
            raise Conflict("redelivery_failed", "The handler has failed again.", cause=reason) from error

    async def discard(self, event_id: str) -> None:
        """Forgets an event for good. Raises NotFound when it is not here."""
        async with self._database.write() as connection:
            await self._remove(connection, event_id)

    async def _find(self, event_id: str) -> Row:  # type: ignore[type-arg]
        async with self._database.read() as connection:
            row = (await connection.execute(select(self._table).where(self._table.c.event_id == event_id))).first()
        if row is None:
            raise _unknown()
        return row

    async def _remove(self, connection: Connection, event_id: str) -> None:
        gone = await connection.execute(delete(self._table).where(self._table.c.event_id == event_id))
        if gone.rowcount == 0:
            raise _unknown()


def _unknown() -> NotFound:
    return NotFound("unknown_dead_letter", "There is no such dead letter.")
