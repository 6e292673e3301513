"""Which skills the rules choose, and what a skill changes in a plan (PLAN-7, PLAN-12)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.orchestrator.tests.planning_cases import CASES, planning_input
from services.orchestrator.tests.skill_definitions import SKILLS, skill
from superagent_common.errors import InvalidInput
from superagent_orchestrator.domain.plan import Mode
from superagent_orchestrator.domain.planning.proposal import PlanDraft
from superagent_orchestrator.domain.planning.rules import plan_by_rules
from superagent_orchestrator.domain.planning.skills import MOST_SKILLS


def planned(question: str, **changes: Any) -> PlanDraft:
    return plan_by_rules(planning_input(question, **{"skills": SKILLS, **changes}))


def codes(plan: PlanDraft) -> list[str]:
    return [choice.code for choice in plan.skills]


def said_of_skills(plan: PlanDraft) -> str:
    step = next(step for step in plan.steps if step.name == "skills")
    return f"{step.output}; {step.reason}"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("为什么我收不到私聊消息,登录也没报错?", ["customer-service"]),
        ("What are the refund rules?", ["product"]),
        ("怎么给客服排障回答接入 RAG,同时保留上下文压缩?", ["customer-service", "ai-assistant"]),
        ("退款的风控规则是什么?", ["product", "risk-control"]),
        ("How does approval work and also what does pricing look like?", ["administration", "product"]),
    ],
)
def test_skills_are_those_whose_words_the_question_bears(question: str, expected: list[str]) -> None:
    plan = planned(question)
    assert sorted(codes(plan)) == sorted(expected)
    assert plan.use_knowledge


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        ("为什么我收不到私聊消息?", "SINGLE"),
        ("退款规则是什么,以及风控怎么处理?", "MULTI"),
        ("今天北京天气怎么样", "BASIC"),
    ],
)
def test_the_trace_says_whether_none_one_or_several_skills_and_why(question: str, mode: str) -> None:
    assert said_of_skills(planned(question)).startswith(mode)


@pytest.mark.parametrize(
    "question",
    [
        "我想去河北赵州桥玩,现在在广州天河智慧城,这两天天气适合去吗?",
        "今天有什么新闻?",
        "从北京南站到天安门怎么走?",
        "What is the weather like in Berlin today?",
    ],
)
def test_everyday_questions_get_no_skill_and_no_knowledge_even_beside_its_words(question: str) -> None:
    plan = planned(question)
    assert (codes(plan), plan.use_knowledge) == ([], False)


def test_a_company_question_that_no_skill_speaks_of_goes_to_the_fallback_with_knowledge() -> None:
    plan = planned("年假怎么申请?")
    assert (codes(plan), plan.use_knowledge) == (["ai-assistant"], True)
    assert "fallback" in said_of_skills(plan)


def test_without_a_fallback_skill_such_a_question_gets_none() -> None:
    assert codes(planned("年假怎么申请?", skills=SKILLS[:-1])) == []


def test_small_talk_gets_no_skill() -> None:
    assert codes(planned("讲个笑话")) == []


@pytest.mark.parametrize("question", ["email 怎么配置?", "What is the maintenance plan of the main building?"])
def test_letters_inside_a_word_are_no_keyword(question: str) -> None:
    others = (*SKILLS[:-1], skill("ai", "AI", "plan b"))
    assert codes(planned(question, skills=others)) == []


def test_a_plural_bears_its_keyword() -> None:
    assert codes(planned("How do refunds work?")) == ["product"]


def test_doing_something_calls_for_the_skill_that_brings_tools() -> None:
    plan = planned("帮我建一个群聊")
    assert plan.mode is Mode.REACT_AGENT
    assert codes(plan) == ["group-operations"]
    assert plan.tools_allowed == ("current_time",)


def test_what_a_part_of_the_question_needs_stays_allowed_beside_the_skills_tools() -> None:
    plan = planned(
        "群聊人数上限是多少?另外 12*34 等于多少", skills=(skill("group-operations", "群聊", tools=("current_time",)),)
    )
    assert plan.mode is Mode.REACT_AGENT
    assert set(plan.tools_allowed) == {"knowledge_search", "calculate", "current_time"}


def test_at_most_three_skills_are_chosen() -> None:
    assert len(codes(planned("客服、群聊、审批、退款、风控以及提示词怎么管理?"))) == MOST_SKILLS


def test_the_skill_a_client_asks_for_wins() -> None:
    plan = planned("退款规则是什么?", requested_skill="risk-control")
    assert [(choice.code, choice.score) for choice in plan.skills] == [("risk-control", 1.0)]


@pytest.mark.parametrize("question", ["退款规则是什么?", "你好", "查一下那个", "今天北京天气怎么样"])
def test_an_unknown_skill_is_refused_whatever_is_asked(question: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        planned(question, requested_skill="no-such-skill")
    assert refused.value.reason == "unknown_skill"


def test_while_skills_are_unknown_the_one_asked_for_is_taken_and_none_else_chosen() -> None:
    assert codes(planned("退款规则是什么?", skills=None, requested_skill="product")) == ["product"]
    plan = planned("退款规则是什么?", skills=None)
    assert codes(plan) == []
    assert "not known" in said_of_skills(plan)


def test_the_domain_a_chosen_skill_is_at_home_in_is_searched_first() -> None:
    security = skill("risk-control", "密码", domains=("security",))
    assert "security" in planned("密码的报销标准是多少?", skills=(security,)).knowledge_domains
    asked_for = planned("上限是多少年?", skills=(security,), requested_skill="risk-control")
    assert asked_for.knowledge_domains == ("security",)


def test_a_skill_never_leads_into_a_domain_that_the_asker_cannot_read() -> None:
    hidden = skill("secret", "密码", domains=("secret-domain",))
    plan = planned("密码怎么改?", skills=(hidden,), requested_skill="secret")
    assert "secret-domain" not in plan.knowledge_domains


@given(st.sampled_from(CASES), st.lists(st.sampled_from(SKILLS), unique_by=lambda s: s.code, max_size=6))
def test_skills_change_neither_mode_nor_rewriting_nor_splitting(case: Any, skills: list[Any]) -> None:
    plain = plan_by_rules(planning_input(case.question, case.history))
    skilled = plan_by_rules(planning_input(case.question, case.history, skills=tuple(skills)))
    assert (skilled.mode, skilled.rewritten_question, skilled.use_knowledge) == (
        plain.mode,
        plain.rewritten_question,
        plain.use_knowledge,
    )
    assert [s.text for s in skilled.sub_questions] == [s.text for s in plain.sub_questions]
    assert len(skilled.skills) <= MOST_SKILLS
    assert all(0 <= choice.score <= 1 for choice in skilled.skills)
