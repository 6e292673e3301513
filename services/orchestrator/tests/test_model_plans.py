"""A model's proposal held against what is allowed and known."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from structlog import get_logger

from services.orchestrator.tests.planning_cases import planning_input, said
from services.orchestrator.tests.skill_definitions import SKILLS
from superagent_common.errors import InvalidInput
from superagent_orchestrator.domain.plan import Budget, Mode, PlannerKind
from superagent_orchestrator.domain.planning.model_plan import fallen_back, plan_by_model
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningUsage
from superagent_orchestrator.domain.planning.reply import read_reply
from superagent_orchestrator.domain.planning.route import OPEN_TOOLS
from superagent_orchestrator.domain.planning.rules import plan_by_rules
from superagent_orchestrator.prompts import PlanningPrompt, prompt_texts
from tests.support.scripted_model import plan_json

SCHEMA = PlanningPrompt(prompt_texts(None, get_logger())).schema
ONE_CALL = PlanningUsage("planner", 1, 100, 20, 0.5)


def planned(question: str, reply: str, **changes: Any) -> PlanDraft:
    planning = planning_input(question, **{"skills": SKILLS, **changes})
    return plan_by_model(planning, plan_by_rules(planning), read_reply(reply, SCHEMA), ONE_CALL)


def reason_of(plan: PlanDraft, step: str) -> str:
    return next(record.reason for record in plan.steps if record.name == step)


def parts(*given: tuple[str, list[str], list[int]]) -> list[dict[str, Any]]:
    return [{"text": text, "domains": domains, "depends_on": depends_on} for text, domains, depends_on in given]


# Rewriting.


def test_a_completion_from_the_history_is_taken() -> None:
    plan = planned("那它怎么配置?", plan_json("MinIO 对象存储怎么配置?"), history=said("MinIO 对象存储怎么部署?"))
    assert plan.rewritten_question == "MinIO 对象存储怎么配置?"
    assert (plan.rewrite.applied, plan.rewrite.history_turns_used) == (True, 1)
    assert plan.original_question == "那它怎么配置?"


@pytest.mark.parametrize(
    ("question", "rewritten", "history", "why"),
    [
        ("订单 SO-2024-118 的 max_pool_size 呢?", "订单的连接池大小是多少?", ["连接池怎么配置?"], "SO-2024-118"),
        ("年假怎么申请?", "员工年假的申请流程是什么?", [], "no history"),
        ("它多少钱?", "How much is MinIO?", ["MinIO 是什么?"], "another language"),
        ("它多少钱?", "MinIO 多少钱?" + "请详细说明。" * 100, ["MinIO 是什么?"], "too long"),
    ],
)
def test_a_rewriting_that_loses_or_invents_leaves_the_original_and_says_so(
    question: str, rewritten: str, history: list[str], why: str
) -> None:
    plan = planned(question, plan_json(rewritten), history=said(*history))
    assert plan.rewritten_question == question
    assert plan.rewrite.applied is False
    assert why in plan.rewrite.reason
    assert [sub.text for sub in plan.sub_questions] == [question]


def test_a_question_that_stands_alone_says_that_nothing_was_rewritten() -> None:
    plan = planned("年假怎么申请?", plan_json("年假怎么申请?", rewrite_reason="stands alone"), history=said("你好"))
    assert (plan.rewrite.applied, plan.rewrite.reason) == (False, "stands alone")


def test_what_stays_as_it_is_need_not_be_repeated() -> None:
    question = "这段日志说明什么? " + "2026-01-01 ERROR pool exhausted " * 60
    brief = plan_json("", sub_questions=parts(("", ["dev_docs"], [])))
    plan = planned(question, brief, history=said("MinIO 怎么部署?"))
    assert plan.rewritten_question == plan.original_question
    assert [(sub.text, sub.domains) for sub in plan.sub_questions] == [(plan.original_question, ("dev_docs",))]


# Modes.


def test_what_the_client_chose_wins_over_the_model() -> None:
    ask_back = {"question": "Which?", "choices": ["a", "b"], "missing": "x"}
    reply = plan_json("年假怎么申请?", "CLARIFY", clarification=ask_back)
    chosen = planned("年假怎么申请?", reply, requested_mode=Mode.RAG_CHAT)
    assert (chosen.mode, chosen.clarification, chosen.use_knowledge) == (Mode.RAG_CHAT, None, True)
    agent = planned("年假怎么申请?", plan_json("年假怎么申请?", "DIRECT"), requested_mode=Mode.REACT_AGENT)
    assert (agent.mode, agent.tools_allowed) == (Mode.REACT_AGENT, OPEN_TOOLS)


def test_domains_the_client_chose_are_searched_whatever_the_model_says() -> None:
    reply = plan_json("MinIO 的端口?", "DIRECT", sub_questions=parts(("MinIO 的端口?", ["dev_docs"], [])))
    plan = planned("MinIO 的端口?", reply, requested_domains=("hr",))
    assert (plan.mode, plan.knowledge_domains) == (Mode.RAG_CHAT, ("hr",))
    assert plan.sub_questions[0].domains_requested


def test_a_skill_the_client_chose_wins_and_an_unknown_one_is_refused() -> None:
    reply = plan_json("退款规则?", skills=[{"code": "product", "reason": "fits"}])
    assert [s.code for s in planned("退款规则?", reply, requested_skill="risk-control").skills] == ["risk-control"]
    with pytest.raises(InvalidInput, match="no such skill"):
        planned("退款规则?", reply, requested_skill="none-such")


def test_a_question_back_carries_the_models_choices_or_those_of_the_catalogue() -> None:
    def asked_back(choices: list[str]) -> tuple[str, ...]:
        asked = {"question": "您想查哪方面?", "choices": choices, "missing": "the topic"}
        clarified = planned(
            "那个流程怎么走?", plan_json("那个流程怎么走?", "CLARIFY", clarification=asked)
        ).clarification
        assert clarified is not None
        return clarified.choices

    assert asked_back(["年假流程", "报销流程"]) == ("年假流程", "报销流程")
    assert 2 <= len(asked_back([])) <= 4


def test_a_question_back_may_call_no_model_and_search_nothing() -> None:
    asked = {"question": "哪个?", "choices": [], "missing": "x"}
    plan = planned("那个流程怎么走?", plan_json("那个流程怎么走?", "CLARIFY", clarification=asked))
    assert (plan.budget.model_calls, plan.budget.evidence_chars, plan.use_knowledge) == (0, 0, False)


def test_what_a_domain_speaks_of_is_not_answered_without_documents() -> None:
    plan = planned("MinIO 对象存储怎么部署?", plan_json("MinIO 对象存储怎么部署?", "DIRECT"))
    assert (plan.mode, plan.use_knowledge) == (Mode.RAG_CHAT, True)
    assert "dev_docs" in plan.planner.reason


def test_an_agent_without_knowledge_gets_no_search_of_documents() -> None:
    plan = planned("附近有什么好吃的?", plan_json("附近有什么好吃的?", "REACT_AGENT", use_knowledge=False))
    assert plan.mode is Mode.REACT_AGENT
    assert "knowledge_search" not in plan.tools_allowed
    assert plan.tools_allowed


# Parts, domains, skills.


def test_parts_keep_their_domains_and_what_they_wait_for() -> None:
    given = parts(("年假几天?", ["hr"], []), ("按这个天数折算的工资是多少?", ["finance", "hr"], [1]))
    plan = planned(
        "年假几天,然后按这个天数折算的工资是多少?",
        plan_json("年假几天,然后按这个天数折算的工资是多少?", sub_questions=given),
    )
    assert [(q.index, q.domains, q.depends_on) for q in plan.sub_questions] == [
        (1, ("hr",), ()),
        (2, ("finance", "hr"), (1,)),
    ]
    assert plan.knowledge_domains == ("hr", "finance")
    assert plan.budget.evidence_chars_per_question == 2_200


def test_parts_that_lose_an_identifier_are_not_taken() -> None:
    question = "HT-2023-119 的金额是多少,谁签的?"
    plan = planned(question, plan_json(question, sub_questions=parts(("合同金额是多少?", [], []), ("谁签的?", [], []))))
    assert [sub.text for sub in plan.sub_questions] == [question]
    assert "HT-2023-119" in reason_of(plan, "split")


@pytest.mark.parametrize(
    ("codes", "searched", "said_why"),
    [
        (["secret"], (), "unknown or empty domains (secret): everything readable"),
        (["secret", "hr"], ("hr",), "unknown or empty: secret"),
        (["archive"], (), "everything readable"),
        ([], (), "everything readable"),
        (["hr"], ("hr",), "chosen by the model"),
    ],
)
def test_wrong_domains_fall_back_to_everything_and_the_trace_says_so(
    codes: list[str], searched: tuple[str, ...], said_why: str
) -> None:
    plan = planned("年假怎么申请?", plan_json("年假怎么申请?", sub_questions=parts(("年假怎么申请?", codes, []))))
    assert plan.knowledge_domains == searched
    assert said_why in reason_of(plan, "narrow")


def test_codes_that_cannot_be_sent_do_not_reach_the_trace() -> None:
    domains = [{"text": "MinIO 怎么配置?", "domains": ["\ud800hidden\u202e"], "depends_on": []}]
    skills = [{"code": "\udfffnone", "reason": "x"}]
    plan = planned("MinIO 怎么配置?", plan_json("MinIO 怎么配置?", sub_questions=domains, skills=skills))
    assert "hidden" in reason_of(plan, "narrow") and "none" in reason_of(plan, "skills")
    assert all(step.reason.encode() for step in plan.steps)


def test_unknown_skills_are_left_out_and_the_fallback_takes_their_place() -> None:
    reply = plan_json("年假怎么申请?", skills=[{"code": "root-shell", "reason": "x"}])
    plan = planned("年假怎么申请?", reply)
    assert [skill.code for skill in plan.skills] == ["ai-assistant"]
    assert "unknown: root-shell" in reason_of(plan, "skills")


def test_known_skills_are_taken_with_the_models_reasons() -> None:
    reply = plan_json("退款的风控?", skills=[{"code": c, "reason": f"for {c}"} for c in ("product", "risk-control")])
    assert [(s.code, s.reason) for s in planned("退款的风控?", reply).skills] == [
        ("product", "for product"),
        ("risk-control", "for risk-control"),
    ]


# Limits and record.


def test_planning_counts_against_the_turns_model_calls() -> None:
    plan = planned("年假怎么申请?", plan_json("年假怎么申请?"), budget=Budget(model_calls=3))
    assert plan.budget == dataclasses.replace(plan_by_rules(planning_input("年假怎么申请?")).budget, model_calls=2)
    assert plan.usage == ONE_CALL


def test_the_plan_says_which_model_spoke_and_each_step_what_it_saw_said_and_why() -> None:
    plan = planned("年假怎么申请?", plan_json("年假怎么申请?", reason="the handbook covers it"))
    assert (plan.planner.kind, plan.planner.model) == (PlannerKind.MODEL, "planner")
    assert (plan.planner.confidence, plan.planner.reason) == (0.8, "the handbook covers it")
    assert [step.name for step in plan.steps] == [
        "language",
        "fast_path",
        "rewrite",
        "clarify",
        "split",
        "route",
        "skills",
        "narrow",
        "planner",
    ]
    assert all(step.input and step.output and step.reason for step in plan.steps)


def test_the_rules_plan_in_a_models_place_says_why_and_what_was_spent() -> None:
    ruled = plan_by_rules(planning_input("年假怎么申请?"))
    plan = fallen_back(ruled, "model_down", "the model endpoint answered 503", ONE_CALL)
    assert (plan.planner.kind, plan.planner.fallback_cause) == (PlannerKind.RULES, "model_down")
    assert plan.budget.model_calls == ruled.budget.model_calls - 1
    assert "503" in reason_of(plan, "planner")
    assert [step.name for step in plan.steps] == [step.name for step in ruled.steps]
