"""Memory on PostgreSQL and on MariaDB: the same suite as on SQLite, migrations by several at once, and events."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator

import pytest
from opentelemetry.trace import NoOpTracer
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import create_async_engine

from services.memory.tests.memory_rig import Rig, ScriptedWriter
from superagent.orchestrator.v1.events_pb2 import TurnCompleted
from superagent_common.bus import Event, Subscription
from superagent_common.bus.event import Delivery
from superagent_common.bus.handling import Handling
from superagent_common.bus.topics import TURN_COMPLETED
from superagent_common.db import Connection, Database, migrate
from superagent_common.errors import Unavailable
from superagent_common.ids import new_id
from superagent_memory.adapters.tables import dead_letters, handled_events
from superagent_memory.domain.rules import DEFAULT_RULES
from superagent_memory.domain.summary import Draft
from tests.real.databases import EACH, MYSQL, POSTGRESQL, migrated_database, new_database, opened_database
from tests.support.memory_conformance import MemoryStoreConformance
from tests.support.memory_turns import ANNA, Clock, turn

both = pytest.mark.parametrize("setting", EACH)


@pytest.mark.real(POSTGRESQL)
class TestPostgresql(MemoryStoreConformance):
    @pytest.fixture(scope="class")
    async def database(self) -> AsyncIterator[Database]:
        async with opened_database(POSTGRESQL, "superagent_memory") as database:
            yield database


@pytest.mark.real(MYSQL)
class TestMariadb(MemoryStoreConformance):
    @pytest.fixture(scope="class")
    async def database(self) -> AsyncIterator[Database]:
        async with opened_database(MYSQL, "superagent_memory") as database:
            yield database


@both
@pytest.mark.parametrize(
    "package",
    [f"superagent_{service}" for service in ("gateway", "ingestion", "memory", "orchestrator", "retrieval", "trace")],
)
async def test_three_replicas_migrate_at_once(setting: str, package: str) -> None:
    async with new_database(os.environ[setting]) as url:
        await asyncio.gather(*(migrate(url, package) for _ in range(3)))
        engine = create_async_engine(url)
        async with engine.connect() as connection:
            assert len((await connection.execute(text("SELECT version_num FROM alembic_version"))).all()) == 1
        await engine.dispose()


@both
async def test_a_conversation_is_summarised_as_on_sqlite(setting: str) -> None:
    writer = ScriptedWriter(lambda material: (Draft("They speak of clauses and storage."),), title="Clauses of storage")
    async with (
        migrated_database(os.environ[setting], "superagent_memory") as url,
        Database.opened(url, tracer=NoOpTracer()) as database,
        Database.opened(url, tracer=NoOpTracer()) as other_database,
    ):
        clock = Clock()
        rig, other = (Rig(each, clock, writer, DEFAULT_RULES, None) for each in (database, other_database))
        made = await rig.new("我叫王小明 😀")
        await rig.tell(made, *(turn(f"What is clause {at}?", "It is about storage.") for at in range(9)))
        await asyncio.gather(rig.completed(made), other.completed(made))
        await asyncio.gather(rig.looked_after(), other.looked_after())
        seen = await other.memory.load(ANNA, made)
        assert (seen.summary.turns_covered, seen.summary.text) == (5, "They speak of clauses and storage.")
        assert seen.conversation.title == "Clauses of storage"
        assert len(seen.turns) == 4
        async with database.read() as connection:
            for table in (handled_events, dead_letters):
                assert (await connection.execute(select(table))).all() == []


@both
async def test_an_event_is_handled_once(setting: str) -> None:
    handled: list[str] = []

    async def handle(connection: Connection, event: Event[TurnCompleted]) -> None:
        await connection.execute(text("SELECT 1"))
        handled.append(event.id)
        if len(handled) == 1:
            raise Unavailable("not_yet")

    async with opened_database(setting, "superagent_memory") as database:
        subscription = Subscription(TURN_COMPLETED, TurnCompleted, handle)
        handling = Handling("memory", [subscription], database, handled_events, NoOpTracer())
        delivery = Delivery(new_id(), TURN_COMPLETED, 0, 0, new_id(), TurnCompleted().SerializeToString(), "")
        with pytest.raises(Unavailable):
            await handling.handle_once(delivery, 1)
        # What failed is rolled back with the event's id; what succeeded is never handled again.
        outcomes = [await handling.handle_once(delivery, attempt) for attempt in (2, 3)]
        assert outcomes == ["handled", "duplicate"]
        assert handled == [delivery.event_id] * 2


@both
async def test_a_store_that_is_away_says_so(setting: str) -> None:
    """A refused connection is Unavailable, which callers try again and people are told as 503."""

    driver = os.environ[setting].partition("://")[0]
    database = await Database.open(f"{driver}://nobody@127.0.0.1:1/nothing", tracer=NoOpTracer())
    for transaction in (database.read, database.write):
        with pytest.raises(Unavailable) as refused:
            async with transaction() as connection:
                await connection.execute(select(handled_events).where(handled_events.c.event_id == new_id()))
        assert refused.value.reason == "database_unavailable"
    await database.close()
