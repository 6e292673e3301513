"""What every plan keeps to, whoever planned it and whatever a model proposed."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.trace import NoOpTracer
from structlog import get_logger

from evals.plans.cases import shipped_skills
from services.orchestrator.tests.planning_cases import CASES, CATALOGUE, Case, planning_input
from superagent_common.llm import ModelSettings, build_model
from superagent_orchestrator.adapters.model_planner import ModelPlanner
from superagent_orchestrator.adapters.rule_planner import RulePlanner
from superagent_orchestrator.domain.plan import Budget, Mode
from superagent_orchestrator.domain.planning.identifiers import lost_identifiers
from superagent_orchestrator.domain.planning.model_plan import plan_by_model
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput, PlanningUsage
from superagent_orchestrator.domain.planning.reply import BadReply, read_reply
from superagent_orchestrator.domain.planning.route import OPEN_TOOLS
from superagent_orchestrator.domain.planning.rules import plan_by_rules
from superagent_orchestrator.ports import Planner
from superagent_orchestrator.prompts import PlanningPrompt, prompt_texts
from tests.support.scripted_model import ScriptedModel, plan_json

SCHEMA = PlanningPrompt(prompt_texts(None, get_logger())).schema
SKILLS = shipped_skills()
TOOLS = {*OPEN_TOOLS, "weather", "news", "route"}


def assert_sound(planning: PlanningInput, plan: PlanDraft) -> None:
    """The promises of a plan."""
    # Without a catalogue nobody knows which are readable: what the client asked for stays.
    readable = {domain.code for domain in planning.catalogue} or set(planning.requested_domains)
    subs = plan.sub_questions
    assert 1 <= len(subs) <= 4
    assert [sub.index for sub in subs] == list(range(1, len(subs) + 1))
    assert all(0 < earlier < sub.index for sub in subs for earlier in sub.depends_on)
    assert {code for sub in subs for code in sub.domains} <= readable
    assert set(plan.knowledge_domains) <= readable
    assert lost_identifiers(plan.original_question, (plan.rewritten_question,)) == ()
    assert lost_identifiers(plan.rewritten_question, tuple(sub.text for sub in subs)) == ()
    assert (plan.mode is Mode.CLARIFY) == (plan.clarification is not None)
    if plan.clarification:
        assert plan.clarification.question
        assert len(plan.clarification.choices) in (0, 2, 3, 4)
    assert plan.mode is not Mode.WORKFLOW
    assert len(plan.skills) <= 3
    assert {skill.code for skill in plan.skills} <= {skill.code for skill in SKILLS}
    assert set(plan.tools_allowed) <= TOOLS
    assert plan.mode is Mode.REACT_AGENT or plan.tools_allowed == ()
    assert 0 <= plan.planner.confidence <= 1
    assert (
        plan.budget.model_calls + plan.usage.model_calls <= planning.budget.model_calls or not plan.budget.model_calls
    )
    assert plan.budget.deadline_ms == planning.budget.deadline_ms
    assert plan.budget.evidence_chars in (0, planning.budget.evidence_chars)
    assert (plan.budget.evidence_chars > 0) == plan.use_knowledge
    assert [step.name for step in plan.steps][-1] == "planner"


@pytest.fixture(params=["rules", "model"])
async def planner(request: pytest.FixtureRequest, scripted_model: ScriptedModel) -> AsyncIterator[Planner]:
    if request.param == "rules":
        yield RulePlanner()
        return
    settings = ModelSettings(model="planner", api_base=scripted_model.base_url)
    model = build_model(settings, tracer=NoOpTracer(), monotonic=time.monotonic)
    assert model is not None
    yield ModelPlanner(model, PlanningPrompt(prompt_texts(None, get_logger())), seconds=30)
    await model.close()


async def test_every_planner_keeps_the_promises_of_a_plan(planner: Planner) -> None:
    for case in CASES[::5]:
        planning = planning_input(case.question, case.history, skills=SKILLS)
        assert_sound(planning, await planner.plan(planning))


_TEXTS = st.text(max_size=30) | st.sampled_from([case.question for case in CASES])
_CODES = st.sampled_from([*(domain.code for domain in CATALOGUE), "secret", ""]) | st.text(max_size=8)
_QUESTIONS = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.text(min_size=1, max_size=30) | st.sampled_from([case.question for case in CASES]),
            "domains": st.lists(_CODES, max_size=3),
            "depends_on": st.lists(st.integers(1, 3), max_size=2),
        }
    ),
    max_size=4,
    unique_by=lambda question: question["text"],
).map(lambda questions: [{**q, "depends_on": [n for n in q["depends_on"] if n <= i]} for i, q in enumerate(questions)])
_PROPOSALS = st.fixed_dictionaries(
    {},
    optional={
        "rewritten_question": _TEXTS,
        "mode": st.sampled_from(["CLARIFY", "RAG_CHAT", "REACT_AGENT", "DIRECT"]),
        "confidence": st.floats(0, 1),
        "use_knowledge": st.booleans(),
        "clarification": st.fixed_dictionaries(
            {"question": _TEXTS, "choices": st.lists(_TEXTS, max_size=4), "missing": _TEXTS}
        ),
        "sub_questions": _QUESTIONS,
        "skills": st.lists(st.fixed_dictionaries({"code": _CODES, "reason": _TEXTS}), max_size=3),
    },
)
_CLIENT = st.fixed_dictionaries(
    {},
    optional={
        "requested_mode": st.sampled_from([Mode.RAG_CHAT, Mode.REACT_AGENT, Mode.DIRECT]),
        "requested_domains": st.lists(_CODES, max_size=2).map(tuple),
        "requested_skill": st.sampled_from([skill.code for skill in SKILLS]),
        "catalogue": st.sampled_from([(), CATALOGUE, CATALOGUE[:1]]),
        "budget": st.sampled_from([Budget(), Budget(model_calls=2)]),
    },
)


@given(st.sampled_from(CASES), _PROPOSALS, _CLIENT)
def test_whatever_a_model_proposes_the_plan_keeps_its_promises_and_the_clients_choices(
    case: Case, proposal: dict[str, Any], client: dict[str, Any]
) -> None:
    try:
        proposed = read_reply(json.dumps({**json.loads(plan_json(case.question)), **proposal}), SCHEMA)
    except BadReply:
        return
    planning = planning_input(case.question, case.history, skills=SKILLS, **client)
    plan = plan_by_model(planning, plan_by_rules(planning), proposed, PlanningUsage("planner", 1, 10, 10))
    assert_sound(planning, plan)
    if "requested_mode" in client:
        assert plan.mode is client["requested_mode"]
    if "requested_skill" in client:
        assert [skill.code for skill in plan.skills] == [client["requested_skill"]]
    if plan.use_knowledge and (
        chosen := set(client.get("requested_domains", ())) & {d.code for d in planning.catalogue}
    ):
        assert set(plan.knowledge_domains) == chosen
