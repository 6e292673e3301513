"""Conversations in a relational database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import and_, bindparam, delete, exists, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from superagent_common.bus import Outbox
from superagent_common.db import Connection, Database
from superagent_common.errors import Conflict, NotFound
from superagent_memory.adapters.rows import (
    CONVERSATION_COLUMNS,
    STATE_COLUMNS,
    TURN_COLUMNS,
    conversation_of,
    exchange_of,
    state_of,
    turn_of,
    turn_values,
)
from superagent_memory.adapters.sql_deletion import delete_conversation
from superagent_memory.adapters.tables import (
    conversations,
    deleted_conversations,
    memory_items,
    people,
    summaries,
    turns,
)
from superagent_memory.domain.conversations import Conversation, Strategy, Turn, messages_of, title_from
from superagent_memory.domain.summary import Summary
from superagent_memory.domain.wishes import ITEMS
from superagent_memory.ports import Remembered

_CHARACTERS = 16_000
"""What a context looks at of a text; no window shows more."""

_ID = conversations.c.conversation_id == bindparam("conversation")
_OWN = and_(_ID, conversations.c.user_id == bindparam("user"))
_WITH_SUMMARY = conversations.outerjoin(summaries, summaries.c.conversation_id == conversations.c.conversation_id)
# Built once: these are on the path of every turn.
_ADD_CONVERSATION = insert(conversations)
_BY_ID = select(*CONVERSATION_COLUMNS).where(_ID)
_DELETED = select(exists().where(deleted_conversations.c.conversation_id == bindparam("conversation")))
_STATE = select(*STATE_COLUMNS).select_from(_WITH_SUMMARY).where(_OWN)
_STATE_AND_PERSON = (
    select(*STATE_COLUMNS, people.c.remembers)
    .select_from(_WITH_SUMMARY.outerjoin(people, people.c.user_id == conversations.c.user_id))
    .where(_OWN)
)
_NEWEST = (
    select(
        turns.c.turn_id,
        turns.c.kind,
        func.substr(turns.c.question, 1, _CHARACTERS),
        func.substr(turns.c.answer, 1, _CHARACTERS),
        turns.c.tools,
    )
    .where(
        turns.c.conversation_id == bindparam("conversation"),
        turns.c.position > bindparam("after"),
        turns.c.turn_id != bindparam("without"),
    )
    .order_by(turns.c.position.desc())
    .limit(bindparam("rows"))
)
_REMEMBERS = select(people.c.remembers).where(people.c.user_id == bindparam("user"))
_ITEMS = (
    select(memory_items.c.text)
    .where(memory_items.c.user_id == bindparam("user"))
    .order_by(memory_items.c.created_at.desc(), memory_items.c.item_id.desc())
    .limit(ITEMS)
)
# Locked, where a database has row locks: two replicas must not give two turns the same position.
_BEFORE_APPEND = (
    select(
        conversations.c.turns_total,
        conversations.c.messages_total,
        conversations.c.title,
        conversations.c.listed,
        exists().where(turns.c.turn_id == bindparam("turn")),
    )
    .where(_OWN)
    .with_for_update()
)
_ADD_TURN = insert(turns)
_AFTER_APPEND = (
    update(conversations)
    .where(_ID)
    .values(
        turns_total=bindparam("new_turns"),
        messages_total=bindparam("new_messages"),
        title=bindparam("new_title"),
        updated_at=bindparam("new_updated_at"),
        listed=bindparam("new_listed"),
    )
)
_LAST_TURN = select(turns.c.turn_id, turns.c.tools).where(
    turns.c.conversation_id == bindparam("conversation"), turns.c.position == bindparam("position")
)


class SqlConversationStore:
    """`ConversationStore` on SQLAlchemy Core."""

    def __init__(self, database: Database, outbox: Outbox, published: Callable[[], None]) -> None:
        """`published` is told when the outbox has something new."""
        self._database = database
        self._outbox = outbox
        self._published = published

    async def create(self, conversation: Conversation) -> Conversation:
        values = {name: getattr(conversation, name) for name in Conversation.__slots__}
        by_id = {"conversation": conversation.conversation_id}
        try:
            async with self._database.write() as connection:
                row = (await connection.execute(_BY_ID, by_id)).first()
                if row is None:
                    if await connection.scalar(_DELETED, by_id):
                        raise _unknown()
                    await connection.execute(_ADD_CONVERSATION, values)
                    return conversation
        except IntegrityError:
            # Another replica was faster.
            async with self._database.read() as connection:
                row = (await connection.execute(_BY_ID, by_id)).first()
        if row is None or row.user_id != conversation.user_id:
            raise _unknown()
        return conversation_of(row)

    async def get(self, user_id: str, conversation_id: str) -> tuple[Conversation, Summary] | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_STATE, _named(user_id, conversation_id))).first()
        return state_of(row) if row else None

    async def remembered(
        self,
        user_id: str,
        conversation_id: str,
        strategy: Strategy | None,
        turns: Mapping[Strategy, int],
        without_turn_id: str,
    ) -> Remembered | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_STATE_AND_PERSON, _named(user_id, conversation_id))).first()
            if row is None:
                return None
            conversation, summary = state_of(row)
            used = strategy or conversation.strategy
            newest = []
            if turns[used]:
                asked = {
                    "conversation": conversation_id,
                    "after": summary.turns_covered if used == "summary" else 0,
                    "without": without_turn_id,
                    "rows": turns[used],
                }
                newest = [exchange_of(found) for found in reversed((await connection.execute(_NEWEST, asked)).all())]
            items = await _items(connection, user_id) if row.remembers else ()
        return Remembered(conversation, summary, newest, items)

    async def long_term(self, user_id: str) -> Sequence[str]:
        async with self._database.read() as connection:
            if not await connection.scalar(_REMEMBERS, {"user": user_id}):
                return ()
            return await _items(connection, user_id)

    async def append(self, user_id: str, conversation_id: str, turn: Turn, replaces_turn_id: str) -> bool:
        try:
            return await self._append(user_id, conversation_id, turn, replaces_turn_id)
        except IntegrityError:
            # The same turn, stored by another replica since it was looked for.
            return await self._append(user_id, conversation_id, turn, replaces_turn_id)

    async def _append(self, user_id: str, conversation_id: str, turn: Turn, replaces_turn_id: str) -> bool:
        async with self._database.write() as connection:
            asked = {**_named(user_id, conversation_id), "turn": turn.turn_id}
            row = (await connection.execute(_BEFORE_APPEND, asked)).first()
            if row is None:
                return False
            before, messages, title, listed, stored = row
            if stored:
                return True
            position = before + 1
            if replaces_turn_id:
                position = before
                messages -= await _remove_last(connection, conversation_id, before, replaces_turn_id)
            await connection.execute(
                _ADD_TURN, {**turn_values(turn), "conversation_id": conversation_id, "position": position}
            )
            await connection.execute(
                _AFTER_APPEND,
                {
                    "conversation": conversation_id,
                    "new_turns": position,
                    "new_messages": messages + messages_of(turn.tools),
                    "new_title": title or title_from(turn.question),
                    "new_updated_at": turn.stored_at,
                    # Whoever goes on with it wants it kept.
                    "new_listed": listed or position > 1,
                },
            )
        return True

    async def touch(self, conversation_id: str, at: int) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                update(conversations).where(_ID).values(updated_at=at), {"conversation": conversation_id}
            )

    async def turns(self, conversation_id: str, after: int, limit: int) -> Sequence[tuple[int, Turn]]:
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(turns.c.position, *TURN_COLUMNS)
                .where(turns.c.conversation_id == conversation_id, turns.c.position > after)
                .order_by(turns.c.position)
                .limit(limit)
            )
            return [(row.position, turn_of(row[1:])) for row in rows]

    async def find(
        self, user_id: str, text: str, before: tuple[int, str] | None, limit: int, *, listed: bool = True
    ) -> Sequence[Conversation]:
        wanted = [conversations.c.user_id == user_id, conversations.c.listed == listed]
        if before:
            at, key = before
            wanted.append(
                or_(
                    conversations.c.updated_at < at,
                    and_(conversations.c.updated_at == at, conversations.c.conversation_id < key),
                )
            )
        if text:
            said = exists().where(
                turns.c.conversation_id == conversations.c.conversation_id,
                or_(turns.c.question.icontains(text, autoescape=True), turns.c.answer.icontains(text, autoescape=True)),
            )
            wanted.append(or_(conversations.c.title.icontains(text, autoescape=True), said))
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(*CONVERSATION_COLUMNS)
                .where(*wanted)
                .order_by(conversations.c.updated_at.desc(), conversations.c.conversation_id.desc())
                .limit(limit)
            )
            return [conversation_of(row) for row in rows]

    async def update(
        self, user_id: str, conversation_id: str, title: str | None, strategy: Strategy | None
    ) -> Conversation | None:
        changed: dict[str, str | bool] = {} if title is None else {"title": title, "title_is_draft": False}
        if strategy is not None:
            changed["strategy"] = strategy
        named = _named(user_id, conversation_id)
        async with self._database.write() as connection:
            if changed:
                await connection.execute(update(conversations).where(_OWN).values(changed), named)
            row = (await connection.execute(select(*CONVERSATION_COLUMNS).where(_OWN), named)).first()
        return conversation_of(row) if row else None

    async def delete(self, user_id: str, conversation_id: str, at: int) -> bool:
        async with self._database.write() as connection:
            deleted = await delete_conversation(
                connection, self._outbox, conversation_id, conversations.c.user_id == user_id, at
            )
        if deleted:
            self._published()
        return deleted

    async def delete_inactive(self, before: int, limit: int, at: int) -> int:
        old = conversations.c.updated_at < before
        async with self._database.write() as connection:
            ids = (await connection.scalars(select(conversations.c.conversation_id).where(old).limit(limit))).all()
            # The time again: on a server one of them may have been renewed since it was read.
            deleted = [await delete_conversation(connection, self._outbox, each, old, at) for each in ids]
        if any(deleted):
            self._published()
        return sum(deleted)

    async def free_ids(self, before: int) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(deleted_conversations).where(deleted_conversations.c.deleted_at < before))


async def _items(connection: Connection, user_id: str) -> Sequence[str]:
    return (await connection.scalars(_ITEMS, {"user": user_id})).all()


async def _remove_last(connection: Connection, conversation_id: str, position: int, turn_id: str) -> int:
    """Removes the last turn if it is this one, and a summary that covers it; how many messages it had."""
    named = {"conversation": conversation_id, "position": position}
    last = (await connection.execute(_LAST_TURN, named)).first()
    if last is None or last.turn_id != turn_id:
        raise Conflict("not_the_last_turn", "Only the last turn can be replaced.")
    await connection.execute(delete(turns).where(turns.c.turn_id == turn_id))
    forgotten = await connection.execute(
        delete(summaries).where(summaries.c.conversation_id == conversation_id, summaries.c.turns_covered >= position)
    )
    if forgotten.rowcount:
        await connection.execute(update(conversations).where(_ID).values(due_at=1), {"conversation": conversation_id})
    return messages_of(exchange_of((turn_id, "chat", "", "", last.tools)).tools)


def _unknown() -> NotFound:
    return NotFound("unknown_conversation", "There is no such conversation.")


def _named(user_id: str, conversation_id: str) -> dict[str, str]:
    return {"user": user_id, "conversation": conversation_id}
