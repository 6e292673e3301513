"""Clocks that jump, callers that leave or stop too early, conversations that are very long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import IntegrityError

from services.orchestrator.tests.fakes import answered, delta
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, Rig, finished, names, until
from superagent.agent_executor.v1.agent_executor_pb2 import ExecutionEvent
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common import clock
from superagent_common.db import Database
from superagent_common.errors import Conflict
from superagent_common.identity import Identity, acting_as
from superagent_common.rpc.deadline import remaining, set_deadline
from superagent_orchestrator.adapters import tables
from superagent_orchestrator.adapters.sql_turns import _BEFORE, _NEWEST
from superagent_orchestrator.ports import TurnRow

HOUR = 3_600_000_000


@pytest.mark.parametrize("jump", [HOUR, -HOUR])
async def test_a_clock_that_is_set_costs_a_running_turn_nothing(rig: Rig, jump: int) -> None:
    gate = asyncio.Event()
    rig.executor.events = (delta("Two "), gate, delta("years."), answered())
    turn_id = await rig.start()
    await asyncio.wait_for(until(lambda: "delta" in names(rig.log.streams[turn_id])), 120)
    rig.clock.jumped = jump
    gate.set()
    events = await rig.events(turn_id)
    assert events[-1].done.finish_reason == "stop"
    assert 0 < (await rig.record(turn_id)).first_delta_ms < 5_000


async def test_a_clock_that_is_set_before_the_plan_is_made_leaves_the_deadline(rig: Rig) -> None:
    load = rig.conversations.create

    async def slow(*arguments: object, **more: object) -> object:
        rig.clock.jumped = HOUR
        return await load(*arguments, **more)  # type: ignore[arg-type]

    rig.conversations.create = slow  # type: ignore[method-assign, assignment]
    assert (await rig.events(await rig.start()))[-1].done.finish_reason == "stop"


async def test_a_lease_from_before_the_machine_was_started_anew_has_run_out(rig: Rig, database: Database) -> None:
    rig.executor.events = (asyncio.Event(),)
    turn_id = await rig.start()
    await asyncio.wait_for(until(lambda: len(rig.executor.plans) == 1), 120)
    async with database.write() as connection:
        await connection.execute(
            update(tables.turns).where(tables.turns.c.turn_id == turn_id).values(lease_until=clock.steady() + HOUR)
        )
    heir = Rig(database, rig.log, rig.conversations)
    async with heir.own.running():
        assert (await finished(heir, turn_id))[-1].done.finish_reason == "stop"


async def test_a_turn_that_is_stopped_before_it_is_accepted_says_so_and_runs_nothing(rig: Rig) -> None:
    add = rig.store.add

    async def stopped_meanwhile(turn: TurnRow, owner: str, *, behind: str = "") -> TurnRow:
        stored = await add(turn, owner, behind=behind)
        with acting_as(Identity(ANNA)):
            await rig.turns.cancel(turn.turn_id)
            await rig.turns.cancel(turn.turn_id)
        return stored

    rig.store.add = stopped_meanwhile  # type: ignore[method-assign]
    events = await rig.events(await rig.start())
    assert (names(events)[0], events[-1].done.finish_reason) == ("accepted", "cancelled")
    assert rig.executor.plans == [] and rig.cancel_signal.sent == []
    assert (await rig.record(events[0].turn_id)).state == events_pb2.TURN_STATE_CANCELLED


async def test_a_caller_who_leaves_before_the_answer_has_a_turn_that_runs(rig: Rig) -> None:
    add, adding, go = rig.store.add, asyncio.Event(), asyncio.Event()

    async def slow(turn: TurnRow, owner: str, *, behind: str = "") -> TurnRow:
        stored = await add(turn, owner, behind=behind)
        adding.set()
        await go.wait()
        return stored

    rig.store.add = slow  # type: ignore[method-assign]
    caller = asyncio.create_task(rig.start())
    await adding.wait()
    caller.cancel()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    async with asyncio.timeout(120):
        while not rig.conversations.stored:
            await asyncio.sleep(0.005)
    ((stored,),) = rig.conversations.stored.values()
    assert stored.answer == "Two years [1]."


async def test_a_turn_has_a_deadline_of_its_own_and_not_that_of_the_call_that_began_it(rig: Rig) -> None:
    left: list[float | None] = []
    run, append = rig.executor.run, rig.conversations.append

    def running(plan: plan_pb2.ExecutionPlan, seconds: float) -> AsyncGenerator[ExecutionEvent, None]:
        left.append(remaining(None))
        return run(plan, seconds)

    async def appending(request: memory_pb2.AppendTurnRequest) -> None:
        left.append(remaining(None))
        await append(request)

    rig.executor.run, rig.conversations.append = running, appending  # type: ignore[method-assign]

    async def call() -> str:
        set_deadline(30)
        return await rig.start()

    await rig.events(await asyncio.create_task(call()))
    assert left == [None, None]


async def test_a_turn_costs_the_same_in_a_conversation_of_ten_thousand(rig: Rig, database: Database) -> None:
    first = await rig.start()
    await rig.events(first)
    conversation_id = (await rig.record(first)).conversation_id
    count = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
    columns = "user_id, principal, request, trace_parent, started_at, owner, attempts"
    async with database.write() as connection:
        await connection.execute(
            text(
                f"INSERT INTO turns (turn_id, conversation_id, position, {columns}) {count} "
                f"SELECT 'turn-' || i, conversation_id, i, {columns} FROM turns, n WHERE turn_id = :first"
            ),
            {"first": first},
        )
    wanted = {"conversation": conversation_id, "user": ANNA.user_id}
    async with database.read() as connection:
        for statement in (_BEFORE, _NEWEST):
            how = text(f"EXPLAIN QUERY PLAN {statement.compile()}")
            given = {name: wanted.get(name, 1) for name in statement.compile().params}
            (step,) = (await connection.execute(how, given)).all()
            assert "turns_by_conversation" in step.detail, "looked up, neither scanned nor sorted"
    rig.executor.events = ANSWER
    last = await rig.start("And the battery?", conversation_id=conversation_id)
    await rig.events(last)
    async with database.read() as connection:
        assert (
            await connection.scalar(text("SELECT position FROM turns WHERE turn_id = :last"), {"last": last}) == 10_001
        )


async def test_two_that_looked_at_once_on_a_server_are_one_turn_and_one_conflict(rig: Rig) -> None:
    await rig.events(await rig.start())
    conversation_id = next(iter(rig.conversations.owners))
    add, gate = rig.store._add, asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    refused = []

    async def late(turn: TurnRow, owner: str, behind: str) -> TurnRow:
        # What a server does with the second of two: it has looked before the first was there.
        if not refused:
            refused.append(turn.turn_id)
            await add(replace(turn, turn_id="01990000-0000-7000-8000-0000000000dd"), owner, behind)
            raise IntegrityError("INSERT", {}, Exception("unique"))
        return await add(turn, owner, behind)

    rig.store._add = late  # type: ignore[method-assign]
    with pytest.raises(Conflict) as busy:
        await rig.start("And the battery?", conversation_id=conversation_id)
    assert busy.value.metadata == {"turn_id": "01990000-0000-7000-8000-0000000000dd"}
