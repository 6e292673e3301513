"""Evidence-bound answers (EXEC-2): find, number, answer, cite, suggest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

from opentelemetry.trace import Tracer

from superagent_agent_executor.domain import follow_ups
from superagent_agent_executor.domain.citations import CitationChecker
from superagent_agent_executor.domain.events import (
    Answered,
    Degraded,
    Delta,
    ExecutionEvent,
    FollowUps,
    Sources,
    Thinking,
)
from superagent_agent_executor.domain.evidence import (
    Finding,
    Passage,
    number_evidence,
    passages_by_number,
    worst_mode,
)
from superagent_agent_executor.domain.extract import extractive_answer
from superagent_agent_executor.domain.plan import Plan, SubQuestion
from superagent_agent_executor.domain.texts import say
from superagent_agent_executor.executors.answering import Run, stream_answer
from superagent_agent_executor.executors.direct import answer_directly
from superagent_agent_executor.executors.stages import RunningStage
from superagent_agent_executor.ports import Evidence
from superagent_agent_executor.prompts import Prompts
from superagent_common.errors import Timeout, Unavailable
from superagent_common.llm import MODEL_FAILURES, LanguageModel

_HINT_CHARACTERS = 200


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
        self._evidence = evidence
        self._model = model
        self._prompts = prompts
        self._tracer = tracer
        self._clock = clock

    async def run(self, plan: Plan) -> AsyncIterator[ExecutionEvent]:
        """Raises Unavailable when the model breaks off after its first words; what was said has been yielded."""
        run = Run()
        stage = RunningStage("retrieve", self._tracer, self._clock)
        yield stage.started
        findings = number_evidence(await self._find_all(plan))
        yield stage.end({"questions": [_searched(finding) for finding in findings]}, failed=_all_failed(findings))
        if _all_failed(findings):
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
        yield stage.end({"executor": "rag", "model": run.usage.model or "extractive", "cited": list(citations.cited)})
        cited = citations.cited or sorted(passages)
        yield Sources(tuple(passages[number] for number in sorted(cited)), mode)
        yield run.usage
        yield Answered(run.finish_reason)

        stage = RunningStage("follow_ups", self._tracer, self._clock)
        yield stage.started
        questions, by = await self._suggest(plan, findings, [passages[number] for number in sorted(cited)], run)
        yield FollowUps(questions)
        yield stage.end({"by": by, "questions": len(questions)})
        if by == "model":
            yield run.usage

    async def _find_all(self, plan: Plan) -> list[Finding]:
        several = len(plan.sub_questions) > 1
        chars = plan.budget.evidence_chars_per_question if several else plan.budget.evidence_chars
        hint = plan.recent_turns[-1].question[:_HINT_CHARACTERS] if plan.recent_turns else ""

        async def find(question: SubQuestion) -> Finding:
            try:
                found = await self._evidence.find(question, chars, hint)
                if found.passages or not question.domains or question.domains_requested:
                    return found
                # PLAN-6: the planner's guess at the domains must not cost the answer.
                wide = await self._evidence.find(replace(question, domains=()), chars, hint)
                return replace(wide, widened=True)
            except (Unavailable, Timeout) as error:
                return Finding(question, failure=error.reason)

        return list(await asyncio.gather(*map(find, plan.sub_questions)))

    async def _answer(
        self, plan: Plan, findings: Sequence[Finding], citations: CitationChecker, run: Run
    ) -> AsyncIterator[ExecutionEvent]:
        if self._model is None:
            yield Degraded("extractive", "no_model_configured")
        else:
            spoke = False
            try:
                async for event in stream_answer(self._model, self._prompts.rag(plan, findings), citations, run):
                    spoke = spoke or isinstance(event, Delta | Thinking)
                    yield event
                return
            except MODEL_FAILURES as error:
                if spoke:
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

    async def _suggest(
        self, plan: Plan, findings: Sequence[Finding], cited: Sequence[Passage], run: Run
    ) -> tuple[tuple[str, ...], str]:
        if self._model is not None and run.usage.model:
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
        return follow_ups.suggest(cited, plan.question, plan.language), "rules"


def _all_failed(findings: Sequence[Finding]) -> bool:
    return all(finding.failure for finding in findings)


def _searched(finding: Finding) -> dict[str, str | int | list[str]]:
    return {
        "question": finding.question.text,
        "domains": list(finding.question.domains),
        "retrieval_mode": finding.mode,
        "passages": len(finding.passages),
        "widened": finding.widened,
        "failure": finding.failure,
    }


def _no_evidence(plan: Plan) -> str:
    lines = [
        say("no_evidence", plan.language),
        say("searched", plan.language, questions=" / ".join(question.text for question in plan.sub_questions)),
    ]
    domains = dict.fromkeys(domain for question in plan.sub_questions for domain in question.domains)
    if domains:
        lines.append(say("searched_in", plan.language, domains=", ".join(domains)))
    return "\n\n".join(lines)
