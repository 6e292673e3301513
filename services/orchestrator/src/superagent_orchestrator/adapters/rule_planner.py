"""The rule planner behind the planner's port."""

from __future__ import annotations

from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput
from superagent_orchestrator.domain.planning.rules import plan_by_rules


class RulePlanner:
    """`Planner` that needs no model."""

    async def plan(self, planning: PlanningInput) -> PlanDraft:
        return plan_by_rules(planning)
