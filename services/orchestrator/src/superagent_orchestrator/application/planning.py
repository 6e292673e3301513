"""Makes the draft of a turn's plan from the catalogue, the skills and a planner."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from superagent.orchestrator.v1 import orchestrator_pb2, plan_pb2
from superagent_common.errors import Exhausted, ServiceError, Timeout, Unavailable, Unimplemented
from superagent_orchestrator.application.messages import planning_input
from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain, PlanDraft, SkillDefinition
from superagent_orchestrator.domain.planning.skills import requested_skill
from superagent_orchestrator.ports import Catalogue, Planner, SkillCatalogue

_ABSENT: tuple[type[ServiceError], ...] = (Unavailable, Timeout, Exhausted, Unimplemented)


class Planning:
    """Plans requests for the person in the current identity."""

    def __init__(
        self, catalogue: Catalogue, skills: SkillCatalogue, planner: Planner, *, model_available: bool
    ) -> None:
        self._catalogue = catalogue
        self._skills = skills
        self._planner = planner
        self._model_available = model_available

    async def check(self, request: orchestrator_pb2.StartTurnRequest) -> None:
        """Raises InvalidInput(unknown_skill) while the skills can be read and the asked one is none of them."""
        if request.skill:
            requested_skill(request.skill, await self._known_skills({}))

    async def draft(
        self, request: orchestrator_pb2.StartTurnRequest, memory: plan_pb2.PlanMemory, detail: dict[str, Any]
    ) -> PlanDraft:
        """The draft for a request; `detail` gets what the stage `plan` shows besides the rewriting."""
        # Without a catalogue a plan searches everything that is readable; without skills it chooses none.
        domains: tuple[KnowledgeDomain, ...] = ()
        try:
            domains = await self._catalogue.domains()
        except _ABSENT as error:
            detail["catalogue"] = error.reason
        skills = await self._known_skills(detail)
        draft = await self._planner.plan(
            planning_input(request, memory, domains, skills, model_available=self._model_available)
        )
        if wanted := request.max_output_tokens:
            tokens = min(wanted, draft.budget.max_output_tokens)
            draft = replace(draft, budget=replace(draft.budget, max_output_tokens=tokens))
        detail["mode"] = draft.mode.value
        detail["reason"] = draft.planner.reason
        detail["planner"] = {
            "kind": draft.planner.kind.value,
            "model": draft.planner.model,
            "confidence": draft.planner.confidence,
            "fallback_cause": draft.planner.fallback_cause,
            "model_calls": draft.usage.model_calls,
        }
        detail["steps"] = [
            {"name": step.name, "input": step.input, "output": step.output, "reason": step.reason}
            for step in draft.steps
            if step.name != "rewrite"  # a stage of its own
        ]
        return draft

    async def _known_skills(self, detail: dict[str, Any]) -> tuple[SkillDefinition, ...] | None:
        try:
            return await self._skills.skills()
        except _ABSENT as error:
            detail["skills"] = error.reason
            return None
