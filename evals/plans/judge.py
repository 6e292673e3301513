"""Whether a plan says what its case expects: word for word of the rules, in substance of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evals.plans.cases import Case
from superagent_orchestrator.domain.plan import Budget, Mode
from superagent_orchestrator.domain.planning.identifiers import lost_identifiers
from superagent_orchestrator.domain.planning.narrow import words_of
from superagent_orchestrator.domain.planning.proposal import PlanDraft

Check = Callable[[Any, PlanDraft], bool]


def differences(case: Case, plan: PlanDraft) -> list[str]:
    """Each expectation that the plan does not meet exactly."""
    return _failing(case, plan, _EXACT)


def misses(case: Case, plan: PlanDraft) -> list[str]:
    """Each expectation that the plan does not meet in substance: a model may word its parts otherwise."""
    return _failing(case, plan, {**_EXACT, **_IN_SUBSTANCE})


def _failing(case: Case, plan: PlanDraft, checks: Mapping[str, Check]) -> list[str]:
    return [f"{name}: wanted {wanted!r}" for name, wanted in case.expect.items() if not checks[name](wanted, plan)]


def _texts(plan: PlanDraft) -> str:
    return " ".join(question.text for question in plan.sub_questions)


def _keeps(wanted: list[str], plan: PlanDraft) -> bool:
    return all(word in plan.rewritten_question and word in _texts(plan) for word in wanted)


def _default_budget(wanted: bool, plan: PlanDraft) -> bool:
    limits, spent = Budget(), plan.usage.model_calls
    given = (plan.budget.model_calls + spent, plan.budget.deadline_ms, plan.budget.evidence_chars)
    return wanted == (given == (limits.model_calls, limits.deadline_ms, limits.evidence_chars))


def _same_sense(wanted: str, plan: PlanDraft) -> bool:
    said = plan.rewritten_question
    return not lost_identifiers(wanted, (said,)) and words_of(wanted) <= words_of(said)


def _searched(wanted: list[str], plan: PlanDraft) -> bool:
    """Everything wanted is searched; a narrower plan must not leave it out, a wider one costs only time."""
    return not plan.knowledge_domains or (bool(wanted) and set(wanted) <= set(plan.knowledge_domains))


_EXACT: dict[str, Check] = {
    "mode": lambda wanted, plan: wanted == plan.mode,
    "planner": lambda wanted, plan: wanted == plan.planner.kind,
    "planner_reason": lambda wanted, plan: wanted == plan.planner.reason,
    "rewritten": lambda wanted, plan: wanted == plan.rewritten_question,
    "rewritten_has": lambda wanted, plan: all(words in plan.rewritten_question for words in wanted),
    "splits": lambda wanted, plan: wanted == len(plan.sub_questions),
    "sub_questions": lambda wanted, plan: wanted == [question.text for question in plan.sub_questions],
    "depends_on": lambda wanted, plan: wanted == [list(question.depends_on) for question in plan.sub_questions],
    "sub_domains": lambda wanted, plan: wanted == [list(question.domains) for question in plan.sub_questions],
    "domains": lambda wanted, plan: wanted == list(plan.knowledge_domains),
    "use_knowledge": lambda wanted, plan: wanted == plan.use_knowledge,
    "use_outline": lambda wanted, plan: wanted == any(question.use_outline for question in plan.sub_questions),
    "tools": lambda wanted, plan: wanted == list(plan.tools_allowed),
    "has_tool": lambda wanted, plan: wanted in plan.tools_allowed,
    "skills": lambda wanted, plan: sorted(wanted) == sorted(skill.code for skill in plan.skills),
    "answer_language": lambda wanted, plan: wanted == plan.answer_language,
    "choices": lambda wanted, plan: (
        wanted == (plan.clarification is not None and 2 <= len(plan.clarification.choices) <= 4)
    ),
    "keeps": _keeps,
    "budget_is_default": _default_budget,
}
_IN_SUBSTANCE: dict[str, Check] = {
    "planner_reason": lambda wanted, plan: True,
    "rewritten": _same_sense,
    "sub_questions": lambda wanted, plan: len(wanted) == len(plan.sub_questions),
    "sub_domains": lambda wanted, plan: _searched([code for codes in wanted for code in codes], plan),
    "domains": _searched,
    "tools": lambda wanted, plan: plan.mode is not Mode.REACT_AGENT or set(wanted) <= set(plan.tools_allowed),
}
