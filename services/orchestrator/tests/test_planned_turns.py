"""Planning inside a turn: what it costs, what its stages show, and what is missing when a service does not answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from services.orchestrator.tests.skill_definitions import SKILLS
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, Rig, until
from superagent.agent_executor.v1 import agent_executor_pb2
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.errors import InvalidInput, ServiceError, Timeout, Unavailable, Unimplemented
from superagent_common.identity import Identity, acting_as
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain, PlanDraft, PlanningInput, PlanningUsage
from superagent_orchestrator.domain.planning.rules import plan_by_rules


class PaidPlanner:
    """The rules' plan at the price of a model's."""

    async def plan(self, planning: PlanningInput) -> PlanDraft:
        draft = plan_by_rules(planning)
        usage = PlanningUsage("planner", 2, 1_000, 60, 0.25)
        return replace(draft, usage=usage, budget=replace(draft.budget, model_calls=draft.budget.model_calls - 2))


class WaitingPlanner:
    """The rules' plan once it may go on."""

    def __init__(self) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()
        self.cancelled = False

    async def plan(self, planning: PlanningInput) -> PlanDraft:
        self.asked.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return plan_by_rules(planning)


def plan_stage(record: events_pb2.TurnRecord) -> dict[str, Any]:
    (stage,) = (stage for stage in record.stages if stage.name == "plan")
    return MessageToDict(stage.detail)


async def test_a_turn_has_used_what_planning_and_answering_used(rig: Rig) -> None:
    rig.planner.used = PaidPlanner()
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    (said,) = (event.usage for event in events if event.WhichOneof("payload") == "usage")
    usage = (await rig.record(turn_id)).usage
    assert said == usage
    assert (usage.model, usage.model_calls, usage.input_tokens, usage.output_tokens) == ("fake", 3, 1_010, 63)
    assert usage.cost == 0.25


async def test_the_limits_shown_are_those_of_the_whole_turn_and_the_run_gets_the_rest(rig: Rig) -> None:
    rig.planner.used = PaidPlanner()
    run = events_pb2.Usage(model="fake", model_calls=1, limits=plan_pb2.Budget(model_calls=6))
    rig.executor.events = (*ANSWER[:3], agent_executor_pb2.ExecutionEvent(usage=run), *ANSWER[4:])
    turn_id = await rig.start()
    await rig.events(turn_id)
    assert rig.executor.plans[0].budget.model_calls == 6
    usage = (await rig.record(turn_id)).usage
    assert (usage.model_calls, usage.limits.model_calls) == (3, 8)


async def test_a_turn_that_breaks_off_has_used_what_planning_used(rig: Rig) -> None:
    rig.planner.used = PaidPlanner()
    rig.executor.events = (Unavailable("executor_down"),)
    turn_id = await rig.start()
    await rig.events(turn_id)
    usage = (await rig.record(turn_id)).usage
    assert (usage.model, usage.model_calls, usage.input_tokens) == ("planner", 2, 1_000)


async def test_planning_that_takes_long_is_told_when_it_began(rig: Rig) -> None:
    planner = WaitingPlanner()
    rig.planner.used = planner
    turn_id = await rig.start()
    await until(lambda: any(event.stage.state == events_pb2.STAGE_STATE_STARTED for event in rig.log.streams[turn_id]))
    planner.go.set()
    events = await rig.events(turn_id)
    told = [event.stage for event in events if event.stage.name == "plan"]
    assert [stage.state for stage in told] == [events_pb2.STAGE_STATE_STARTED, events_pb2.STAGE_STATE_COMPLETED]
    assert [stage.name for stage in (await rig.record(turn_id)).stages].count("plan") == 1


async def test_a_turn_is_stopped_while_it_is_planned(rig: Rig) -> None:
    planner = WaitingPlanner()
    rig.planner.used = planner
    turn_id = await rig.start()
    await planner.asked.wait()
    with acting_as(Identity(ANNA)):
        await rig.turns.cancel(turn_id)
    events = await rig.events(turn_id)
    assert events[-1].done.finish_reason == "cancelled"
    assert planner.cancelled
    assert rig.executor.plans == []


