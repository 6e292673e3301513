"""Turns whose owner died: run again or ended, whatever else fails meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sqlalchemy import select

from services.orchestrator.tests.fakes import FakeConversations, FakeEventLog, delta, execution
from services.orchestrator.tests.turns_rig import ANSWER, Rig, finished, lose, names, until
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.bus.topics import TURN_COMPLETED
from superagent_common.db import Database
from superagent_common.errors import Unavailable
from superagent_orchestrator.adapters import tables


class UnreadableLog(FakeEventLog):
    """Another log's streams, of which one cannot be read."""

    def __init__(self, turn_id: str, log: FakeEventLog) -> None:
        super().__init__()
        self.streams = log.streams
        self.refused = 0
        self._turn_id = turn_id

    async def read(self, turn_id: str, after: int) -> Sequence[events_pb2.TurnEvent]:
        if turn_id == self._turn_id:
            self.refused += 1
            raise Unavailable("turn_log_unavailable")
        return await super().read(turn_id, after)


async def refuse(record: events_pb2.TurnRecord, owner: str) -> bool:
    raise Unavailable("database_locked")


async def renewed(rig: Rig, turn_id: str) -> None:
    """Waits until the turn's lease is one that has not run out."""
    lease = select(tables.turns.c.lease_until).where(tables.turns.c.turn_id == turn_id)
    while True:
        async with rig.database.read() as connection:
            if await connection.scalar(lease) > 1:
                return
        await asyncio.sleep(0.005)


async def test_a_turn_whose_owner_died_before_the_first_delta_is_run_again(rig: Rig, database: Database) -> None:
    rig.executor.events = (asyncio.Event(),)
    turn_id = await rig.start()
    await asyncio.wait_for(asyncio.shield(until(lambda: len(rig.log.streams[turn_id]) >= 5)), 120)
    await lose(rig, turn_id)
    heir = Rig(database, rig.log, rig.conversations)
    async with heir.own.running():
        events = await finished(heir, turn_id)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert names(events).count("accepted") == 1 and events[-1].done.finish_reason == "stop"


async def test_a_turn_whose_owner_died_after_the_first_delta_ends_retryable(rig: Rig, database: Database) -> None:
    rig.executor.events = (delta("Two "), asyncio.Event())
    turn_id = await rig.start()
    await asyncio.wait_for(until(lambda: "delta" in names(rig.log.streams[turn_id])), 120)
    await lose(rig, turn_id)
    heir = Rig(database, rig.log, rig.conversations)
    async with heir.own.running():
        events = await finished(heir, turn_id)
    assert (events[-1].error.reason, events[-1].error.retryable) == ("interrupted", True)
    assert heir.executor.plans == []
    ((stored,),) = rig.conversations.stored.values()
    assert stored.answer == "Two "


async def test_a_turn_whose_owner_died_behind_its_whole_answer_ends_well(rig: Rig, database: Database) -> None:
    rig.executor.events = (*ANSWER[:-1], asyncio.Event())
    turn_id = await rig.start()
    await asyncio.wait_for(until(lambda: "stage archive" in names(rig.log.streams[turn_id])), 120)
    await lose(rig, turn_id)
    heir = Rig(database, rig.log, rig.conversations)
    async with heir.own.running():
        events = await finished(heir, turn_id)
        record = await heir.record(turn_id)
    assert events[-1].done.finish_reason == record.finish_reason == "stop"
    assert record.state == events_pb2.TURN_STATE_COMPLETED and heir.executor.plans == []
    ((stored,),) = rig.conversations.stored.values()
    assert (stored.answer, stored.state) == ("Two years [1].", events_pb2.TURN_STATE_COMPLETED)


async def test_the_end_is_given_even_if_the_owner_died_before_writing_it(rig: Rig, database: Database) -> None:
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    rig.log.streams[turn_id].pop()
    other = Rig(database, rig.log, rig.conversations)
    again = await other.events(turn_id)
    assert again[-1].done.finish_reason == "stop" and again[-1].sequence == len(events)
    assert (await other.events(turn_id, len(events) - 1))[-1].done.finish_reason == "stop"


