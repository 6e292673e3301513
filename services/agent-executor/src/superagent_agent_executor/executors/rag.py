"""Evidence-bound answers (EXEC-2): find, number, answer, cite, suggest."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

from opentelemetry.trace import Tracer

from superagent_agent_executor.domain.citations import CitationChecker
from superagent_agent_executor.domain.events import Answered, Degraded, Delta, ExecutionEvent, Sources
from superagent_agent_executor.domain.evidence import Finding, number_evidence, passages_by_number, worst_mode
from superagent_agent_executor.domain.extract import extractive_answer
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.domain.texts import say
from superagent_agent_executor.executors.answering import Reply, Run, skill_detail, stream_reply
from superagent_agent_executor.executors.direct import answer_directly
from superagent_agent_executor.executors.retrieving import Retriever
from superagent_agent_executor.executors.stages import RunningStage
from superagent_agent_executor.executors.suggesting import Suggester
from superagent_agent_executor.ports import Evidence
from superagent_agent_executor.prompts import Prompts
from superagent_common.llm import MODEL_FAILURES, LanguageModel


class RagExecutor:
    """Answers from evidence, by the model when there is one and by quoting when there is none."""

    def __init__(
        self,
        evidence: Evidence,
        model: LanguageModel | None,
        prompts: Prompts,
        tracer: Tracer,
        clock: Callable[[], int],
    ) -> None:
        self._retriever = Retriever(evidence, model, prompts, tracer, clock)
        self._suggester = Suggester(model, prompts, tracer, clock)
        self._model = model
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
            async for event in self._without_knowledge(plan, findings[0].failure, run):
                yield event
            return
        mode = worst_mode(findings)
        if mode in ("text_only", "vector_only"):
            yield Degraded(mode, "channel_down")
        if mode == "none":
            yield Delta(_no_evidence(plan))
            yield Sources((), "none")
            yield run.usage
            yield Answered("no_evidence")
            return

        passages = passages_by_number(findings)
        citations = CitationChecker(passages.keys())
        stage = RunningStage("execute", self._tracer, self._clock)
        yield stage.started
        async for event in self._answer(plan, findings, citations, run):
            yield event
        yield stage.end(
            {
                "executor": "rag",
                "model": run.usage.model or "extractive",
                "cited": list(citations.cited),
                **skill_detail(self._prompts, plan),
            }
        )
        cited = [passages[number] for number in sorted(citations.cited or passages)]
        yield Sources(tuple(cited), mode)
        yield run.usage
        yield Answered(run.finish_reason)
        async for event in self._suggester.run(plan, findings, cited, run):
            yield event

    async def _answer(
        self, plan: Plan, findings: Sequence[Finding], citations: CitationChecker, run: Run
    ) -> AsyncIterator[ExecutionEvent]:
        if self._model is None:
            yield Degraded("extractive", "no_model_configured")
        else:
            reply = Reply()
            try:
                async for event in stream_reply(self._model, self._prompts.rag(plan, findings), citations, run, reply):
                    yield event
                return
            except MODEL_FAILURES as error:
                if reply.spoke:
                    raise
                yield Degraded("extractive", error.reason)
        for piece in extractive_answer(findings, plan.language):
            if shown := citations.feed(piece):
                yield Delta(shown)
        if rest := citations.finish():
            yield Delta(rest)

    async def _without_knowledge(self, plan: Plan, reason: str, run: Run) -> AsyncIterator[ExecutionEvent]:
        """EXEC-5: both channels down, so the model alone, and marked as such."""
        yield Degraded("no_retrieval", reason)
        yield Delta(say("knowledge_unavailable", plan.language))
        if self._model is not None:
            yield Delta("\n\n")
            async for event in answer_directly(self._model, self._prompts.direct(plan), plan, run):
                yield event
        yield Sources((), "none")
        yield run.usage
        yield Answered(run.finish_reason)


def _no_evidence(plan: Plan) -> str:
    lines = [
        say("no_evidence", plan.language),
        say("searched", plan.language, questions=" / ".join(question.text for question in plan.sub_questions)),
    ]
    domains = dict.fromkeys(domain for question in plan.sub_questions for domain in question.domains)
    if domains:
        lines.append(say("searched_in", plan.language, domains=", ".join(domains)))
    return "\n\n".join(lines)
