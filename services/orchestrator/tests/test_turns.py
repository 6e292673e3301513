"""Turns with fakes around a real database: events, records, and every way a turn can end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from services.orchestrator.tests.fakes import (
    FakeConversations,
    FakeEventLog,
    delta,
)
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, BEN, Rig, names, until
from superagent.agent_executor.v1.agent_executor_pb2 import ExecutionEvent
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.db import Database
from superagent_common.errors import Conflict, InvalidInput, NotFound, Timeout, Unavailable
from superagent_common.identity import Identity, acting_as
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput
from superagent_orchestrator.ports import TurnRow


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


async def test_a_busy_conversation_names_its_running_turn(rig: Rig) -> None:
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start()
    conversation = next(iter(rig.conversations.owners))
    with pytest.raises(Conflict) as busy:
        await rig.start("again?", conversation_id=conversation)
    assert (busy.value.reason, busy.value.metadata) == ("conversation_busy", {"turn_id": turn_id})
    gate.set()
    await rig.events(turn_id)
    assert await rig.start("again?", conversation_id=conversation) != turn_id


async def test_two_turns_started_at_once_in_one_conversation_are_one(rig: Rig) -> None:
    await rig.events(await rig.start())
    conversation = next(iter(rig.conversations.owners))
    results = await asyncio.gather(
        *(rig.start(f"question {number}?", conversation_id=conversation) for number in range(4)), return_exceptions=True
    )
    assert sum(isinstance(result, str) for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 3


async def test_the_same_key_gives_the_same_turn(rig: Rig) -> None:
    first = await rig.start(idempotency_key="k1")
    await rig.events(first)
    assert await rig.start(idempotency_key="k1") == first
    other = await rig.start(idempotency_key="k1", who=BEN)
    await rig.events(other, who=BEN)
    assert other != first and len(rig.executor.plans) == 2


async def test_the_same_key_for_another_question_is_refused(rig: Rig) -> None:
    first = await rig.start("How long is the warranty?", idempotency_key="k1")
    conversation_id = (await rig.record(first)).conversation_id
    await rig.events(first)
    assert await rig.start(" How long is the warranty? ", idempotency_key="k1") == first
    others = (
        {"message": "How short?"},
        {"conversation_id": "another"},
        {"mode": plan_pb2.MODE_RAG_CHAT},
        {"domains": ["minio"]},
        {"time_zone": "Asia/Shanghai"},
        {"memory_strategy": plan_pb2.MEMORY_STRATEGY_NONE},
        {"history": [plan_pb2.PastTurn(question="What is MinIO?", answer="A store.")]},
    )
    for other in others:
        with pytest.raises(Conflict) as refused:
            await rig.start(idempotency_key="k1", **other)
        assert (refused.value.reason, refused.value.metadata) == ("idempotency_key_reused", {"turn_id": first})
    assert await rig.start(idempotency_key="k1", conversation_id=conversation_id) == first


async def test_the_same_key_twice_at_once_is_one_turn_and_one_conversation(rig: Rig) -> None:
    turns = await asyncio.gather(*(rig.start(idempotency_key="k1") for _ in range(3)))
    assert len(set(turns)) == 1
    await rig.events(turns[0])
    assert set(rig.conversations.owners) == set(rig.conversations.stored)


async def test_a_turn_that_cannot_be_taken_leaves_no_conversation(rig: Rig) -> None:
    async def refuse(*_: object, **__: object) -> TurnRow:
        raise Unavailable("database_unavailable")

    rig.store.add = refuse  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        await rig.start()
    assert not rig.conversations.owners


@pytest.mark.parametrize("failure", [Unavailable("service_unavailable"), Timeout("deadline_exceeded"), RuntimeError()])
async def test_what_fails_behind_a_whole_answer_takes_nothing_of_it_back(rig: Rig, failure: Exception) -> None:
    rig.executor.events = (*ANSWER[:-1], failure)
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    assert events[-1].done.finish_reason == "stop" and names(events).count("stage archive") == 1
    assert (await rig.record(turn_id)).state == events_pb2.TURN_STATE_COMPLETED


async def test_stopping_behind_a_whole_answer_leaves_it_whole(rig: Rig) -> None:
    rig.executor.events = (*ANSWER[:-1], asyncio.Event())
    turn_id = await rig.start()
    async with asyncio.timeout(30):
        while "stage archive" not in names(rig.log.streams[turn_id]):
            await asyncio.sleep(0.005)
    with acting_as(Identity(ANNA)):
        await rig.turns.cancel(turn_id)
    assert (await rig.events(turn_id))[-1].done.finish_reason == "stop"
    ((stored,),) = rig.conversations.stored.values()
    assert (stored.state, stored.finish_reason) == (events_pb2.TURN_STATE_COMPLETED, "stop")


async def test_stopping_keeps_what_was_said(rig: Rig) -> None:
    rig.executor.events = (delta("Two "), asyncio.Event())
    turn_id = await rig.start()
    with acting_as(Identity(ANNA)):
        async with aclosing(rig.turns.stream(turn_id, 0)) as stream:
            async for event in stream:
                if event.WhichOneof("payload") == "delta":
                    await rig.turns.cancel(turn_id)
                    await rig.turns.cancel(turn_id)
                last = event
    assert last.done.finish_reason == "cancelled"
    assert rig.executor.closed == 1
    ((stored,),) = rig.conversations.stored.values()
    assert (stored.answer, stored.state) == ("Two ", events_pb2.TURN_STATE_CANCELLED)
    assert (await rig.record(turn_id)).state == events_pb2.TURN_STATE_CANCELLED
    with acting_as(Identity(ANNA)):
        await rig.turns.cancel(turn_id)


async def test_a_turn_that_is_left_has_used_its_prompt_and_what_was_said(rig: Rig) -> None:
    """GWY-5; the model is left before it says what it counted."""
    before = events_pb2.Usage(model="m", input_tokens=50, output_tokens=5, model_calls=1)
    calling = events_pb2.Usage(model="m", input_tokens=150, output_tokens=5, model_calls=2, estimated=True)
    rig.executor.events = (
        delta("let me look"),
        ExecutionEvent(usage=before),
        delta("Two "),
        ExecutionEvent(calling=calling),
        delta("年" * 20),
        Unavailable("gone", "It went."),
    )
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    assert names(events)[-3:] == ["stage archive", "usage", "error"]
    used = (await rig.record(turn_id)).usage
    assert used == events[-2].usage
    assert (used.input_tokens, used.output_tokens, used.model_calls, used.estimated) == (150, 5 + 20, 2, True)


async def test_stopping_on_another_replica_sends_the_signal(rig: Rig, database: Database) -> None:
    rig.executor.events = (asyncio.Event(),)
    turn_id = await rig.start()
    other = Rig(database, rig.log, rig.conversations)
    with acting_as(Identity(ANNA)):
        await other.turns.cancel(turn_id)
    assert other.cancel_signal.sent == [turn_id]
    rig.own.cancel_here(turn_id)
    assert (await rig.events(turn_id))[-1].done.finish_reason == "cancelled"


@pytest.mark.parametrize(
    ("failure", "reason", "retryable"),
    [
        (Unavailable("model_stream_broken", "It broke."), "model_stream_broken", True),
        (InvalidInput("invalid_plan", "No."), "invalid_plan", False),
        (RuntimeError("secret"), "internal_error", False),
    ],
)
async def test_a_failed_run_ends_with_one_error_and_keeps_the_text(
    rig: Rig, failure: Exception, reason: str, retryable: bool
) -> None:
    rig.executor.events = (delta("Two "), failure)
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    assert names(events).count("error") == 1 and names(events)[-1] == "error" and "done" not in names(events)
    assert (events[-1].error.reason, events[-1].error.retryable) == (reason, retryable)
    assert "secret" not in str(events[-1])
    ((stored,),) = rig.conversations.stored.values()
    assert (stored.answer, stored.state) == ("Two ", events_pb2.TURN_STATE_FAILED)
    assert await rig.start("again?", conversation_id=stored and next(iter(rig.conversations.owners)))


async def test_a_run_that_ends_without_an_answer_is_an_error(rig: Rig) -> None:
    rig.executor.events = (delta("Two "),)
    events = await rig.events(await rig.start())
    assert events[-1].error.reason == "executor_broke_off"


async def test_a_turn_past_its_deadline_ends_with_what_it_has(rig: Rig) -> None:
    rig.executor.events = (delta("Two "), asyncio.Event())
    run = rig.executor.run

    def late(plan: plan_pb2.ExecutionPlan, seconds: float) -> Any:
        assert 0 < seconds < 0.2
        return run(plan, seconds)

    rig.executor.run = late  # type: ignore[method-assign]
    planning = rig.planner.plan

    async def slow(given: PlanningInput) -> PlanDraft:
        rig.clock.passed += 179.9
        return await planning(given)

    rig.planner.plan = slow  # type: ignore[method-assign]
    events = await rig.events(await rig.start())
    assert events[-1].done.finish_reason == "limit"


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
    async with asyncio.timeout(30):
        while rig.log.streams[turn_id] != events:
            await asyncio.sleep(0.01)


async def test_stopping_the_service_ends_its_turns_as_interrupted(database: Database) -> None:
    rig = Rig(database, FakeEventLog(), FakeConversations())
    rig.executor.events = (delta("Two "), asyncio.Event())
    async with rig.own.running():
        turn_id = await rig.start()
        await asyncio.wait_for(until(lambda: "delta" in names(rig.log.streams[turn_id])), 5)
    assert rig.log.streams[turn_id][-1].error.reason == "interrupted"
    with pytest.raises(Unavailable):
        await rig.start()


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"message": "   "}, "empty_question"),
        ({"message": "x" * 200_000}, "question_too_long"),
        ({"message": "hi", "time_zone": "Mars/Base"}, "unknown_time_zone"),
        ({"message": "hi", "time_zone": "../../etc/passwd"}, "unknown_time_zone"),
        ({"message": "hi", "mode": plan_pb2.MODE_WORKFLOW}, "mode_not_requestable"),
    ],
)
async def test_bad_requests_are_refused_before_anything_is_made(
    rig: Rig, request_: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        await rig.start(**request_)
    assert refused.value.reason == reason
    assert rig.conversations.owners == {}


async def test_an_unknown_conversation_is_refused(rig: Rig) -> None:
    with pytest.raises(NotFound) as refused:
        await rig.start(conversation_id="01990000-0000-7000-8000-000000000000")
    assert refused.value.reason == "unknown_conversation"


async def test_a_preview_plans_and_stores_nothing(rig: Rig) -> None:
    with acting_as(Identity(ANNA)):
        plan, stages = await rig.turns.preview(
            orchestrator_pb2.StartTurnRequest(message="What is X and how does Y work?")
        )
    assert plan.mode == plan_pb2.MODE_RAG_CHAT
    assert [stage.name for stage in stages] == ["rewrite", "plan"]
    assert rig.conversations.owners == {} and rig.executor.plans == []


async def test_the_plan_sees_the_history_that_a_client_kept_itself(rig: Rig) -> None:
    said = plan_pb2.PastTurn(question="MinIO 是什么?", answer="对象存储。")
    turn_id = await rig.start("那它怎么配置?", history=[said])
    await rig.events(turn_id)
    (plan,) = rig.executor.plans
    assert "MinIO" in plan.rewritten_question
    assert list(plan.memory.recent_turns) == [said]


@pytest.mark.parametrize(("turns", "conversation"), [(51, ""), (1, "01990000-0000-7000-8000-0000000000cc")])
async def test_a_history_that_is_too_long_or_beside_a_memory_is_refused(
    rig: Rig, turns: int, conversation: str
) -> None:
    history = [plan_pb2.PastTurn(question="What?", answer="That.")] * turns
    with pytest.raises(InvalidInput) as refused:
        await rig.start(history=history, conversation_id=conversation)
    assert refused.value.reason == "invalid_history"
