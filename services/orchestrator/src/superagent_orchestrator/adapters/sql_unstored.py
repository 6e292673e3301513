"""Turns that wait for memory, in the orchestrator's own database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

from sqlalchemy import delete, insert, select

from superagent.memory.v1 import memory_pb2
from superagent_common.db import Database
from superagent_orchestrator.adapters.sql_turns import principal_of
from superagent_orchestrator.adapters.tables import unstored_turns as table
from superagent_orchestrator.ports import UnstoredTurn

_AT_ONCE = 100


class SqlUnstoredTurns:
    """`UnstoredTurns` on SQLAlchemy Core."""

    def __init__(self, database: Database, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since the epoch."""
        self._database = database
        self._clock = clock

    async def keep(self, turn: UnstoredTurn) -> None:
        turn_id = turn.request.turn.turn_id
        async with self._database.write() as connection:
            if await connection.scalar(select(table.c.turn_id).where(table.c.turn_id == turn_id)):
                return
            await connection.execute(
                insert(table),
                {
                    "turn_id": turn_id,
                    "conversation_id": turn.request.conversation_id,
                    "principal": asdict(turn.principal),
                    "request": turn.request.SerializeToString(),
                    "kept_at": self._clock(),
                },
            )

    async def waiting(self, conversation_id: str) -> Sequence[UnstoredTurn]:
        wanted = select(table.c.request, table.c.principal).order_by(table.c.kept_at, table.c.turn_id).limit(_AT_ONCE)
        if conversation_id:
            wanted = wanted.where(table.c.conversation_id == conversation_id)
        async with self._database.read() as connection:
            rows = (await connection.execute(wanted)).all()
        return [
            UnstoredTurn(memory_pb2.AppendTurnRequest.FromString(row.request), principal_of(row.principal))
            for row in rows
        ]

    async def forget(self, turn_id: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(table).where(table.c.turn_id == turn_id))
