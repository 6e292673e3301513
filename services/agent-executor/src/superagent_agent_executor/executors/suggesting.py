"""Follow-up questions: by the model that answered, else by rules (EXEC-2)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

from opentelemetry.trace import Tracer

from superagent_agent_executor.domain import follow_ups
from superagent_agent_executor.domain.events import ExecutionEvent, FollowUps
from superagent_agent_executor.domain.evidence import Finding, Passage
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.executors.answering import Run
from superagent_agent_executor.executors.stages import RunningStage
from superagent_agent_executor.prompts import Prompts
from superagent_common.llm import MODEL_FAILURES, LanguageModel


class Suggester:
    """The stage `follow_ups`."""

    def __init__(self, model: LanguageModel | None, prompts: Prompts, tracer: Tracer, clock: Callable[[], int]) -> None:
        self._model = model
        self._prompts = prompts
        self._tracer = tracer
        self._clock = clock

    async def run(
        self, plan: Plan, findings: Sequence[Finding], cited: Sequence[Passage], run: Run
    ) -> AsyncIterator[ExecutionEvent]:
        """Never fails."""
        stage = RunningStage("follow_ups", self._tracer, self._clock)
        yield stage.started
        before = run.usage
        questions, by = await self._suggest(plan, findings, cited, run)
        yield FollowUps(questions)
        yield stage.end({"by": by, "questions": len(questions)})
        if run.usage != before:
            yield run.usage

    async def _suggest(
        self, plan: Plan, findings: Sequence[Finding], cited: Sequence[Passage], run: Run
    ) -> tuple[tuple[str, ...], str]:
        may_ask = run.usage.model and run.usage.model_calls < plan.budget.model_calls
        if self._model is not None and may_ask:
            try:
                run.count_call()
                answer = await self._model.complete(self._prompts.follow_ups(plan, findings))
            except MODEL_FAILURES:
                pass  # the rules below speak instead, and the stage says so
            else:
                if answer.usage:
                    run.add(answer.usage)
                if questions := follow_ups.clean(self._prompts.read_follow_ups(answer.text)):
                    return questions, "model"
        documents = {passage.document_id for passage in cited}
        near = [each for finding in findings for each in finding.passages if each.document_id in documents]
        return follow_ups.suggest([*cited, *near], plan.question, plan.language), "rules"
