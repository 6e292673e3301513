"""Answers that need no knowledge (EXEC-7), and the question back (EXEC-1)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

from opentelemetry.trace import Tracer

from superagent_agent_executor.domain.citations import CitationChecker
from superagent_agent_executor.domain.events import Answered, Clarify, Degraded, Delta, ExecutionEvent
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.domain.texts import say, small_talk
from superagent_agent_executor.executors.answering import (
    Reply,
    Run,
    leaves_no_answer,
    skill_detail,
    stream_reply,
)
from superagent_agent_executor.executors.stages import RunningStage
from superagent_agent_executor.prompts import Prompts
from superagent_common.llm import MODEL_FAILURES, LanguageModel, ModelRequest, Models


class DirectExecutor:
    """The model without knowledge or tools; says so plainly when there is none."""

    def __init__(self, models: Models, prompts: Prompts, tracer: Tracer, clock: Callable[[], int]) -> None:
        self._model = models.answering
        self._prompts = prompts
        self._tracer = tracer
        self._clock = clock

    async def run(self, plan: Plan) -> AsyncIterator[ExecutionEvent]:
        """Raises Unavailable when the model breaks off after its first words; what was said has been yielded."""
        run = Run()
        with RunningStage("execute", self._tracer, self._clock) as stage:
            yield stage.started
            if plan.small_talk:
                yield Delta(small_talk(plan.small_talk, plan.language))
            elif self._model is None:
                yield Degraded("no_model", "no_model_configured")
                yield Delta(say("no_model", plan.language))
            else:
                try:
                    async with aclosing(answer_directly(self._model, self._prompts.direct(plan), plan, run)) as events:
                        async for event in events:
                            yield event
                except MODEL_FAILURES as error:
                    yield stage.broken(error, {"executor": "direct", "model": run.usage.model})
                    yield run.usage
                    raise
            yield stage.end({"executor": "direct", "model": run.usage.model, **skill_detail(self._prompts, plan)})
        yield run.usage
        yield Answered(run.finish_reason)


async def answer_directly(
    model: LanguageModel, request: ModelRequest, plan: Plan, run: Run
) -> AsyncGenerator[ExecutionEvent, None]:
    """The model alone; without evidence every citation is an invention, so none gets through."""
    reply = Reply()
    try:
        async with aclosing(stream_reply(model, request, CitationChecker(frozenset()), run, reply)) as events:
            async for event in events:
                yield event
    except MODEL_FAILURES as error:
        if leaves_no_answer(error, reply):
            raise
        yield Degraded("no_model", error.reason)
        yield Delta(say("model_down", plan.language))


class ClarifyExecutor:
    """Asks the plan's question, with its choices for the page to draw as buttons."""

    async def run(self, plan: Plan) -> AsyncIterator[ExecutionEvent]:
        """Never fails."""
        yield Delta(plan.clarify_question)
        yield Clarify(plan.clarify_question, plan.clarify_choices)
        yield Answered("clarify")
