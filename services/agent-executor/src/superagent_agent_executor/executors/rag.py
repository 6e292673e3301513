"""Evidence-bound answers (EXEC-2): find, number, answer, cite, suggest."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing

from opentelemetry.trace import Tracer

from superagent_agent_executor.domain.citations import CitationChecker
from superagent_agent_executor.domain.events import Answered, Degraded, Delta, ExecutionEvent, Json, Sources
from superagent_agent_executor.domain.evidence import Finding, number_evidence, passages_by_number, worst_mode
from superagent_agent_executor.domain.extract import extractive_answer
from superagent_agent_executor.domain.nothing_found import nothing_found, nothing_found_for
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.domain.texts import say
from superagent_agent_executor.executors.answering import (
    Reply,
    Run,
    leaves_no_answer,
    skill_detail,
    stream_reply,
)
from superagent_agent_executor.executors.direct import answer_directly
from superagent_agent_executor.executors.retrieving import Retriever
from superagent_agent_executor.executors.stages import RunningStage
from superagent_agent_executor.executors.suggesting import Suggester
from superagent_agent_executor.ports import Evidence
from superagent_agent_executor.prompts import Prompts
from superagent_common.llm import MODEL_FAILURES, Models


class RagExecutor:
    """Answers from evidence, by the model when there is one and by quoting when there is none."""

    def __init__(
        self,
        evidence: Evidence,
        models: Models,
        prompts: Prompts,
        tracer: Tracer,
        clock: Callable[[], int],
    ) -> None:
        self._retriever = Retriever(evidence, models.small, prompts, tracer, clock)
        self._suggester = Suggester(models.small, prompts, tracer, clock)
        self._model = models.answering
        self._prompts = prompts
        self._tracer = tracer
        self._clock = clock

    async def run(self, plan: Plan) -> AsyncIterator[ExecutionEvent]:
        """Raises Unavailable when the model breaks off after its first words; what was said has been yielded."""
        run = Run()
        found: list[Finding] = []
        async for stage_event in self._retriever.run(plan, run, found):
            yield stage_event
        findings = number_evidence(found)
        if all(finding.failure for finding in findings):
            async with aclosing(self._without_knowledge(plan, findings[0].failure, run)) as events:
                async for event in events:
                    yield event
            return
        mode = worst_mode(findings)
        if mode == "text_only" or mode == "vector_only":
            yield Degraded(mode, "channel_down")
        if not any(finding.passages for finding in findings):
            yield Delta(nothing_found(findings, plan.language))
            yield Sources((), mode)
            yield run.usage
            yield Answered("no_evidence")
            return

        passages = passages_by_number(findings)
        citations = CitationChecker(passages.keys())
        with RunningStage("execute", self._tracer, self._clock) as stage:
            yield stage.started
            try:
                async with aclosing(self._answer(plan, findings, citations, run)) as events:
                    async for event in events:
                        yield event
            except MODEL_FAILURES as error:
                yield stage.broken(error, self._detail(plan, citations, run))
                yield run.usage
                raise
            yield stage.end(self._detail(plan, citations, run))
        cited = [passages[number] for number in sorted(citations.cited or passages)]
        yield Sources(tuple(cited), mode)
        yield run.usage
        yield Answered(run.finish_reason)
        async for event in self._suggester.run(plan, findings, cited, run):
            yield event

    def _detail(self, plan: Plan, citations: CitationChecker, run: Run) -> dict[str, Json]:
        return {
            "executor": "rag",
            "model": run.usage.model or "extractive",
            "cited": list(citations.cited),
            **skill_detail(self._prompts, plan),
        }

    async def _answer(
        self, plan: Plan, findings: Sequence[Finding], citations: CitationChecker, run: Run
    ) -> AsyncGenerator[ExecutionEvent, None]:
        if self._model is None:
            yield Degraded("extractive", "no_model_configured")
        else:
            reply = Reply()
            request = self._prompts.rag(plan, findings)
            try:
                async with aclosing(stream_reply(self._model, request, citations, run, reply)) as events:
                    async for event in events:
                        yield event
            except MODEL_FAILURES as error:
                if leaves_no_answer(error, reply):
                    raise
                yield Degraded("extractive", error.reason)
            else:
                for finding in findings:
                    if not finding.passages:
                        yield Delta("\n\n" + nothing_found_for(finding, plan.language))
                return
        for piece, number in extractive_answer(findings, plan.language):
            citations.cite(number)
            yield Delta(piece)

    async def _without_knowledge(self, plan: Plan, reason: str, run: Run) -> AsyncGenerator[ExecutionEvent, None]:
        """EXEC-5: both channels down, so the model alone, and marked as such."""
        yield Degraded("no_retrieval", reason)
        yield Delta(say("knowledge_unavailable", plan.language))
        if self._model is not None:
            yield Delta("\n\n")
            with RunningStage("execute", self._tracer, self._clock) as stage:
                yield stage.started
                try:
                    async with aclosing(answer_directly(self._model, self._prompts.direct(plan), plan, run)) as events:
                        async for event in events:
                            yield event
                except MODEL_FAILURES as error:
                    yield stage.broken(error, {"executor": "rag", "model": run.usage.model})
                    yield run.usage
                    raise
                yield stage.end({"executor": "rag", "model": run.usage.model, **skill_detail(self._prompts, plan)})
        yield Sources((), "none")
        yield run.usage
        yield Answered(run.finish_reason)
