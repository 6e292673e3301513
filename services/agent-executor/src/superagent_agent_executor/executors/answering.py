"""Streams a model's answer: deltas joined, citations checked, usage added up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

from superagent_agent_executor.domain.citations import CitationChecker
from superagent_agent_executor.domain.events import Degraded, Delta, ExecutionEvent, FinishReason, Thinking, Usage
from superagent_common import llm
from superagent_common.errors import Unavailable


class Run:
    """What a run adds up while it goes on."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.finish_reason: FinishReason = "stop"

    def add(self, used: llm.Usage) -> None:
        """Adds one call's tokens and cost."""
        self.usage = replace(
            self.usage,
            model=used.model,
            input_tokens=self.usage.input_tokens + used.input_tokens,
            output_tokens=self.usage.output_tokens + used.output_tokens,
            cost=self.usage.cost + (used.cost or 0.0),
        )

    def count_call(self) -> None:
        self.usage = replace(self.usage, model_calls=self.usage.model_calls + 1)


async def stream_answer(
    model: llm.LanguageModel, request: llm.ModelRequest, citations: CitationChecker, run: Run
) -> AsyncIterator[ExecutionEvent]:
    """Events of one streamed call. Raises the failures of `superagent_common.llm.MODEL_FAILURES`.

    An answer without a word to show is such a failure, too: Unavailable(model_said_nothing).
    """
    run.count_call()
    said_something = False
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            match event:
                case llm.TextDelta(text):
                    if shown := citations.feed(text):
                        said_something = said_something or bool(shown.strip())
                        yield Delta(shown)
                case llm.ThinkingDelta(text):
                    yield Thinking(text)
                case llm.Usage():
                    run.add(event)
                case llm.Degraded(tier="backup", reason=reason):
                    yield Degraded("backup_model", reason)
                case llm.Finished(reason="length"):
                    run.finish_reason = "length"
    if rest := citations.finish():
        said_something = said_something or bool(rest.strip())
        yield Delta(rest)
    if not said_something:
        raise Unavailable("model_said_nothing", "The model gave an empty answer.")
