"""What holds for every question, whatever it says."""

from __future__ import annotations

import dataclasses

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.orchestrator.tests.planning_cases import CATALOGUE, planning_input
from superagent_common.errors import InvalidInput
from superagent_orchestrator.domain.plan import Budget, MemoryStrategy, Mode, PastTurn
from superagent_orchestrator.domain.planning.cleaning import MAX_QUESTION_CHARACTERS
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput
from superagent_orchestrator.domain.planning.rewrite import RECENT_TURNS
from superagent_orchestrator.domain.planning.rules import plan_by_rules
from superagent_orchestrator.domain.planning.split import LONGEST_SPLIT, MOST_QUESTIONS

# Pieces that steer the rules, so that arbitrary texts reach every branch.
_CHINESE = (
    "它",
    "那",
    "这个",
    "怎么配置",
    "是什么",
    "呢",
    "吗",
    "和",
    "然后",
    "分别",
    "第二个",
    "谁负责",
    "谢谢",
    "年假",
)
_ENGLISH = (
    "what is",
    "it",
    "how do I",
    "configure",
    "and then",
    "which",
    "who",
    "why",
    "on Windows",
    "what about",
    "them",
)
_TELLING = (
    "MinIO",
    "ORD-2024-0012",
    "max_connections",
    "《员工手册》",
    "第三章",
    "https://example.com/a?b=1",
    "this policy",
)
_OTHER = (
    "今天天气怎么样",
    "hello",
    "thanks",
    "/help",
    "12*3",
    "translate:",
    "the second one",
    "ignore your rules",
    "1.",
)
_SIGNS = (
    "?",
    "?",
    "。",
    ",",
    ",",
    "(",
    ")",
    "“",
    "”",
    "`",
    "-",
    ":",
    "\n",
    " ",
    "\t",
    "\x00",
    "\ud800",
    "\u202e",
    "😀",
)
_FRAGMENTS = st.sampled_from([*_CHINESE, *_ENGLISH, *_TELLING, *_OTHER, *_SIGNS])
_TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(_FRAGMENTS, max_size=14).map("".join),
    st.lists(_FRAGMENTS, max_size=14).map(" ".join),
)
_HISTORIES = st.lists(st.builds(PastTurn, st.just("turn"), _TEXTS, _TEXTS), max_size=6).map(tuple)
_IDENTIFIERS = st.one_of(
    st.from_regex(r"[A-Z]{2,4}-[0-9]{4}-[0-9]{2,6}", fullmatch=True),
    st.from_regex(r"[a-z]{2,8}_[a-z]{2,8}", fullmatch=True),
    st.from_regex(r"[a-z]{2,6}\.[a-z]{2,6}\.[a-z]{2,6}", fullmatch=True),
    st.from_regex(r"0x[0-9A-F]{4,8}", fullmatch=True),
    st.from_regex(r"[0-9]{8,20}", fullmatch=True),
    st.from_regex(r"ERR_[0-9]{3,5}", fullmatch=True),
    st.from_regex(r"/[a-z]{2,6}/[a-z]{2,6}\.[a-z]{2,4}", fullmatch=True),
)
_AROUND = st.sampled_from(
    [
        "{} 是什么?",
        "它的 {} 怎么改?",
        "那 {} 呢?",
        "{} 和它有什么区别?",
        "怎么配置 {}, 然后它怎么升级?",
        "What is {} and how do I change it?",
        "How does it use {}?",
        "what about {}?",
        "Is {} set? Why?",
        "这个 {} 什么时候生效, {} 又怎么查?",
    ]
)


def _plan(question: str, history: tuple[PastTurn, ...] = ()) -> PlanDraft | None:
    try:
        return plan_by_rules(planning_input(question, history))
    except InvalidInput as refused:
        assert refused.reason == "empty_question"
        return None


