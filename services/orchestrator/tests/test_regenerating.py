"""Asking again in the place of the last turn: the same question, or another one."""

from __future__ import annotations

import asyncio

import pytest

from services.orchestrator.tests.fakes import answered, delta
from services.orchestrator.tests.skill_definitions import SKILLS
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, BEN, Rig, finished, lose, names, until
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.db import Database
from superagent_common.errors import Conflict, InvalidInput, NotFound, Unavailable
from superagent_common.identity import Identity, acting_as

OTHER = (delta("Three years."), answered())


async def conversation_of(rig: Rig, turn_id: str) -> list[str]:
    """Ids of the turns that memory has, in order."""
    record = await rig.record(turn_id)
    return [turn.turn_id for turn in rig.conversations.stored[record.conversation_id]]


async def asked(rig: Rig, message: str = "How long is the warranty?", **more: object) -> str:
    turn_id = await rig.start(message, **more)
    await rig.events(turn_id)
    return turn_id


async def test_the_new_answer_takes_the_place_of_the_last_one(rig: Rig) -> None:
    first = await asked(rig)
    conversation_id = (await rig.record(first)).conversation_id
    last = await asked(rig, "And the battery?", conversation_id=conversation_id)
    rig.executor.events = OTHER
    again = await rig.regenerate(last)
    events = await rig.events(again)
    assert events[-1].done.finish_reason == "stop"
    record = await rig.record(again)
    assert (record.conversation_id, record.replaces_turn_id) == (conversation_id, last)
    kept, new = rig.conversations.stored[conversation_id]
    assert (kept.turn_id, new.turn_id) == (first, again)
    assert (new.question, new.answer) == ("And the battery?", "Three years.")
    plan = rig.executor.plans[-1]
    assert [turn.turn_id for turn in plan.memory.recent_turns] == [first], "planned without the turn it replaces"


async def test_another_question_is_asked_with_the_settings_of_the_first(rig: Rig) -> None:
    rig.skills.known = SKILLS
    settings = {"skill": "product", "domains": ["manuals"], "mode": plan_pb2.MODE_RAG_CHAT, "time_zone": "Asia/Tokyo"}
    first = await asked(rig, **settings, memory_strategy=plan_pb2.MEMORY_STRATEGY_SLIDING_WINDOW)
    again = await rig.regenerate(first, "How long is the warranty of the X3?")
    await rig.events(again)
    plan = rig.executor.plans[-1]
    assert plan.original_question == "How long is the warranty of the X3?"
    assert ([skill.code for skill in plan.skills], plan.mode, plan.time_zone) == (
        ["product"],
        plan_pb2.MODE_RAG_CHAT,
        "Asia/Tokyo",
    )
    assert list(plan.knowledge_domains) == list(rig.executor.plans[0].knowledge_domains)
    assert rig.conversations.loaded[-1] == (first, plan_pb2.MEMORY_STRATEGY_SLIDING_WINDOW)


async def test_an_answer_is_made_again_as_often_as_wanted(rig: Rig) -> None:
    turn_id = await asked(rig)
    for _ in range(3):
        turn_id = await rig.regenerate(turn_id)
        await rig.events(turn_id)
    assert await conversation_of(rig, turn_id) == [turn_id]


async def test_only_the_last_turn_can_be_replaced(rig: Rig) -> None:
    first = await asked(rig)
    conversation_id = (await rig.record(first)).conversation_id
    last = await asked(rig, "And the battery?", conversation_id=conversation_id)
    with pytest.raises(Conflict) as refused:
        await rig.regenerate(first)
    assert (refused.value.reason, refused.value.metadata) == ("not_the_last_turn", {"turn_id": last})
    again = await rig.regenerate(last)
    await rig.events(again)
    with pytest.raises(Conflict) as refused:
        await rig.regenerate(last)
    assert (refused.value.reason, refused.value.metadata) == ("not_the_last_turn", {"turn_id": again})


async def test_the_last_turn_is_the_one_added_last_whatever_the_clock_says(rig: Rig) -> None:
    first = await asked(rig)
    rig.clock.jumped = -3_600_000_000
    last = await asked(rig, "And the battery?", conversation_id=(await rig.record(first)).conversation_id)
    with pytest.raises(Conflict):
        await rig.regenerate(first)
    assert await rig.regenerate(last)


async def test_a_running_turn_is_named_and_not_replaced(rig: Rig) -> None:
    first = await asked(rig)
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    running = await rig.start("And the battery?", conversation_id=(await rig.record(first)).conversation_id)
    for wanted in (first, running):
        with pytest.raises(Conflict) as refused:
            await rig.regenerate(wanted)
        assert (refused.value.reason, refused.value.metadata) == ("conversation_busy", {"turn_id": running})
    gate.set()
    await rig.events(running)


async def test_asked_for_twice_at_once_there_is_one_turn_and_one_conflict(rig: Rig) -> None:
    first = await asked(rig)
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    results = await asyncio.gather(*(rig.regenerate(first) for _ in range(2)), return_exceptions=True)
    (made,) = (result for result in results if isinstance(result, str))
    (refused,) = (result for result in results if isinstance(result, Conflict))
    assert (refused.reason, refused.metadata) == ("conversation_busy", {"turn_id": made})
    gate.set()
    await rig.events(made)


