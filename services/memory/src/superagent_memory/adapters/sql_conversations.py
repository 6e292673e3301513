"""Conversations in a relational database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from sqlalchemy import and_, bindparam, delete, exists, insert, or_, select, update
from sqlalchemy.engine import Row

from superagent_common.db import Database
from superagent_common.errors import NotFound
from superagent_memory.adapters.tables import conversations, turns
from superagent_memory.domain import Conversation, Turn

_TURN_COLUMNS = [turns.c[field.name] for field in fields(Turn)]
_CONVERSATION_FIELDS = [field.name for field in fields(Conversation)]
_TURN_FIELDS = [field.name for field in fields(Turn)]
_ID = conversations.c.conversation_id == bindparam("conversation")
_OWN = and_(_ID, conversations.c.user_id == bindparam("user"))
# Built once: these are on the path of every turn.
_ADD_CONVERSATION = insert(conversations)
_BY_ID = select(conversations).where(_ID)
_OWN_BY_ID = select(conversations).where(_OWN)
_NEWEST_TURNS = (
    select(*_TURN_COLUMNS)
    .where(turns.c.conversation_id == bindparam("conversation"))
    .order_by(turns.c.position.desc())
    .limit(bindparam("rows"))
)
_TURNS_AND_WHETHER_STORED = select(
    conversations.c.turns_total, exists().where(turns.c.turn_id == bindparam("turn"))
).where(_OWN)
_ADD_TURN = insert(turns)
_COUNT_TURN = (
    update(conversations).where(_ID).values(turns_total=bindparam("new_total"), updated_at=bindparam("new_updated_at"))
)


class SqlConversationStore:
    """`ConversationStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, conversation: Conversation) -> Conversation:
        async with self._database.write() as connection:
            row = (await connection.execute(_BY_ID, {"conversation": conversation.conversation_id})).first()
            if row is None:
                values = {name: getattr(conversation, name) for name in _CONVERSATION_FIELDS}
                await connection.execute(_ADD_CONVERSATION, values)
                return conversation
        if row.user_id != conversation.user_id:
            raise NotFound("unknown_conversation", "There is no such conversation.")
        return _conversation(row)

    async def get(self, user_id: str, conversation_id: str) -> Conversation | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_OWN_BY_ID, _named(user_id, conversation_id))).first()
        return _conversation(row) if row else None

    async def get_with_newest(
        self, user_id: str, conversation_id: str, limit: int
    ) -> tuple[Conversation, Sequence[Turn]] | None:
        async with self._database.read() as connection:
            row = (await connection.execute(_OWN_BY_ID, _named(user_id, conversation_id))).first()
            if row is None:
                return None
            newest = await connection.execute(_NEWEST_TURNS, {"conversation": conversation_id, "rows": limit})
            return _conversation(row), [_turn(found) for found in reversed(newest.all())]

    async def append(self, user_id: str, conversation_id: str, turn: Turn) -> bool:
        async with self._database.write() as connection:
            asked = {**_named(user_id, conversation_id), "turn": turn.turn_id}
            row = (await connection.execute(_TURNS_AND_WHETHER_STORED, asked)).first()
            if row is None:
                return False
            before, stored = row
            if stored:
                return True
            values = {name: getattr(turn, name) for name in _TURN_FIELDS}
            await connection.execute(_ADD_TURN, {**values, "conversation_id": conversation_id, "position": before + 1})
            await connection.execute(
                _COUNT_TURN,
                {"conversation": conversation_id, "new_total": before + 1, "new_updated_at": turn.stored_at},
            )
        return True

    async def turns(self, conversation_id: str, after: int, limit: int) -> Sequence[tuple[int, Turn]]:
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(*_TURN_COLUMNS, turns.c.position)
                .where(turns.c.conversation_id == conversation_id, turns.c.position > after)
                .order_by(turns.c.position)
                .limit(limit)
            )
            return [(row.position, _turn(row[:-1])) for row in rows]

    async def find(self, user_id: str, text: str, before: tuple[int, str] | None, limit: int) -> Sequence[Conversation]:
        wanted = [conversations.c.user_id == user_id]
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
                select(conversations)
                .where(*wanted)
                .order_by(conversations.c.updated_at.desc(), conversations.c.conversation_id.desc())
                .limit(limit)
            )
            return [_conversation(row) for row in rows]

    async def update(self, conversation: Conversation) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                update(conversations).where(_OWN).values(title=conversation.title, strategy=conversation.strategy),
                _named(conversation.user_id, conversation.conversation_id),
            )

    async def delete(self, user_id: str, conversation_id: str) -> bool:
        async with self._database.write() as connection:
            gone = await connection.execute(delete(conversations).where(_OWN), _named(user_id, conversation_id))
            return bool(gone.rowcount)


def _named(user_id: str, conversation_id: str) -> dict[str, str]:
    return {"user": user_id, "conversation": conversation_id}


def _conversation(row: Row) -> Conversation:  # type: ignore[type-arg]
    return Conversation(*row)


def _turn(row: Sequence[object]) -> Turn:
    return Turn(*row)  # type: ignore[arg-type]