async def test_the_plan_stage_shows_each_step_and_who_planned(rig: Rig) -> None:
    rig.skills.known = SKILLS
    turn_id = await rig.start("退款规则是什么,以及风控怎么处理?")
    await rig.events(turn_id)
    detail = plan_stage(await rig.record(turn_id))
    assert [step["name"] for step in detail["steps"]] == [
        "language",
        "fast_path",
        "clarify",
        "split",
        "route",
        "skills",
        "narrow",
        "planner",
    ]
    assert all({"name", "input", "output", "reason"} == set(step) for step in detail["steps"])
    assert detail["planner"] | {"kind": "RULES", "model_calls": 0, "fallback_cause": ""} == detail["planner"]
    plan = rig.executor.plans[0]
    assert [skill.code for skill in plan.skills] == ["product", "risk-control"]


@pytest.mark.parametrize("failure", [Unavailable("service_unavailable"), Timeout("late"), Unimplemented("not_served")])
async def test_without_the_list_of_skills_a_turn_is_planned_and_says_so(rig: Rig, failure: ServiceError) -> None:
    rig.skills.failing = failure
    turn_id = await rig.start()
    events = await rig.events(turn_id)
    assert events[-1].done.finish_reason == "stop"
    assert plan_stage(await rig.record(turn_id))["skills"] == failure.reason


async def test_an_unknown_skill_is_refused_before_anything_is_stored(rig: Rig) -> None:
    rig.skills.known = SKILLS
    with pytest.raises(InvalidInput, match="no such skill"):
        await rig.start(skill="no-such-skill")
    with acting_as(Identity(ANNA)), pytest.raises(InvalidInput, match="no such skill"):
        await rig.turns.preview(orchestrator_pb2.StartTurnRequest(message="退款?", skill="no-such-skill"))
    assert rig.conversations.owners == {}


async def test_a_skill_asked_for_while_the_list_is_away_goes_to_the_executor_as_it_is(rig: Rig) -> None:
    rig.skills.failing = Unavailable("service_unavailable")
    await rig.events(await rig.start(skill="my-skill"))
    assert [skill.code for skill in rig.executor.plans[0].skills] == ["my-skill"]


async def test_a_preview_shows_plan_and_stages_and_runs_nothing(rig: Rig) -> None:
    rig.skills.known = SKILLS
    with acting_as(Identity(ANNA)):
        plan, stages = await rig.turns.preview(orchestrator_pb2.StartTurnRequest(message="退款规则是什么?"))
    assert [skill.code for skill in plan.skills] == ["product"]
    assert [stage.name for stage in stages] == ["rewrite", "plan"]
    assert rig.executor.plans == []


async def test_a_search_stays_in_the_domains_asked_for_while_the_catalogue_is_away(rig: Rig) -> None:
    rig.catalogue.failing = Unavailable("service_unavailable")
    await rig.events(await rig.start("How long is the warranty?", domains=["manuals", "manuals"]))
    plan = rig.executor.plans[0]
    assert list(plan.knowledge_domains) == ["manuals"]
    assert plan.sub_questions[0].domains_requested


async def test_domains_that_do_not_exist_are_said_to_be_unknown_and_everything_is_searched(rig: Rig) -> None:
    rig.catalogue.known = (KnowledgeDomain("hr", "HR", "", 3, ()),)
    turn_id = await rig.start("How long is the warranty?", domains=["no-such", "../etc"])
    await rig.events(turn_id)
    assert not rig.executor.plans[0].knowledge_domains
    (narrowed,) = (step for step in plan_stage(await rig.record(turn_id))["steps"] if step["name"] == "narrow")
    assert "no-such" in narrowed["reason"]
