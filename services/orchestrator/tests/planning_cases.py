"""Inputs of planning tests."""

from __future__ import annotations

from evals.plans.cases import CASES, CATALOGUE, Case, planning_input
from superagent_orchestrator.domain.plan import PastTurn

__all__ = ["CASES", "CATALOGUE", "Case", "planning_input", "said"]


def said(*questions: str) -> tuple[PastTurn, ...]:
    """Earlier turns without noteworthy answers, oldest first."""
    return tuple(PastTurn(f"turn-{place}", question, "") for place, question in enumerate(questions))
