"""The measuring of planners: what counts as right, and what it says without a model."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import pytest
from opentelemetry.trace import NoOpTracer
from structlog import get_logger

from evals.plans import __main__ as eval_plans
from evals.plans.cases import CASES, Case, planning_input, shipped_skills
from evals.plans.judge import differences, misses
from evals.plans.run import evaluate, table
from superagent_common.llm import ModelSettings, build_model
from superagent_orchestrator.adapters.model_planner import ModelPlanner
from superagent_orchestrator.adapters.rule_planner import RulePlanner
from superagent_orchestrator.domain.plan import Mode
from superagent_orchestrator.domain.planning.rules import plan_by_rules
from superagent_orchestrator.prompts import PlanningPrompt, prompt_texts
from tests.support.scripted_model import Reply, Rule, ScriptedModel

SAMPLE = CASES[::12]


def test_a_plan_that_says_something_else_is_wrong_whatever_the_expectation() -> None:
    case = Case("x", "年假怎么申请?", (), {"mode": "RAG_CHAT", "splits": 1, "domains": ["hr"], "use_knowledge": True})
    plan = plan_by_rules(planning_input(case.question))
    assert differences(case, plan) == misses(case, plan) == []
    other = replace(plan, mode=Mode.DIRECT, sub_questions=plan.sub_questions * 2, knowledge_domains=("finance",))
    assert [missed.split(":")[0] for missed in misses(case, other)] == ["mode", "splits", "domains"]


def test_a_model_may_word_a_completion_otherwise_but_not_leave_out_what_it_completes() -> None:
    case = Case("x", "那它怎么配置?", (), {"rewritten": "MinIO 对象存储怎么配置?"})
    plan = plan_by_rules(planning_input(case.question))
    worded = replace(plan, rewritten_question="如何配置 MinIO 对象存储?")
    assert misses(case, worded) == []
    assert differences(case, worded) != []
    assert misses(case, replace(plan, rewritten_question="如何配置对象存储?")) != []


async def test_the_rules_are_right_by_both_measures() -> None:
    outcome = await evaluate(RulePlanner(), SAMPLE, misses)
    assert (outcome.whole, outcome.calls) == (1.0, 0)


async def test_a_model_is_asked_through_the_real_path_and_counted(scripted_model: ScriptedModel) -> None:
    settings = ModelSettings(model="planner", api_base=scripted_model.base_url)
    model = build_model(settings, tracer=NoOpTracer(), monotonic=time.monotonic)
    assert model is not None
    planner = ModelPlanner(model, PlanningPrompt(prompt_texts(None, get_logger())), seconds=30)
    good = await evaluate(planner, SAMPLE, misses)
    assert good.model_spoke == good.calls == len(scripted_model.planning_requests) > len(SAMPLE) // 2
    assert good.input_tokens > 0
    assert good.whole > 0.8
    scripted_model.answer_with(Rule(Reply(text="I would search the handbook."), purpose="plan"))
    prose = await evaluate(planner, SAMPLE, misses)
    await model.close()
    assert (prose.model_spoke, prose.whole) == (0, 1.0)
    assert prose.by["RULES (invalid_model_plan)"] == len(scripted_model.planning_requests) // 2
    shown = table({"model": good, "rules": prose}).splitlines()
    assert shown[0].split() == ["kind", "cases", "model", "rules"]
    assert shown[-1].split()[:2] == ["all", str(len(SAMPLE))]


def test_without_a_model_it_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("LLM_MODEL", raising=False)
    monkeypatch.setattr(sys, "argv", ["eval-plans"])
    assert eval_plans.main() == 2
    assert "needs LLM_MODEL" in capsys.readouterr().err


def test_the_shipped_skills_have_one_fallback() -> None:
    assert [skill.code for skill in shipped_skills() if skill.fallback] == ["ai-assistant"]