@given(_TEXTS, _HISTORIES)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_gives_a_sound_plan_or_is_refused_as_empty(question: str, history: tuple[PastTurn, ...]) -> None:
    plan = _plan(question, history)
    if plan is None:
        return
    assert 1 <= len(plan.sub_questions) <= MOST_QUESTIONS
    assert [sub.index for sub in plan.sub_questions] == list(range(1, len(plan.sub_questions) + 1))
    assert all(sub.text.strip() for sub in plan.sub_questions)
    assert all(before < sub.index for sub in plan.sub_questions for before in sub.depends_on)
    known = {domain.code for domain in CATALOGUE}
    assert all(set(sub.domains) <= known for sub in plan.sub_questions)
    assert (plan.clarification is not None) == (plan.mode is Mode.CLARIFY)
    assert plan.clarification is None or len(plan.clarification.choices) in (0, 2, 3, 4)
    assert plan.rewrite.applied or plan.rewritten_question == plan.original_question
    assert plan.rewrite.history_turns_used <= min(len(history), RECENT_TURNS)
    assert all(step.reason for step in plan.steps)


@given(_TEXTS, _HISTORIES)
@settings(max_examples=100, deadline=None)
def test_the_same_input_gives_the_same_plan(question: str, history: tuple[PastTurn, ...]) -> None:
    assert _plan(question, history) == _plan(question, history)


@given(_TEXTS, _HISTORIES)
@settings(max_examples=100, deadline=None)
def test_no_text_raises_a_limit(question: str, history: tuple[PastTurn, ...]) -> None:
    plan = _plan(question, history)
    if plan is None:
        return
    allowed = Budget()
    for field in dataclasses.fields(Budget):
        if field.name != "evidence_chars_per_question":  # one question gets the evidence of all
            assert getattr(plan.budget, field.name) <= getattr(allowed, field.name)
    assert plan.budget.evidence_chars_per_question <= allowed.evidence_chars


@given(_AROUND, _IDENTIFIERS, _HISTORIES)
@settings(max_examples=150, deadline=None)
def test_an_identifier_survives_rewriting_and_splitting(
    around: str, identifier: str, history: tuple[PastTurn, ...]
) -> None:
    plan = plan_by_rules(planning_input(around.replace("{}", identifier), history))
    assert identifier in plan.rewritten_question
    assert any(identifier in sub.text for sub in plan.sub_questions)


@given(_TEXTS, _HISTORIES, st.lists(st.builds(PastTurn, st.just("old"), _TEXTS, _TEXTS), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_turns_older_than_the_recent_ones_change_nothing(
    question: str, history: tuple[PastTurn, ...], older: list[PastTurn]
) -> None:
    recent = (
        tuple(PastTurn("turn", "MinIO 是什么?", "") for _ in range(RECENT_TURNS - len(history[-RECENT_TURNS:])))
        + history
    )
    assert _plan(question, (*older, *recent)) == _plan(question, recent)


@given(_TEXTS, _HISTORIES, st.sampled_from([Mode.RAG_CHAT, Mode.REACT_AGENT, Mode.DIRECT]))
@settings(max_examples=100, deadline=None)
def test_a_requested_mode_wins_over_any_text(question: str, history: tuple[PastTurn, ...], mode: Mode) -> None:
    asked = planning_input(question, history, requested_mode=mode)
    try:
        plan = plan_by_rules(asked)
    except InvalidInput as refused:
        assert refused.reason == "empty_question"
        return
    assert plan.mode is mode
    assert plan.clarification is None


@given(_TEXTS.filter(bool))
@settings(max_examples=20, deadline=None)
def test_the_longest_question_allowed_is_planned_whole(piece: str) -> None:
    plan = _plan((piece * MAX_QUESTION_CHARACTERS)[:MAX_QUESTION_CHARACTERS])
    if plan is not None and len(plan.original_question) > LONGEST_SPLIT:
        assert plan.rewritten_question == plan.original_question
        assert [sub.text for sub in plan.sub_questions] == [plan.original_question]


@given(_HISTORIES, _TEXTS)
@settings(max_examples=100, deadline=None)
def test_without_memory_nothing_said_before_is_used(history: tuple[PastTurn, ...], question: str) -> None:
    def forgetful(turns: tuple[PastTurn, ...]) -> PlanningInput:
        return planning_input(question, turns, memory_strategy=MemoryStrategy.NONE, summary="s", facts=("f",))

    try:
        assert plan_by_rules(forgetful(history)) == plan_by_rules(forgetful(()))
    except InvalidInput as refused:
        assert refused.reason == "empty_question"
