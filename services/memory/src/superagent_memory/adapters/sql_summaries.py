"""Summaries, and which conversations are due, in a relational database."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import and_, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from superagent_common.clock import SECOND
from superagent_common.db import Connection, Database
from superagent_memory.adapters.rows import STATE_COLUMNS, exchange_of, state_of, summary_values
from superagent_memory.adapters.tables import conversations, summaries, turns
from superagent_memory.domain.conversations import Conversation, Exchange
from superagent_memory.domain.summary import ANSWER_CHARACTERS, QUESTION_CHARACTERS, Summary

_ID = conversations.c.conversation_id == bindparam("conversation")
_LEASED = conversations.c.due_at == bindparam("until")
_FARTHEST = 60 * SECOND
"""Nothing becomes due later than this behind a lease: such a time is one from before the clock was set back."""
_DUE = (
    select(conversations.c.conversation_id, conversations.c.due_at)
    .where(
        or_(
            and_(conversations.c.due_at > 0, conversations.c.due_at <= bindparam("now")),
            conversations.c.due_at > bindparam("farthest"),
        )
    )
    .order_by(conversations.c.due_at)
    .limit(1)
)
_MOVE = update(conversations).where(_ID, _LEASED).values(due_at=bindparam("new_due_at"))
_STATE = (
    select(*STATE_COLUMNS)
    .select_from(conversations.outerjoin(summaries, summaries.c.conversation_id == conversations.c.conversation_id))
    .where(_ID)
)
# The id alone is not enough: a person may delete a conversation and make another with the same one.
_SAME = and_(_ID, conversations.c.created_at == bindparam("created"))
_LOCKED = select(conversations.c.turns_total).where(_SAME).with_for_update()
_REVISION = select(summaries.c.revision).where(summaries.c.conversation_id == bindparam("conversation"))
_OLDEST = (
    select(
        turns.c.turn_id,
        turns.c.kind,
        # One more than a step shows, so that what is cut says so.
        func.substr(turns.c.question, 1, QUESTION_CHARACTERS + 1),
        func.substr(turns.c.answer, 1, ANSWER_CHARACTERS + 1),
        turns.c.tools,
    )
    .where(turns.c.conversation_id == bindparam("conversation"), turns.c.position > bindparam("after"))
    .order_by(turns.c.position)
    .limit(bindparam("rows"))
)


class SqlSummaryStore:
    """`SummaryStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, now: int, until: int) -> str | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_DUE, {"now": now, "farthest": until + _FARTHEST})).first()
        if row is None:
            return None
        if await self._move(row.conversation_id, row.due_at, until):
            return str(row.conversation_id)
        return await self.take(now, until)

    async def settle(self, conversation_id: str, until: int, again_at: int) -> bool:
        return await self._move(conversation_id, until, again_at)

    async def state(self, conversation_id: str) -> tuple[Conversation, Summary] | None:
        async with self._database.read() as connection:
            return await state_in(connection, conversation_id)

    async def oldest(self, conversation_id: str, after: int, limit: int) -> Sequence[Exchange]:
        asked = {"conversation": conversation_id, "after": after, "rows": limit}
        async with self._database.read() as connection:
            return [exchange_of(row) for row in await connection.execute(_OLDEST, asked)]

    async def save(self, conversation: Conversation, summary: Summary, revision: int | None) -> bool:
        conversation_id = conversation.conversation_id
        try:
            async with self._database.write() as connection:
                total = await connection.scalar(_LOCKED, _named(conversation))
                if total is None or total < summary.turns_covered:
                    return False
                # Read only now: a statement that waited for the lock would still see what was before.
                kept = await connection.scalar(_REVISION, {"conversation": conversation_id}) or 0
                if revision not in (None, kept):
                    return False
                await connection.execute(delete(summaries).where(summaries.c.conversation_id == conversation_id))
                await connection.execute(insert(summaries), summary_values(conversation_id, summary, kept + 1))
        except IntegrityError:
            # Another replica was faster, or the conversation has just been deleted.
            return False
        return True

    async def better_title(self, conversation: Conversation, title: str | None) -> None:
        values = {"title_is_draft": False} if title is None else {"title_is_draft": False, "title": title}
        async with self._database.write() as connection:
            await connection.execute(
                update(conversations).where(_SAME, conversations.c.title_is_draft.is_(True)).values(values),
                _named(conversation),
            )

    async def _move(self, conversation_id: str, held: int, to: int) -> bool:
        async with self._database.write() as connection:
            moved = await connection.execute(_MOVE, {"conversation": conversation_id, "until": held, "new_due_at": to})
            return bool(moved.rowcount)


def _named(conversation: Conversation) -> dict[str, str | int]:
    return {"conversation": conversation.conversation_id, "created": conversation.created_at}


async def state_in(connection: Connection, conversation_id: str) -> tuple[Conversation, Summary] | None:
    """`SummaryStore.state` in a transaction of the caller's."""
    row = (await connection.execute(_STATE, {"conversation": conversation_id})).first()
    return state_of(row) if row else None


async def make_due(connection: Connection, conversation_id: str, now: int) -> None:
    """Has a conversation looked after."""
    await connection.execute(update(conversations).where(_ID).values(due_at=now), {"conversation": conversation_id})
