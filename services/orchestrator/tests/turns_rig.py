"""One replica of the orchestrator with fakes around a real database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from sqlalchemy import select, update

from services.orchestrator.tests.fakes import (
    FakeCancelSignal,
    FakeCatalogue,
    FakeConversations,
    FakeEventLog,
    FakeExecutor,
    FakeSkillCatalogue,
    answered,
    delta,
    execution,
)
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2
from superagent_common import clock
from superagent_common.bus import REMEMBERED_SECONDS, Outbox
from superagent_common.db import Database
from superagent_common.errors import ServiceError
from superagent_common.identity import Identity, Principal, acting_as
from superagent_common.logging import get_logger
from superagent_common.telemetry import Telemetry
from superagent_orchestrator.adapters import tables
from superagent_orchestrator.adapters.rule_planner import RulePlanner
from superagent_orchestrator.adapters.sql_deletions import SqlDeletedConversations, note_deletion
from superagent_orchestrator.adapters.sql_turns import SqlTurnStore
from superagent_orchestrator.adapters.sql_unstored import SqlUnstoredTurns
from superagent_orchestrator.application import Turns
from superagent_orchestrator.application.archive import Archive
from superagent_orchestrator.application.deletions import Deletions
from superagent_orchestrator.application.metrics import TurnMetrics
from superagent_orchestrator.application.own_turns import OwnTurns
from superagent_orchestrator.application.planning import Planning
from superagent_orchestrator.application.preparing import Preparing
from superagent_orchestrator.application.runner import TurnRunner
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput
from superagent_orchestrator.ports import Planner

ANNA, BEN = Principal("anna-id", "anna", ("user",), ("sales",)), Principal("ben-id", "ben", ("user",))
ANSWER = (
    delta("Two "),
    delta("years [1]."),
    execution(sources=events_pb2.Sources(sources=[events_pb2.Source(citation_id=1, title="Handbook")])),
    execution(usage=events_pb2.Usage(model="fake", input_tokens=10, output_tokens=3, model_calls=1)),
    answered(),
    execution(follow_ups=events_pb2.FollowUps(questions=["Next?"])),
)


class Clock:
    """The real clocks, which a test may set: the one that people see, and the one that only runs on."""

    def __init__(self) -> None:
        self.jumped = 0
        self.passed = 0.0

    def now(self) -> int:
        return clock.now() + self.jumped

    def monotonic(self) -> float:
        return time.monotonic() + self.passed


class SwitchedPlanner:
    """The rule planner, until a test puts another in its place."""

    def __init__(self) -> None:
        self.used: Planner = RulePlanner()

    async def plan(self, planning: PlanningInput) -> PlanDraft:
        return await self.used.plan(planning)


class Rig:
    """One replica of the orchestrator; `again` makes another one on the same database and log."""

    def __init__(self, database: Database, log: FakeEventLog, conversations: FakeConversations) -> None:
        self.database = database
        self.log = log
        self.conversations = conversations
        self.catalogue = FakeCatalogue()
        self.skills = FakeSkillCatalogue()
        self.planner = SwitchedPlanner()
        self.executor = FakeExecutor(*ANSWER)
        self.cancel_signal = FakeCancelSignal()
        self.published = 0
        telemetry = Telemetry("orchestrator")
        self.clock = Clock()
        self.store = SqlTurnStore(database, Outbox(tables.outbox), self._count, lease_seconds=15)
        planning = Planning(self.catalogue, self.skills, self.planner, model_available=True)
        logger = get_logger("orchestrator")
        self.unstored = SqlUnstoredTurns(database, self.clock.now)
        self.archive = Archive(conversations, self.unstored, logger)
        preparing = Preparing(conversations, self.archive, self.store, logger, self.clock.now)
        runner = TurnRunner(
            self.archive,
            planning,
            self.executor,
            self.store,
            telemetry,
            TurnMetrics(telemetry.registry),
            logger,
            self.clock.now,
        )
        self.own = OwnTurns(
            self.store,
            log,
            preparing,
            self.archive,
            runner,
            logger,
            self.clock.now,
            grace_seconds=0.05,
            monotonic=self.clock.monotonic,
        )
        self.deletions = Deletions(
            SqlDeletedConversations(database, self.clock.now), log, self.clock.now, REMEMBERED_SECONDS
        )
        self.turns = Turns(self.store, log, preparing, planning, runner, self.own, self.cancel_signal, self.clock.now)

    def _count(self) -> None:
        self.published += 1

    async def start(self, message: str = "How long is the warranty?", who: Principal = ANNA, **more: Any) -> str:
        with acting_as(Identity(who)):
            turn = await self.turns.start(orchestrator_pb2.StartTurnRequest(message=message, **more))
        return turn.turn_id

    async def regenerate(self, turn_id: str, message: str = "", who: Principal = ANNA, key: str = "") -> str:
        request = orchestrator_pb2.RegenerateTurnRequest(turn_id=turn_id, message=message, idempotency_key=key)
        with acting_as(Identity(who)):
            return (await self.turns.regenerate(request)).turn_id

    async def replay(self, turn_id: str, who: Principal = ANNA, key: str = "") -> str:
        with acting_as(Identity(who)):
            return (await self.turns.replay(turn_id, key)).turn_id

    async def events(self, turn_id: str, after: int = 0, who: Principal = ANNA) -> list[events_pb2.TurnEvent]:
        with acting_as(Identity(who)):
            async with aclosing(self.turns.stream(turn_id, after)) as stream:
                return [event async for event in stream]

    async def record(self, turn_id: str, who: Principal = ANNA) -> events_pb2.TurnRecord:
        with acting_as(Identity(who)):
            return await self.turns.record(turn_id)

    async def deleted(self, conversation_id: str, *, heard: bool = True) -> None:
        """What the event of a deletion does; unless `heard`, without the signal to the replicas."""
        self.conversations.owners.pop(conversation_id, None)
        async with self.database.write() as connection:
            await note_deletion(connection, conversation_id, self.clock.now())
        if heard:
            self.own.conversation_deleted(conversation_id)

    async def left(self, *ids: str) -> list[str]:
        """Which of these ids or texts are anywhere in the database, but for the outbox."""
        found = set()
        async with self.database.read() as connection:
            for table in (tables.turns, tables.unstored_turns):
                for row in await connection.execute(select(table)):
                    found |= {each for each in ids if each in str(row)}
        return sorted(found)

    async def outbox_topics(self) -> list[str]:
        async with self.database.read() as connection:
            return list(await connection.scalars(select(tables.outbox.c.topic)))


def names(events: list[events_pb2.TurnEvent]) -> list[str]:
    """Without the beginnings of stages, which are told only where one takes long."""
    return [
        f"stage {event.stage.name}" if event.WhichOneof("payload") == "stage" else event.WhichOneof("payload")
        for event in events
        if event.stage.state != events_pb2.STAGE_STATE_STARTED
    ]


async def lose(rig: Rig, turn_id: str, owner: str = "dead") -> None:
    """What the death of its owner leaves of a turn: a row whose lease has run out."""
    async with rig.database.write() as connection:
        await connection.execute(
            update(tables.turns).where(tables.turns.c.turn_id == turn_id).values(owner=owner, lease_until=1)
        )


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.005)


async def finished(rig: Rig, turn_id: str) -> list[events_pb2.TurnEvent]:
    async with asyncio.timeout(120):
        while True:
            try:
                if (await rig.record(turn_id)).state != events_pb2.TURN_STATE_RUNNING:
                    return await rig.events(turn_id)
            except ServiceError:
                pass  # the heir has not taken it yet
            await asyncio.sleep(0.01)
