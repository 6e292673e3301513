"""Deleted conversations in a relational database, and what is left of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import bindparam, delete, exists, insert, select, update

from superagent_common.clock import SECOND
from superagent_common.db import Connection, Database
from superagent_orchestrator.adapters.tables import deleted_conversations, turns, unstored_turns

_AT_ONCE = 20
_LATER = 5 * SECOND
"""What the owner of a turn may take to write its last events, and whoever watches to read them."""
_ID = deleted_conversations.c.conversation_id == bindparam("conversation")
_IS_DELETED = select(exists().where(_ID))
# Built once: this one is on the path of every turn.
_PUT_OFF = update(deleted_conversations).where(_ID).values(due_at=bindparam("new_due_at"))


class SqlDeletedConversations:
    """`DeletedConversations` on SQLAlchemy Core."""

    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since the epoch."""
        self._database = database
        self._clock = clock

    async def due(self) -> Sequence[str]:
        wanted = (
            select(deleted_conversations.c.conversation_id)
            .where(deleted_conversations.c.due_at > 0, deleted_conversations.c.due_at <= self._clock())
            .order_by(deleted_conversations.c.due_at)
            .limit(_AT_ONCE)
        )
        async with self._database.read() as connection:
            return (await connection.scalars(wanted)).all()

    async def ended(self, conversation_id: str) -> Sequence[str]:
        over = select(turns.c.turn_id).where(turns.c.conversation_id == conversation_id, turns.c.running_in.is_(None))
        async with self._database.read() as connection:
            return (await connection.scalars(over)).all()

    async def remove(self, conversation_id: str, turn_ids: Sequence[str]) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(turns).where(turns.c.turn_id.in_(turn_ids)))
            await connection.execute(delete(unstored_turns).where(unstored_turns.c.conversation_id == conversation_id))
            left = await connection.scalar(select(exists().where(turns.c.conversation_id == conversation_id)))
            due_at = self._clock() + _LATER if left else 0
            await connection.execute(_PUT_OFF, {"conversation": conversation_id, "new_due_at": due_at})

    async def forget(self, before: int) -> None:
        old = (deleted_conversations.c.deleted_at < before, deleted_conversations.c.due_at == 0)
        async with self._database.write() as connection:
            await connection.execute(delete(deleted_conversations).where(*old))


async def note_deletion(connection: Connection, conversation_id: str, at: int) -> None:
    """Has what is left of a conversation removed and what runs in it stopped, in the transaction of the event."""
    # In the order in which the end of a turn locks them.
    await connection.execute(update(turns).where(turns.c.running_in == conversation_id).values(stop_asked_at=at))
    if not await connection.scalar(_IS_DELETED, {"conversation": conversation_id}):
        values = {"conversation_id": conversation_id, "deleted_at": at, "due_at": at}
        await connection.execute(insert(deleted_conversations), values)


async def ends_in_deleted(connection: Connection, conversation_id: str, at: int) -> bool:
    """Whether a turn that ends has no conversation any more; it is removed then, once its last events were seen."""
    put_off = await connection.execute(_PUT_OFF, {"conversation": conversation_id, "new_due_at": at + _LATER})
    return bool(put_off.rowcount)
