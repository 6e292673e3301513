"""Running a stored plan again."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import update

from services.orchestrator.tests.fakes import delta
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, BEN, Rig, finished, lose, until
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.db import Database
from superagent_common.errors import Conflict, NotFound, Unavailable
from superagent_orchestrator.adapters import tables
from superagent_orchestrator.application.plan_versions import current
from superagent_orchestrator.domain.plan import SCHEMA_VERSION
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput


class NoPlanner:
    """Nothing is to be planned."""

    async def plan(self, planning: PlanningInput) -> PlanDraft:
        raise AssertionError("a replay planned")


async def replayed(rig: Rig) -> tuple[str, str]:
    """A turn of a conversation with a past, and one that runs its plan again."""
    await rig.events(await rig.start("MinIO 是什么?"))
    first = await rig.start("那它怎么配置,以及怎么备份?", conversation_id=next(iter(rig.conversations.owners)))
    await rig.events(first)
    rig.planner.used = NoPlanner()
    return first, await rig.replay(first)


def without_ids(plan: plan_pb2.ExecutionPlan) -> plan_pb2.ExecutionPlan:
    copy = plan_pb2.ExecutionPlan()
    copy.CopyFrom(plan)
    for name in ("plan_id", "turn_id", "created_at"):
        copy.ClearField(name)
    return copy


async def test_the_same_plan_runs_again_as_a_turn_of_its_own(rig: Rig) -> None:
    first, again = await replayed(rig)
    events = await rig.events(again)
    assert events[-1].done.finish_reason == "stop"
    old, new = rig.executor.plans[-2:]
    assert without_ids(old) == without_ids(new)
    assert len(new.sub_questions) == 2 and len(new.memory.recent_turns) == 1
    assert new.turn_id == again and new.plan_id not in ("", old.plan_id)
    assert new.created_at.ToMicroseconds() > old.created_at.ToMicroseconds()
    record = await rig.record(again)
    assert (record.replays_turn_id, record.replaces_turn_id) == (first, "")
    assert record.conversation_id == (await rig.record(first)).conversation_id
    assert [turn.turn_id for turn in rig.conversations.stored[record.conversation_id]][-2:] == [first, again]
    stages = {stage.name: stage for stage in record.stages}
    assert stages["plan"].state == stages["load_memory"].state == events_pb2.STAGE_STATE_SKIPPED
    assert stages["plan"].detail["replays_turn_id"] == first


async def test_the_same_key_gives_the_same_turn(rig: Rig) -> None:
    first, again = await replayed(rig)
    await rig.events(again)
    once = await rig.replay(first, key="k")
    await rig.events(once)
    assert await rig.replay(first, key="k") == once != again
    with pytest.raises(Conflict, match="something else"):
        await rig.replay(again, key="k")


async def test_whoever_takes_it_over_runs_the_same_plan(rig: Rig, database: Database) -> None:
    rig.executor.events = ANSWER
    await rig.events(await rig.start())
    first = await rig.start("How do I back it up?", conversation_id=next(iter(rig.conversations.owners)))
    await rig.events(first)
    rig.executor.events = (asyncio.Event(),)
    again = await rig.replay(first)
    await asyncio.wait_for(until(lambda: len(rig.executor.plans) == 3), 120)
    await lose(rig, again)
    heir = Rig(database, rig.log, rig.conversations)
    heir.planner.used = NoPlanner()
    async with heir.own.running():
        assert (await finished(heir, again))[-1].done.finish_reason == "stop"
    assert without_ids(heir.executor.plans[0]) == without_ids(rig.executor.plans[1])


async def test_a_turn_that_runs_or_never_had_a_plan_is_not_replayed(rig: Rig) -> None:
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    running = await rig.start()
    with pytest.raises(Conflict) as refused:
        await rig.replay(running)
    assert (refused.value.reason, refused.value.metadata) == ("conversation_busy", {"turn_id": running})
    gate.set()
    await rig.events(running)

    class Failing:
        async def plan(self, planning: PlanningInput) -> PlanDraft:
            raise Unavailable("no_plan_today")

    rig.planner.used = Failing()
    planless = await rig.start()
    await rig.events(planless)
    with pytest.raises(Conflict) as refused:
        await rig.replay(planless)
    assert refused.value.reason == "no_plan"


async def test_foreign_and_unknown_turns_and_deleted_conversations_are_not_found(rig: Rig) -> None:
    first = await rig.start()
    await rig.events(first)
    for wanted, who in ((first, BEN), ("01990000-0000-7000-8000-000000000000", ANNA)):
        with pytest.raises(NotFound) as missing:
            await rig.replay(wanted, who=who)
        assert missing.value.reason == "unknown_turn"
    rig.conversations.owners.clear()
    with pytest.raises(NotFound) as missing:
        await rig.replay(first)
    assert missing.value.reason == "unknown_conversation"


@pytest.mark.parametrize("version", [0, SCHEMA_VERSION + 1, -1])
async def test_a_plan_of_a_version_that_nobody_knows_is_refused(rig: Rig, version: int) -> None:
    rig.executor.events = (delta("Two years."), *ANSWER[-2:])
    first = await rig.start()
    await rig.events(first)
    record = await rig.record(first)
    record.plan.schema_version = version
    async with rig.database.write() as connection:
        await connection.execute(update(tables.turns).values(record=record.SerializeToString()))
    with pytest.raises(Conflict) as refused:
        await rig.replay(first)
    assert (refused.value.reason, refused.value.metadata) == ("unsupported_plan_version", {"version": str(version)})


def test_a_plan_of_an_older_version_becomes_one_of_today_step_by_step_and_the_stored_one_stays() -> None:
    stored = plan_pb2.ExecutionPlan(schema_version=1, original_question="What is X")

    def ask(plan: plan_pb2.ExecutionPlan) -> None:
        plan.original_question += "?"

    def translate(plan: plan_pb2.ExecutionPlan) -> None:
        plan.answer_language = "en"

    plan = current(stored, {1: ask, 2: translate}, 3)
    assert (plan.schema_version, plan.original_question, plan.answer_language) == (3, "What is X?", "en")
    assert (stored.schema_version, stored.original_question) == (1, "What is X")
    with pytest.raises(Conflict):
        current(stored, {2: translate}, 3)
