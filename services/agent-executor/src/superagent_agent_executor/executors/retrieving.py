"""Evidence for a plan's sub-questions: independent ones at once, dependent ones behind what they need (PLAN-13)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from opentelemetry.trace import Tracer

from superagent_agent_executor.domain.dependencies import completed_by_words, usable_completion, waves
from superagent_agent_executor.domain.events import Json, Stage
from superagent_agent_executor.domain.evidence import Finding, Hints
from superagent_agent_executor.domain.plan import Plan, SubQuestion
from superagent_agent_executor.executors.answering import Run
from superagent_agent_executor.executors.searching import hints, search
from superagent_agent_executor.executors.stages import RunningStage
from superagent_agent_executor.ports import Evidence
from superagent_agent_executor.prompts import Prompts
from superagent_common.errors import Timeout, Unavailable
from superagent_common.llm import MODEL_FAILURES, LanguageModel


@dataclass(frozen=True, slots=True)
class _Search:
    """What to search by; `text` is empty when it is the question's own."""

    question: SubQuestion
    text: str = ""
    by: Literal["", "model", "words"] = ""


class Retriever:
    """One stage `retrieve` per wave; its detail says what was searched by and why."""

    def __init__(
        self,
        evidence: Evidence,
        model: LanguageModel | None,
        prompts: Prompts,
        tracer: Tracer,
        clock: Callable[[], int],
    ) -> None:
        self._evidence = evidence
        self._model = model
        self._prompts = prompts
        self._tracer = tracer
        self._clock = clock

    async def run(self, plan: Plan, run: Run, findings: list[Finding]) -> AsyncIterator[Stage]:
        """Fills `findings`, one per sub-question in the plan's order; never fails for a search that did."""
        several = len(plan.sub_questions) > 1
        characters = plan.budget.evidence_chars_per_question if several else plan.budget.evidence_chars
        about = hints(plan, self._prompts.chosen_skills(plan))
        found: dict[int, Finding] = {}
        for wave in waves(plan.sub_questions):
            stage = RunningStage("retrieve", self._tracer, self._clock)
            yield stage.started
            searches = await asyncio.gather(*(self._prepare(question, found, plan, run) for question in wave))
            results = await asyncio.gather(*(self._find(each, characters, about) for each in searches))
            found |= {result.question.index: result for result in results}
            detail: dict[str, Json] = {"questions": [_detail(*pair) for pair in zip(searches, results, strict=True)]}
            yield stage.end(detail, "failed" if all(result.failure for result in results) else "completed")
        findings.extend(found[question.index] for question in plan.sub_questions)

    async def _prepare(self, question: SubQuestion, found: dict[int, Finding], plan: Plan, run: Run) -> _Search:
        earlier = [found[index] for index in question.depends_on if index in found]
        if not earlier:
            return _Search(question)
        if completed := await self._completed_by_model(question, earlier, plan, run):
            return _Search(question, completed, "model")
        return _Search(question, completed_by_words(question, earlier), "words")

    async def _completed_by_model(self, question: SubQuestion, earlier: Sequence[Finding], plan: Plan, run: Run) -> str:
        """Empty when there is no model, it may not be asked, or it gave nothing that can be used."""
        # One call is kept for the answer.
        may_ask = run.usage.model_calls + 1 < plan.budget.model_calls
        if self._model is None or not may_ask or not any(finding.passages for finding in earlier):
            return ""
        run.count_call()
        try:
            answer = await self._model.complete(self._prompts.complete_question(question, earlier))
        except MODEL_FAILURES:
            return ""
        if answer.usage:
            run.add(answer.usage)
        return usable_completion(self._prompts.read_completion(answer.text), question)

    async def _find(self, asked: _Search, characters: int, about: Hints) -> Finding:
        question = asked.question
        try:
            found = await search(self._evidence, replace(question, text=asked.text or question.text), characters, about)
        except (Unavailable, Timeout) as error:
            return Finding(question, failure=error.reason, searched=asked.text)
        return replace(found, question=question, searched=asked.text)


def _detail(asked: _Search, finding: Finding) -> dict[str, Json]:
    detail: dict[str, Json] = {
        "question": finding.question.text,
        "domains": list(finding.question.domains),
        "retrieval_mode": finding.mode,
        "passages": len(finding.passages),
        "widened": finding.widened,
        "failure": finding.failure,
    }
    if finding.question.depends_on:
        detail["depends_on"] = list(finding.question.depends_on)
        detail["searched"] = asked.text or finding.question.text
        detail["completed_by"] = asked.by
    return detail
