"""Memory that does not answer: what has been said is kept and reaches it later; nothing new is begun without it."""

from __future__ import annotations

import asyncio

import pytest

from services.orchestrator.tests.fakes import FakeConversations, FakeEventLog
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, Rig, names
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2
from superagent_common.db import Database
from superagent_common.errors import NotFound, ServiceError, Timeout, Unavailable, internal_error
from superagent_common.identity import Identity, acting_as

AWAY = Unavailable("service_unavailable", "Down.")


async def answered_without_memory(rig: Rig, failure: ServiceError = AWAY) -> str:
    """A turn that ends while memory is away."""
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start()
    rig.conversations.absent = failure
    gate.set()
    events = await rig.events(turn_id)
    assert names(events)[-1] == "done"
    return turn_id


@pytest.mark.parametrize("failure", [AWAY, Timeout("late"), internal_error()])
async def test_a_running_turn_is_answered_and_says_that_it_is_not_stored_yet(rig: Rig, failure: ServiceError) -> None:
    turn_id = await answered_without_memory(rig, failure)
    record = await rig.record(turn_id)
    assert (record.state, record.finish_reason) == (events_pb2.TURN_STATE_COMPLETED, "stop")
    (archive,) = (stage for stage in record.stages if stage.name == "archive")
    assert archive.state == events_pb2.STAGE_STATE_FAILED
    assert archive.detail["error"] == failure.reason and "kept" in archive.detail["reason"]
    assert rig.conversations.stored == {}


async def test_what_was_said_reaches_memory_when_it_answers_again(database: Database) -> None:
    rig = Rig(database, FakeEventLog(), FakeConversations())
    turn_id = await answered_without_memory(rig)
    with pytest.raises(Unavailable):
        await rig.archive.catch_up()
    rig.conversations.absent = None
    # Any replica brings it, also one that was not there when it was kept.
    heir = Rig(database, rig.log, rig.conversations)
    async with heir.own.running(), asyncio.timeout(120):
        while await rig.unstored.waiting(""):
            await asyncio.sleep(0.01)
    ((stored,),) = rig.conversations.stored.values()
    assert (stored.turn_id, stored.answer) == (turn_id, "Two years [1].")


async def test_the_next_turn_waits_for_nobody_to_see_the_one_before(database: Database) -> None:
    rig = Rig(database, FakeEventLog(), FakeConversations())
    first = await answered_without_memory(rig)
    conversation_id = (await rig.record(first)).conversation_id
    rig.conversations.absent = None
    rig.executor.events = ANSWER
    await rig.events(await rig.start("And the battery?", conversation_id=conversation_id))
    assert [turn.turn_id for turn in rig.executor.plans[-1].memory.recent_turns] == [first]
    assert rig.conversations.stored[conversation_id][0].turn_id == first


async def test_a_replica_learns_at_once_of_what_another_has_kept(database: Database) -> None:
    rig = Rig(database, FakeEventLog(), FakeConversations())
    other = Rig(database, rig.log, rig.conversations)
    await other.archive.catch_up()  # nothing waits
    first = await answered_without_memory(rig)
    rig.conversations.absent = None
    await other.events(await other.start("And?", conversation_id=(await rig.record(first)).conversation_id))
    assert [turn.turn_id for turn in other.executor.plans[-1].memory.recent_turns] == [first]


async def test_a_turn_that_memory_fails_on_waits_and_keeps_only_its_own_conversation_waiting(rig: Rig) -> None:
    turns = [await answered_without_memory(rig)]
    rig.conversations.absent = None
    turns.append(await answered_without_memory(rig))
    conversations = [(await rig.record(turn_id)).conversation_id for turn_id in turns]
    rig.conversations.absent = None
    append = rig.conversations.append

    async def failing(request: memory_pb2.AppendTurnRequest) -> None:
        if request.conversation_id == conversations[0]:
            raise internal_error()
        await append(request)

    rig.conversations.append = failing  # type: ignore[method-assign]
    await rig.archive.catch_up()
    assert [turn.request.turn.turn_id for turn in await rig.unstored.waiting("")] == turns[:1]
    with pytest.raises(Unavailable) as refused:
        await rig.start("And the battery?", conversation_id=conversations[0])
    assert refused.value.reason == "memory_unavailable"
    rig.conversations.append = append  # type: ignore[method-assign]
    rig.executor.events = ANSWER
    await rig.events(await rig.start("And the battery?", conversation_id=conversations[0]))
    assert rig.conversations.stored[conversations[0]][0].turn_id == turns[0]


async def test_no_turn_is_begun_without_memory(rig: Rig) -> None:
    first = await rig.start()
    await rig.events(first)
    conversation_id = (await rig.record(first)).conversation_id
    rig.conversations.absent = AWAY
    begin = [
        lambda: rig.start(),
        lambda: rig.start(conversation_id=conversation_id),
        lambda: rig.regenerate(first),
        lambda: rig.replay(first),
    ]
    for attempt in begin:
        with pytest.raises(Unavailable) as refused:
            await attempt()
        assert refused.value.reason == "memory_unavailable"
    with acting_as(Identity(ANNA)), pytest.raises(Unavailable):
        await rig.turns.preview(
            orchestrator_pb2.StartTurnRequest(message="And the battery?", conversation_id=conversation_id)
        )
    with acting_as(Identity(ANNA)):
        assert await rig.turns.running_turns("") == []
    rig.conversations.absent = None
    assert (await rig.events(await rig.start(conversation_id=conversation_id)))[-1].done.finish_reason == "stop"


async def test_what_memory_refuses_is_not_offered_again(rig: Rig) -> None:
    turn_id = await answered_without_memory(rig)
    rig.conversations.absent = None
    rig.conversations.failing = NotFound("unknown_conversation")  # it was deleted meanwhile
    await rig.archive.catch_up()
    assert await rig.unstored.waiting("") == []
    assert (await rig.record(turn_id)).state == events_pb2.TURN_STATE_COMPLETED
