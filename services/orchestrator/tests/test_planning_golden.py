"""The rule planner on the golden cases: what a reader would expect of each question, in Chinese and English."""

from __future__ import annotations

from collections import Counter

import pytest

from evals.plans.cases import CASES, CATALOGUE, Case, planning_input, shipped_skills
from evals.plans.judge import differences
from superagent_orchestrator.domain.plan import Mode
from superagent_orchestrator.domain.planning.rules import plan_by_rules

FEWEST_CASES = 150
KINDS = {
    "pronoun",
    "ellipsis",
    "compound",
    "dependent",
    "everyday",
    "fast path",
    "vague",
    "identifier",
    "injection",
    "skill: customer service",
    "skill: group operations",
    "skill: administration",
    "skill: product",
    "skill: risk control",
    "skill: AI engineering",
    "skill: everyday",
    "skill: several",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}: {case.question[:40]}")
def test_plan_is_what_a_reader_expects(case: Case) -> None:
    plan = plan_by_rules(planning_input(case.question, case.history, skills=shipped_skills()))
    assert differences(case, plan) == [], plan


def test_golden_set_covers_every_kind_in_both_languages() -> None:
    kinds = Counter((case.kind, case.language) for case in CASES)
    assert len(CASES) >= FEWEST_CASES
    assert {(kind, language) for kind in KINDS for language in ("zh", "en")} <= set(kinds)


def test_modes_expected_by_the_golden_set_are_all_that_rules_choose() -> None:
    expected = {case.expect["mode"] for case in CASES if "mode" in case.expect}
    assert expected == {str(mode) for mode in Mode if mode is not Mode.WORKFLOW}


def test_expected_domains_and_skills_exist() -> None:
    domains = {code for case in CASES for code in case.expect.get("domains", ())}
    skills = {code for case in CASES for code in case.expect.get("skills", ())}
    assert domains <= {domain.code for domain in CATALOGUE}
    assert skills == {skill.code for skill in shipped_skills()}