async def test_one_that_was_overtaken_while_it_loaded_memory_replaces_nothing(rig: Rig) -> None:
    first = await asked(rig)
    load = rig.conversations.load

    async def slow(conversation_id: str, strategy: int, without_turn_id: str = "") -> plan_pb2.PlanMemory:
        rig.conversations.load = load  # type: ignore[method-assign]
        await rig.events(await rig.regenerate(first))
        return await load(conversation_id, strategy, without_turn_id)

    rig.conversations.load = slow  # type: ignore[method-assign]
    with pytest.raises(Conflict, match="Only the last answer"):
        await rig.regenerate(first)


async def test_the_same_key_gives_the_same_turn_and_another_request_is_refused(rig: Rig) -> None:
    first = await asked(rig)
    again = await rig.regenerate(first, key="k")
    await rig.events(again)
    assert await rig.regenerate(first, key="k") == again
    assert await rig.regenerate(first, "How long is the warranty?", key="k") == again
    with pytest.raises(Conflict) as refused:
        await rig.regenerate(first, "Another question?", key="k")
    assert (refused.value.reason, refused.value.metadata) == ("idempotency_key_reused", {"turn_id": again})
    with pytest.raises(Conflict, match="something else"):
        await rig.start("How long is the warranty?", idempotency_key="k")
    await rig.events(await rig.start("Hello, what is X?", idempotency_key="chat"))
    with pytest.raises(Conflict, match="something else"):
        await rig.regenerate(again, key="chat")


@pytest.mark.parametrize("cancelled", [False, True])
async def test_a_turn_that_says_nothing_leaves_the_old_answer(rig: Rig, cancelled: bool) -> None:
    first = await asked(rig)
    rig.executor.events = (asyncio.Event(),) if cancelled else (Unavailable("model_down"),)
    failed = await rig.regenerate(first, "What about the battery?")
    if cancelled:
        with acting_as(Identity(ANNA)):
            await rig.turns.cancel(failed)
    events = await rig.events(failed)
    assert names(events)[-1] == ("done" if cancelled else "error")
    assert (
        next(event.stage for event in events if event.stage.name == "archive").state == events_pb2.STAGE_STATE_SKIPPED
    )
    assert await conversation_of(rig, failed) == [first]
    # Both can be asked again: the one that stands there, and the one that failed, with its own question.
    rig.executor.events = OTHER
    again = await rig.regenerate(failed)
    await rig.events(again)
    assert (await rig.record(again)).replaces_turn_id == first
    assert rig.executor.plans[-1].original_question == "What about the battery?"
    assert await conversation_of(rig, again) == [again]


async def test_after_a_failed_attempt_the_old_answer_can_be_replaced_or_gone_on_from(rig: Rig) -> None:
    first = await asked(rig)
    conversation_id = (await rig.record(first)).conversation_id
    rig.executor.events = (Unavailable("model_down"),)
    await rig.events(await rig.regenerate(first))
    rig.executor.events = OTHER
    again = await rig.regenerate(first)
    await rig.events(again)
    assert await conversation_of(rig, again) == [again]
    await asked(rig, "And the battery?", conversation_id=conversation_id)
    assert len(rig.conversations.stored[conversation_id]) == 2


async def test_a_turn_that_breaks_off_after_its_first_words_has_replaced_the_old_one(rig: Rig) -> None:
    first = await asked(rig)
    rig.executor.events = (delta("Three "), Unavailable("model_down"))
    broken = await rig.regenerate(first)
    await rig.events(broken)
    assert await conversation_of(rig, broken) == [broken]
    with pytest.raises(Conflict):
        await rig.regenerate(first)


async def test_whoever_takes_it_over_replaces_the_same_turn(rig: Rig, database: Database) -> None:
    first = await asked(rig)
    rig.executor.events = (asyncio.Event(),)
    again = await rig.regenerate(first)
    await asyncio.wait_for(until(lambda: len(rig.log.streams[again]) >= 5), 120)
    await lose(rig, again)
    heir = Rig(database, rig.log, rig.conversations)
    async with heir.own.running():
        events = await finished(heir, again)
        assert events[-1].done.finish_reason == "stop"
        assert (await heir.record(again)).replaces_turn_id == first
    assert rig.conversations.loaded[-1][0] == first
    assert await conversation_of(heir, again) == [again]


async def test_foreign_unknown_and_deleted_things_are_not_found_and_bad_questions_refused(rig: Rig) -> None:
    first = await asked(rig)
    for wanted, who in ((first, BEN), ("01990000-0000-7000-8000-000000000000", ANNA)):
        with pytest.raises(NotFound) as missing:
            await rig.regenerate(wanted, who=who)
        assert missing.value.reason == "unknown_turn"
    for message in ("   ", "x" * 40_000):
        with pytest.raises(InvalidInput):
            await rig.regenerate(first, message)
    rig.conversations.owners.clear()
    with pytest.raises(NotFound) as missing:
        await rig.regenerate(first)
    assert missing.value.reason == "unknown_conversation"
