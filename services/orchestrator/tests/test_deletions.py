"""What a deleted conversation leaves: nothing, whatever was running in it and whatever comes late."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select

from services.orchestrator.tests.fakes import FakeConversations, FakeEventLog, delta
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, Rig, finished, lose, names, until
from superagent.orchestrator.v1 import events_pb2
from superagent_common.clock import SECOND
from superagent_common.db import Database
from superagent_common.errors import NotFound, Unavailable
from superagent_common.identity import Identity, acting_as
from superagent_orchestrator.adapters import tables

SECRET = "How long is the secret warranty?"


def conversation_of(rig: Rig) -> str:
    return next(iter(rig.conversations.owners))


async def cleared(rig: Rig) -> None:
    """Clears when all that was put off is due."""
    rig.clock.jumped += 10 * SECOND
    await rig.deletions.clear()
    rig.clock.jumped -= 10 * SECOND


async def is_gone(rig: Rig, turn_id: str) -> bool:
    for ask in (rig.events, rig.record, rig.replay, rig.regenerate):
        with pytest.raises(NotFound) as refused:
            await ask(turn_id)
        assert refused.value.reason == "unknown_turn"
    return turn_id not in rig.log.streams and await rig.left(turn_id, SECRET) == []


async def told(rig: Rig) -> list[events_pb2.TurnRecord]:
    async with rig.database.read() as connection:
        rows = await connection.scalars(select(tables.outbox.c.payload).order_by(tables.outbox.c.position))
        return [events_pb2.TurnCompleted.FromString(payload).turn for payload in rows]


async def test_turns_plans_and_events_of_a_deleted_conversation_are_gone_and_no_others(rig: Rig) -> None:
    first = await rig.start(SECRET, idempotency_key="k")
    await rig.events(first)
    conversation_id = conversation_of(rig)
    second = await rig.start(SECRET, conversation_id=conversation_id)
    await rig.events(second)
    other = await rig.start("Another?")
    await rig.events(other)
    await rig.deleted(conversation_id)
    await rig.deleted(conversation_id)
    await rig.deletions.clear()
    assert await is_gone(rig, first) and await is_gone(rig, second)
    assert names(await rig.events(other))[-1] == "done"
    assert await rig.start("Something else?", idempotency_key="k") not in (first, second)


async def test_a_running_turn_ends_and_tells_nobody_what_was_said(rig: Rig) -> None:
    rig.executor.events = (delta("Two "), asyncio.Event())
    turn_id = await rig.start(SECRET)
    watching = asyncio.create_task(rig.events(turn_id))
    await asyncio.wait_for(until(lambda: "delta" in names(rig.log.streams[turn_id])), 120)
    await rig.deleted(conversation_of(rig))
    assert (await watching)[-1].done.finish_reason == "cancelled"
    assert rig.executor.closed == 1 and rig.conversations.stored == {}
    await asyncio.wait_for(until(lambda: rig.own.of(ANNA.user_id, turn_id) is None), 120)
    await cleared(rig)
    assert await is_gone(rig, turn_id)
    (record,) = await told(rig)
    assert (record.turn_id, record.user_id) == (turn_id, ANNA.user_id)
    assert not record.HasField("plan") and not record.stages


async def test_a_turn_that_goes_on_is_removed_when_it_has_ended(database: Database) -> None:
    """Its owner has not heard of the deletion, and answers to the end."""
    rig = Rig(database, FakeEventLog(), FakeConversations())
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start(SECRET)
    await rig.deleted(conversation_of(rig), heard=False)
    await cleared(rig)
    gate.set()
    events = await rig.events(turn_id)
    # Its last events can be seen for a moment.
    await rig.deletions.clear()
    assert events[-1].error.reason == "unknown_conversation" and rig.log.streams[turn_id] == events
    await cleared(rig)
    assert await rig.left(turn_id, SECRET) == [] and turn_id not in rig.log.streams


async def test_the_heir_of_a_turn_ends_it_without_running_it_again(database: Database) -> None:
    dead = Rig(database, FakeEventLog(), FakeConversations())
    dead.executor.events = (asyncio.Event(),)
    turn_id = await dead.start(SECRET)
    await asyncio.wait_for(until(lambda: "plan" in names(dead.log.streams[turn_id])), 120)
    await dead.deleted(conversation_of(dead), heard=False)
    heir = Rig(database, dead.log, dead.conversations)
    await lose(dead, turn_id)
    async with heir.own.running():
        assert (await finished(heir, turn_id))[-1].done.finish_reason == "cancelled"
    assert heir.executor.plans == []
    await cleared(heir)
    assert await heir.left(turn_id, SECRET) == [] and turn_id not in heir.log.streams


async def test_what_waited_for_memory_is_gone_too(rig: Rig) -> None:
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start(SECRET)
    rig.conversations.absent = Unavailable("service_unavailable")
    gate.set()
    await rig.events(turn_id)
    await rig.deleted(conversation_of(rig))
    await cleared(rig)
    assert await rig.left(turn_id, SECRET) == []
    rig.conversations.absent = None
    await rig.archive.catch_up()
    assert rig.conversations.stored == {}


async def test_while_the_event_log_is_away_nothing_is_forgotten(rig: Rig) -> None:
    turn_id = await rig.start(SECRET)
    await rig.events(turn_id)
    await rig.deleted(conversation_of(rig))
    rig.log.available = False
    with pytest.raises(Unavailable):
        await rig.deletions.clear()
    rig.log.available = True
    await rig.deletions.clear()
    assert await is_gone(rig, turn_id)


async def test_deletions_are_forgotten_once_nothing_can_be_late_any_more(rig: Rig) -> None:
    await rig.events(await rig.start())
    await rig.deleted(conversation_of(rig))
    deletions = select(tables.deleted_conversations.c.conversation_id)
    for days, expected in ((13, 1), (15, 1), (15, 0)):
        rig.clock.jumped = days * 86_400 * SECOND
        await rig.deletions.forget()
        async with rig.database.read() as connection:
            assert len((await connection.scalars(deletions)).all()) == expected
        if days == 15:
            # Not before it is done.
            await rig.deletions.clear()


async def test_nobody_can_ask_in_a_deleted_conversation(rig: Rig) -> None:
    await rig.events(await rig.start())
    conversation_id = conversation_of(rig)
    await rig.deleted(conversation_id)
    with pytest.raises(NotFound), acting_as(Identity(ANNA)):
        await rig.start(conversation_id=conversation_id)
