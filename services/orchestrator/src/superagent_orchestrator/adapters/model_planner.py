"""The planner that asks a model, and falls back to the rules (PLAN-3, PLAN-9)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from opentelemetry import trace

from superagent_common.errors import Unavailable
from superagent_common.llm import MODEL_FAILURES, SAID_NOTHING, LanguageModel, ModelRequest
from superagent_orchestrator.domain.planning.model_plan import fallen_back, plan_by_model
from superagent_orchestrator.domain.planning.proposal import PlanDraft, PlanningInput, PlanningUsage
from superagent_orchestrator.domain.planning.reply import BadReply, ProposedPlan, read_reply
from superagent_orchestrator.domain.planning.rules import plan_by_rules, remembered
from superagent_orchestrator.domain.planning.shown import shown
from superagent_orchestrator.prompts import PlanningPrompt

# One call plans; one is left for the answer.
_FEWEST_CALLS = 2


class ModelPlanner:
    """`Planner` over a language model. What the rules are sure of costs no call.

    An answer that is no plan is sent back once with what is wrong with it. After that, and when the model fails or
    `seconds` have passed, the rules' plan is taken and says why in `fallback_cause`: `invalid_model_plan`,
    `planning_deadline`, `model_call_budget`, or the reason of the model's failure.
    """

    def __init__(self, model: LanguageModel, prompt: PlanningPrompt, *, seconds: float) -> None:
        self._model = model
        self._prompt = prompt
        self._seconds = seconds

    async def plan(self, planning: PlanningInput) -> PlanDraft:
        ruled = plan_by_rules(planning)
        if ruled.sure:
            return ruled
        if planning.budget.model_calls < _FEWEST_CALLS:
            return fallen_back(ruled, "model_call_budget", "", PlanningUsage())
        trace.get_current_span().set_attribute("superagent.prompt.plan", self._prompt.content_hash)
        planning = remembered(planning)
        calls = _Calls(self._model, planning.budget.model_calls - 1)
        try:
            async with asyncio.timeout(self._seconds):
                proposed = await self._proposed(calls, self._prompt.request(shown(planning, ruled.original_question)))
        except BadReply as fault:
            return fallen_back(ruled, "invalid_model_plan", str(fault), calls.usage)
        except TimeoutError:
            return fallen_back(ruled, "planning_deadline", f"{self._seconds:g} s", calls.usage)
        except MODEL_FAILURES as failure:
            return fallen_back(ruled, failure.reason, failure.message, calls.usage)
        return plan_by_model(planning, ruled, proposed, calls.usage)

    async def _proposed(self, calls: _Calls, request: ModelRequest) -> ProposedPlan:
        answer = await calls.complete(request)
        try:
            return read_reply(answer, self._prompt.schema)
        except BadReply as fault:
            if not calls.left:
                raise
            repaired = await calls.complete(self._prompt.repair(request, answer, str(fault)))
        return read_reply(repaired, self._prompt.schema)


class _Calls:
    """The calls of one planning, at most `most` of them, and what they have used; one that fails counts too."""

    def __init__(self, model: LanguageModel, most: int) -> None:
        self._model = model
        self._most = most
        self.usage = PlanningUsage(model=model.name)

    @property
    def left(self) -> bool:
        return self.usage.model_calls < self._most

    async def complete(self, request: ModelRequest) -> str:
        self.usage = replace(self.usage, model_calls=self.usage.model_calls + 1)
        try:
            answer = await self._model.complete(request)
        except Unavailable as failure:
            if failure.reason != SAID_NOTHING:
                raise
            return ""  # a bad answer like another: it may be mended
        if used := answer.usage:
            self.usage = replace(
                self.usage,
                model=used.model,
                input_tokens=self.usage.input_tokens + used.input_tokens,
                output_tokens=self.usage.output_tokens + used.output_tokens,
                cost=self.usage.cost + (used.cost or 0.0),
            )
        return answer.text
