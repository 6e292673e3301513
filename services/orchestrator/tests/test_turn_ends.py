"""Every way a turn can end."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from services.orchestrator.tests.fakes import (
    FakeConversations,
    FakeEventLog,
    answered,
    delta,
    execution,
)
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, Rig, names, until
from superagent.agent_executor.v1.agent_executor_pb2 import ExecutionEvent
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.bus.topics import TURN_COMPLETED
from superagent_common.db import Database
from superagent_common.errors import InvalidInput, Timeout, Unavailable
from superagent_common.identity import Identity, acting_as
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput


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
    async with asyncio.timeout(120):
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
        ExecutionEvent(thinking=events_pb2.Thinking(text="x" * 10)),
        delta("年" * 20),
        Unavailable("gone", "It went."),
    )
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    assert names(events)[-3:] == ["stage archive", "usage", "error"]
    used = (await rig.record(turn_id)).usage
    assert used == events[-2].usage
    assert (used.input_tokens, used.output_tokens, used.model_calls, used.estimated) == (150, 5 + 23, 2, True)


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
        (Timeout("model_stalled", "It hangs."), "model_stalled", True),
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
        assert 0 < seconds <= 3
        return run(plan, seconds)

    rig.executor.run = late  # type: ignore[method-assign]
    planning = rig.planner.plan

    async def slow(given: PlanningInput) -> PlanDraft:
        rig.clock.passed += 177
        return await planning(given)

    rig.planner.plan = slow  # type: ignore[method-assign]
    events = await rig.events(await rig.start())
    assert events[-1].done.finish_reason == "limit"


async def test_stopping_the_service_ends_its_turns_as_interrupted(database: Database) -> None:
    rig = Rig(database, FakeEventLog(), FakeConversations())
    rig.executor.events = (delta("Two "), asyncio.Event())
    async with rig.own.running():
        turn_id = await rig.start()
        await asyncio.wait_for(until(lambda: "delta" in names(rig.log.streams[turn_id])), 120)
    assert rig.log.streams[turn_id][-1].error.reason == "interrupted"
    with pytest.raises(Unavailable):
        await rig.start()


@pytest.mark.parametrize("where", ["plan", "stages", "sources"])
async def test_a_turn_too_large_to_be_told_of_whole_ends_all_the_same(rig: Rig, where: str) -> None:
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start()
    (live,) = rig.own._live.values()
    long = "x" * 2_000_000
    if where == "plan":
        async with asyncio.timeout(120):
            await until(lambda: live.record.HasField("plan"))
        live.record.plan.memory.summary = long
    elif where == "stages":
        live.record.stages.add(name="retrieve").detail["found"] = long
    else:
        rig.executor.events = (
            *ANSWER[:2],
            execution(sources=events_pb2.Sources(sources=[events_pb2.Source(snippet=long)])),
            answered(),
        )
        turn_id = await rig.start()
    gate.set()
    assert (await rig.events(turn_id))[-1].done.finish_reason == "stop"
    with acting_as(Identity(ANNA)):
        assert turn_id not in [turn.turn_id for turn in await rig.turns.running_turns("")]
    assert TURN_COMPLETED in await rig.outbox_topics()