async def test_a_turn_that_is_executed_again_sees_its_history_again(rig: Rig, database: Database) -> None:
    said = plan_pb2.PastTurn(question="What is MinIO?", answer="A store.")
    rig.executor.events = (asyncio.Event(),)
    turn_id = await rig.start(history=[said])
    await asyncio.wait_for(until(lambda: len(rig.log.streams[turn_id]) >= 5), 120)
    await lose(rig, turn_id)
    heir = Rig(database, rig.log, rig.conversations)
    async with heir.own.running():
        await finished(heir, turn_id)
    (plan,) = heir.executor.plans
    assert list(plan.memory.recent_turns) == [said]


async def test_a_viewer_ahead_of_what_the_log_got_is_told_the_end(rig: Rig, database: Database) -> None:
    rig.executor.events = (delta("Two "), asyncio.Event())
    turn_id = await rig.start()
    await asyncio.wait_for(until(lambda: "delta" in names(rig.log.streams[turn_id])), 120)
    await lose(rig, turn_id)
    heir = Rig(database, rig.log, rig.conversations)
    watching = asyncio.create_task(heir.events(turn_id, 50))
    async with heir.own.running():
        async with asyncio.timeout(120):
            (end,) = await watching
        assert end.error.reason == "interrupted" and end.sequence < 50
        assert await heir.events(turn_id, 50) == [end]
    assert await Rig(database, rig.log, rig.conversations).events(turn_id, 50) == [end]


async def test_one_turn_that_cannot_be_taken_over_costs_no_other_its_end(rig: Rig, database: Database) -> None:
    turns = []
    for number in range(3):
        rig.executor.events = (delta("Two "), asyncio.Event())
        turns.append(await rig.start(f"question {number}"))
        await asyncio.wait_for(until(lambda: "delta" in names(rig.log.streams[turns[-1]])), 120)
    for turn_id in turns:
        await lose(rig, turn_id)
    log = UnreadableLog(turns[0], rig.log)
    heir = Rig(database, log, rig.conversations)
    async with heir.own.running():
        for turn_id in turns[1:]:
            assert (await finished(heir, turn_id))[-1].error.reason == "interrupted"
    assert log.refused


async def test_a_turn_whose_conversation_is_gone_ends_all_the_same(rig: Rig, database: Database) -> None:
    rig.executor.events = (asyncio.Event(),)
    turn_id = await rig.start()
    await asyncio.wait_for(until(lambda: len(rig.log.streams[turn_id]) >= 5), 120)
    await lose(rig, turn_id)
    heir = Rig(database, rig.log, FakeConversations())
    async with heir.own.running():
        assert (await finished(heir, turn_id))[-1].error.reason == "interrupted"


async def test_a_turn_that_ended_before_it_could_be_stored_is_stored_by_its_heir(rig: Rig, database: Database) -> None:
    rig.executor.events = (execution(degraded=events_pb2.Degraded(tier="text_only", reason="channel_down")), *ANSWER)
    rig.store.finish = refuse  # type: ignore[method-assign]
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    assert events[-1].done.finish_reason == "stop"
    await lose(rig, turn_id)
    heir = Rig(database, rig.log, rig.conversations)
    async with heir.own.running():
        assert await finished(heir, turn_id) == events
        record = await heir.record(turn_id)
    assert (record.state, record.finish_reason) == (events_pb2.TURN_STATE_COMPLETED, "stop")
    assert (record.usage.input_tokens, record.sources.sources[0].title) == (10, "Handbook")
    assert [stage.name for stage in record.stages] == ["load_memory", "rewrite", "plan", "archive"]
    assert [each.tier for each in record.degraded] == ["text_only"]
    assert await heir.outbox_topics() == [TURN_COMPLETED]


async def test_a_replica_that_was_late_renews_its_own_running_turns_before_anybody_takes_them(rig: Rig) -> None:
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start()
    await asyncio.wait_for(until(lambda: len(rig.executor.plans) == 1), 120)
    await lose(rig, turn_id, rig.own._owner)
    heir = Rig(rig.database, rig.log, rig.conversations)
    async with rig.own.running():
        async with asyncio.timeout(120):
            await renewed(rig, turn_id)
        assert not await heir.store.take_over("heir")
        gate.set()
        events = await rig.events(turn_id)
    assert len(rig.executor.plans) == 1
    assert events[-1].done.finish_reason == "stop" and rig.log.streams[turn_id] == events
