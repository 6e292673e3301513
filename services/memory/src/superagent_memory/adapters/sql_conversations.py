"""Conversations in a relational database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields

from sqlalchemy import and_, delete, exists, insert, or_, select, update
from sqlalchemy.engine import Row

from superagent_common.db import Database
from superagent_common.errors import NotFound
from superagent_memory.adapters.tables import conversations, turns
from superagent_memory.domain import Conversation, Turn

_TURN_COLUMNS = [turns.c[field.name] for field in fields(Turn)]


class SqlConversationStore:
    """`ConversationStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, conversation: Conversation) -> Conversation:
        async with self._database.write() as connection:
            row = (
                await connection.execute(
                    select(conversations).where(conversations.c.conversation_id == conversation.conversation_id)
                )
            ).first()
            if row is None:
                await connection.execute(insert(conversations).values(asdict(conversation)))
                return conversation
        if row.user_id != conversation.user_id:
            raise NotFound("unknown_conversation", "There is no such conversation.")
        return _conversation(row)

    async def get(self, user_id: str, conversation_id: str) -> Conversation | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(conversations).where(_own(user_id, conversation_id)))).first()
        return _conversation(row) if row else None

    async def get_with_newest(
        self, user_id: str, conversation_id: str, limit: int
    ) -> tuple[Conversation, Sequence[Turn]] | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(conversations).where(_own(user_id, conversation_id)))).first()
            if row is None:
                return None
            newest = await connection.execute(
                select(*_TURN_COLUMNS)
                .where(turns.c.conversation_id == conversation_id)
                .order_by(turns.c.position.desc())
                .limit(limit)
            )
            return _conversation(row), [_turn(found) for found in reversed(newest.all())]

    async def append(self, user_id: str, conversation_id: str, turn: Turn) -> bool:
        async with self._database.write() as connection:
            row = (
                await connection.execute(
                    select(conversations.c.turns_total, exists().where(turns.c.turn_id == turn.turn_id)).where(
                        _own(user_id, conversation_id)
                    )
                )
            ).first()
            if row is None:
                return False
            position, stored = row
            if stored:
                return True
            await connection.execute(
                insert(turns).values(conversation_id=conversation_id, position=position + 1, **asdict(turn))
            )
            await connection.execute(
                update(conversations)
                .where(conversations.c.conversation_id == conversation_id)
                .values(turns_total=position + 1, updated_at=turn.stored_at)
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
                update(conversations)
                .where(_own(conversation.user_id, conversation.conversation_id))
                .values(title=conversation.title, strategy=conversation.strategy)
            )

    async def delete(self, user_id: str, conversation_id: str) -> bool:
        async with self._database.write() as connection:
            gone = await connection.execute(delete(conversations).where(_own(user_id, conversation_id)))
            return bool(gone.rowcount)


def _own(user_id: str, conversation_id: str):  # type: ignore[no-untyped-def]
    return and_(conversations.c.conversation_id == conversation_id, conversations.c.user_id == user_id)


def _conversation(row: Row) -> Conversation:  # type: ignore[type-arg]
    return Conversation(*row)


def _turn(row: Sequence[object]) -> Turn:
    return Turn(*row)  # type: ignore[arg-type]
