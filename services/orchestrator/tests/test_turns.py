"""Turns with fakes around a real database: events, records, and who may watch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from services.orchestrator.tests.fakes import (
    delta,
)
from services.orchestrator.tests.turns_rig import ANSWER, BEN, Rig, names
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.db import Database
from superagent_common.errors import NotFound, Unavailable
from superagent_common.identity import Identity, acting_as


async def test_a_turn_tells_everything_in_order(rig: Rig) -> None:
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert names(events) == [
        "accepted",
        "stage load_memory",
        "stage rewrite",
        "stage plan",
        "plan",
        "delta",
        "delta",
        "sources",
        "usage",
        "stage archive",
        "follow_ups",
        "done",
    ]
    assert {event.turn_id for event in events} == {turn_id}
    assert events[-1].done.finish_reason == "stop"
    assert rig.log.streams[turn_id] == events


async def test_the_record_is_whole_before_done_is_seen(rig: Rig) -> None:
    turn_id = await rig.start()
    await rig.events(turn_id)
    record = await rig.record(turn_id)
    assert record.state == events_pb2.TURN_STATE_COMPLETED
    assert [stage.name for stage in record.stages] == ["load_memory", "rewrite", "plan", "archive"]
    assert (record.usage.input_tokens, record.usage.output_tokens) == (10, 3)
    assert record.plan.mode == plan_pb2.MODE_RAG_CHAT and record.plan.turn_id == turn_id
    assert record.sources.sources[0].title == "Handbook"
    assert await rig.outbox_topics() == ["superagent.turn.completed.v1"]
    assert rig.published == 1


async def test_the_turn_is_stored_in_its_conversation(rig: Rig) -> None:
    turn_id = await rig.start()
    await rig.events(turn_id)
    ((stored,),) = rig.conversations.stored.values()
    assert (stored.turn_id, stored.question, stored.answer) == (turn_id, "How long is the warranty?", "Two years [1].")
    assert stored.state == events_pb2.TURN_STATE_COMPLETED and stored.sources.sources[0].citation_id == 1


async def test_a_conversation_that_its_client_keeps_is_not_to_be_listed(rig: Rig) -> None:
    await rig.events(await rig.start(unlisted=True))
    await rig.events(await rig.start())
    first, _ = rig.conversations.owners
    assert rig.conversations.unlisted == {first}


async def test_a_client_bounds_the_answer_within_what_is_configured(rig: Rig) -> None:
    for wanted, planned in ((0, 2_000), (7, 7), (1_000_000, 2_000)):
        await rig.events(await rig.start(max_output_tokens=wanted))
        assert rig.executor.plans[-1].budget.max_output_tokens == planned


async def test_the_plan_sees_the_conversation(rig: Rig) -> None:
    first = await rig.start("MinIO 是什么?")
    await rig.events(first)
    conversation = next(iter(rig.conversations.owners))
    second = await rig.start("那它怎么配置?", conversation_id=conversation)
    await rig.events(second)
    plan = rig.executor.plans[1]
    assert "MinIO" in plan.rewritten_question and plan.original_question == "那它怎么配置?"
    assert plan.memory.recent_turns[0].turn_id == first


async def test_resuming_gives_the_same_events_behind_a_number(rig: Rig) -> None:
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    for after in (0, 1, 7, len(events) - 1):
        assert await rig.events(turn_id, after) == events[after:]
    assert await rig.events(turn_id, len(events)) == []
    assert await rig.events(turn_id, 10_000) == events[-1:], "whoever is ahead of a turn is told that it is over"


async def test_another_replica_streams_the_same_events(rig: Rig, database: Database) -> None:
    gate = asyncio.Event()
    rig.executor.events = (delta("Two "), gate, *ANSWER[1:])
    turn_id = await rig.start()
    other = Rig(database, rig.log, rig.conversations)
    watching = asyncio.create_task(other.events(turn_id))
    gate.set()
    assert await watching == await rig.events(turn_id)
    assert await other.events(turn_id, 3) == rig.log.streams[turn_id][3:]


async def test_foreign_and_unknown_turns_look_the_same(rig: Rig) -> None:
    turn_id = await rig.start()
    await rig.events(turn_id)
    refusals = set()
    for wanted in (turn_id, "01990000-0000-7000-8000-000000000000", "../x"):
        calls: list[Callable[[], Any]] = [
            lambda wanted=wanted: rig.events(wanted, who=BEN),
            lambda wanted=wanted: rig.record(wanted, who=BEN),
        ]
        for call in calls:
            with pytest.raises(NotFound) as refused:
                await call()
            refusals.add((refused.value.reason, refused.value.message))
        with acting_as(Identity(BEN)), pytest.raises(NotFound):
            await rig.turns.cancel(wanted)
    assert refusals == {("unknown_turn", "There is no such turn.")}
    with pytest.raises(NotFound):
        await rig.start(who=BEN, conversation_id=next(iter(rig.conversations.owners)))


async def test_without_a_catalogue_everything_readable_is_searched(rig: Rig) -> None:
    rig.catalogue.failing = Unavailable("service_unavailable")
    events = await rig.events(await rig.start())
    assert events[-1].done.finish_reason == "stop"
    (stage,) = [event.stage for event in events if event.stage.name == "plan"]
    assert stage.detail["catalogue"] == "service_unavailable"
    assert not rig.executor.plans[0].knowledge_domains


async def test_a_lost_log_is_served_from_memory_and_written_later(rig: Rig) -> None:
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start()
    rig.log.available = False
    gate.set()
    events = await rig.events(turn_id)
    assert names(events)[-1] == "done"
    with pytest.raises(Unavailable):
        await rig.start("another?")
    rig.log.available = True
    async with asyncio.timeout(120):
        while rig.log.streams[turn_id] != events:
            await asyncio.sleep(0.01)
