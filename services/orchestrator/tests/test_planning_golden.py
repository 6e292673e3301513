"""The rule planner on the golden cases: what a reader would expect of each question, in Chinese and English."""

from __future__ import annotations

from collections import Counter

import pytest

from services.orchestrator.tests.planning_cases import CASES, CATALOGUE, Case, planning_input
from superagent_orchestrator.domain.plan import Budget, Mode
from superagent_orchestrator.domain.planning.proposal import PlanDraft
from superagent_orchestrator.domain.planning.rules import plan_by_rules

FEWEST_CASES = 150


def _differences(case: Case, plan: PlanDraft) -> list[str]:
    """Each expectation of the case that the plan does not meet, with what it says instead."""
    subs = plan.sub_questions
    said = {
        "mode": str(plan.mode),
        "planner": str(plan.planner.kind),
        "planner_reason": plan.planner.reason,
        "rewritten": plan.rewritten_question,
        "splits": len(subs),
        "sub_questions": [sub.text for sub in subs],
        "depends_on": [list(sub.depends_on) for sub in subs],
        "sub_domains": [list(sub.domains) for sub in subs],
        "domains": list(plan.knowledge_domains),
        "use_knowledge": plan.use_knowledge,
        "use_outline": any(sub.use_outline for sub in subs),
        "tools": list(plan.tools_allowed),
        "answer_language": str(plan.answer_language),
    }
    found = []
    for name, wanted in case.expect.items():
        if name == "has_tool":
            fits, is_said = wanted in plan.tools_allowed, plan.tools_allowed
        elif name == "rewritten_has":
            fits, is_said = all(words in plan.rewritten_question for words in wanted), plan.rewritten_question
        elif name == "keeps":
            text = " ".join(sub.text for sub in subs)
            fits, is_said = all(word in plan.rewritten_question and word in text for word in wanted), text
        elif name == "choices":
            shown = plan.clarification.choices if plan.clarification else ()
            fits, is_said = 2 <= len(shown) <= 4, shown
        elif name == "budget_is_default":
            limits = Budget()
            fits = (plan.budget.model_calls, plan.budget.deadline_ms, plan.budget.evidence_chars) == (
                limits.model_calls,
                limits.deadline_ms,
                limits.evidence_chars,
            )
            is_said = plan.budget
        else:
            fits, is_said = said[name] == wanted, said[name]
        if not fits:
            found.append(f"{name}: wanted {wanted!r}, is {is_said!r}")
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}: {case.question[:40]}")
def test_plan_is_what_a_reader_expects(case: Case) -> None:
    plan = plan_by_rules(planning_input(case.question, case.history))
    assert _differences(case, plan) == []


def test_golden_set_covers_both_languages_and_every_kind() -> None:
    kinds = Counter(case.kind for case in CASES)
    chinese = sum(any("\u4e00" <= letter <= "\u9fff" for letter in case.question) for case in CASES)
    assert len(CASES) >= FEWEST_CASES
    assert min(chinese, len(CASES) - chinese) >= FEWEST_CASES // 3
    assert {"pronoun", "ellipsis", "compound", "everyday", "fast path", "vague", "identifier", "injection"} <= set(
        kinds
    )


def test_modes_expected_by_the_golden_set_are_all_that_rules_choose() -> None:
    assert {case.expect["mode"] for case in CASES} == {str(mode) for mode in Mode if mode is not Mode.WORKFLOW}


def test_expected_domains_exist_in_the_catalogue() -> None:
    known = {domain.code for domain in CATALOGUE}
    named = {code for case in CASES for code in case.expect.get("domains", ())}
    assert named <= known
