"""Memory's use cases on a SQLite file, with a scripted writer and a clock that ticks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from opentelemetry.trace import NoOpTracer
from sqlalchemy import insert, update

from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.bus import Event, Outbox
from superagent_common.bus.topics import TURN_COMPLETED
from superagent_common.clock import timestamp
from superagent_common.db import Database
from superagent_common.ids import new_id
from superagent_common.logging import get_logger
from superagent_memory.adapters.completed_turns import CompletedTurns
from superagent_memory.adapters.rows import turn_values
from superagent_memory.adapters.sql_conversations import SqlConversationStore
from superagent_memory.adapters.sql_person import SqlPersonStore
from superagent_memory.adapters.sql_summaries import SqlSummaryStore
from superagent_memory.adapters.tables import conversations, outbox, turns
from superagent_memory.application import Care, Folding, Memory, PersonMemory, Retention
from superagent_memory.domain.conversations import Turn
from superagent_memory.domain.rules import DEFAULT_RULES, Rules
from superagent_memory.domain.summary import Draft, Material, Summary
from tests.support.counting_database import CountingDatabase
from tests.support.databases import new_database
from tests.support.memory_turns import ANNA, Clock, turn

Writes = Callable[[Material], Sequence[str | Draft]]


class ScriptedWriter:
    """A `Writer` that writes what a function says, and keeps what it was shown."""

    def __init__(self, writes: Writes, title: str | None = None) -> None:
        self._writes = writes
        self._title = title
        self.shown: list[Material] = []
        self.titles: list[tuple[str, str]] = []

    async def summarise(self, material: Material) -> AsyncGenerator[str | Draft, None]:
        self.shown.append(material)
        for piece in self._writes(material):
            yield piece

    async def title(self, question: str, answer: str) -> str | None:
        self.titles.append((question, answer))
        return self._title


def nothing(material: Material) -> Sequence[str | Draft]:
    return ()


class Rig:
    """One replica. `completed` hands a turn's event over, as the consumer would; `looked_after` does all that is due."""

    def __init__(
        self, database: Database, clock: Clock, writer: ScriptedWriter | None, rules: Rules, keep: int | None
    ) -> None:
        self.counting = CountingDatabase(database)
        self.store = SqlConversationStore(self.counting, Outbox(outbox), lambda: None)
        self.summaries = SqlSummaryStore(self.counting)
        self.clock = clock
        self.by: list[str] = []
        self.retention = Retention(self.store, clock, keep) if keep is not None else None
        self.memory = Memory(self.store, clock, rules, self.retention)
        self.folding = Folding(self.store, self.summaries, writer, clock, rules, told=self.by.append)
        self.care = Care(
            self.summaries, self.folding, writer, clock, get_logger("memory"), lease_seconds=1, sweep_seconds=0.01
        )
        self.person = PersonMemory(SqlPersonStore(self.counting), clock)
        self.completed_turns = CompletedTurns(
            self.folding, self.care.wake_soon, clock, writes_titles=writer is not None
        )

    async def new(self, first_question: str = "hello", user_id: str = ANNA) -> str:
        made, _ = await self.memory.create(user_id, "", "", None, first_question)
        return made.conversation_id

    async def tell(self, conversation_id: str, *told: Turn) -> None:
        """Stores turns and does what comes after each."""
        for each in told:
            await self.memory.append(ANNA, conversation_id, each)
            await self.completed(conversation_id, each.question)
            await self.looked_after()

    async def completed(
        self,
        conversation_id: str,
        question: str = "",
        user_id: str = ANNA,
        started_at: int | None = None,
        *,
        archived: bool = True,
    ) -> None:
        state = events_pb2.STAGE_STATE_COMPLETED if archived else events_pb2.STAGE_STATE_FAILED
        record = events_pb2.TurnRecord(
            conversation_id=conversation_id,
            user_id=user_id,
            started_at=timestamp(self.clock.at if started_at is None else started_at),
            plan=plan_pb2.ExecutionPlan(original_question=question),
            stages=[events_pb2.Stage(name="archive", state=state)],
        )
        event = Event(new_id(), TURN_COMPLETED, conversation_id, events_pb2.TurnCompleted(turn=record))
        async with self.counting.write() as connection:
            await self.completed_turns.handle(connection, event)

    async def looked_after(self) -> int:
        """How many conversations there were to look after."""
        number = 0
        while await self.care.work_once():
            number += 1
        return number

    async def filled(self, conversation_id: str, number: int) -> None:
        """Stores many turns at once."""
        rows = [
            {
                **turn_values(turn(f"What is clause {at} about?", f"Clause {at} is about storage. " + "More. " * 20)),
                "conversation_id": conversation_id,
                "position": at + 1,
            }
            for at in range(number)
        ]
        async with self.counting.write() as connection:
            await connection.execute(insert(turns), rows)
            await connection.execute(
                update(conversations)
                .where(conversations.c.conversation_id == conversation_id)
                .values(turns_total=number, messages_total=2 * number)
            )

    async def summary(self, conversation_id: str) -> Summary:
        found = await self.summaries.state(conversation_id)
        assert found is not None
        return found[1]


@asynccontextmanager
async def rigged(
    folder: Path,
    writer: ScriptedWriter | None = None,
    *,
    rules: Rules = DEFAULT_RULES,
    keep: int | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[Rig]:
    url = await new_database("superagent_memory", folder)
    async with Database.opened(url, tracer=NoOpTracer()) as database:
        yield Rig(database, clock or Clock(), writer, rules, keep)


@asynccontextmanager
async def two_rigs(folder: Path, writer: ScriptedWriter) -> AsyncIterator[tuple[Rig, Rig]]:
    """Two replicas on one database."""
    url = await new_database("superagent_memory", folder)
    clock = Clock()
    async with (
        Database.opened(url, tracer=NoOpTracer()) as one,
        Database.opened(url, tracer=NoOpTracer()) as other,
    ):
        yield Rig(one, clock, writer, DEFAULT_RULES, None), Rig(other, clock, writer, DEFAULT_RULES, None)
