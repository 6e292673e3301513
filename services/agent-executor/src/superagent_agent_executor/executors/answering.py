"""Streams a model's answer: deltas joined, citations checked, usage added up."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace

from superagent_agent_executor.domain.citations import CitationChecker
from superagent_agent_executor.domain.events import (
    Calling,
    Degraded,
    Delta,
    ExecutionEvent,
    FinishReason,
    Json,
    Queued,
    Thinking,
    Usage,
)
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.prompts import Prompts
from superagent_common import llm
from superagent_common.errors import Unavailable

# Twice what a token holds in any language, so that only a model that ignores its limit reaches this one.
_CHARACTERS_PER_TOKEN = 10


class Run:
    """What a run adds up while it goes on."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.finish_reason: FinishReason = "stop"
        self.backup_told = False

    def add(self, used: llm.Usage, *, answering: bool = False) -> None:
        """Adds one call's tokens and cost; the run is said to be by the model that answers."""
        self.usage = self.usage_with(used, answering=answering)

    def usage_with(self, used: llm.Usage, *, answering: bool) -> Usage:
        """What it would be."""
        return replace(
            self.usage,
            model=used.model if answering else self.usage.model,
            input_tokens=self.usage.input_tokens + used.input_tokens,
            output_tokens=self.usage.output_tokens + used.output_tokens,
            cost=self.usage.cost + (used.cost or 0.0),
            estimated=self.usage.estimated or used.estimated,
        )

    def count_call(self) -> None:
        self.usage = replace(self.usage, model_calls=self.usage.model_calls + 1)

    def count_tools(self, calls: int) -> None:
        """`calls`: of the whole run so far."""
        self.usage = replace(self.usage, tool_calls=calls)


class Reply:
    """What one call of the model said, and its reasoning, filled in while it streams."""

    def __init__(self) -> None:
        self.text = ""
        """As the model wrote it, citations unchecked."""
        self.thought = ""
        self.tool_calls: list[llm.ToolCall] = []
        self.spoke = False
        """Something was shown: words or reasoning."""
        self.said = False
        """Words were shown."""


async def stream_reply(
    model: llm.LanguageModel, request: llm.ModelRequest, citations: CitationChecker, run: Run, reply: Reply
) -> AsyncGenerator[ExecutionEvent, None]:
    """Events of one streamed call; its tool calls are left in `reply`.

    Raises the failures of `superagent_common.llm.MODEL_FAILURES`. A reply with neither a word to show nor a tool call is
    one, too: Unavailable(model_said_nothing). A model that talks on beyond the request's limit is left, as if it had
    kept to it.
    """
    run.count_call()
    run.finish_reason = "stop"
    begun: llm.Usage | None = None
    left = None if request.max_output_tokens is None else request.max_output_tokens * _CHARACTERS_PER_TOKEN
    try:
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                if left is not None and isinstance(event, llm.TextDelta | llm.ThinkingDelta):
                    event = replace(event, text=event.text[:left]) if len(event.text) > left else event
                    left -= len(event.text)
                match event:
                    case llm.TextDelta(text):
                        reply.text += text
                        for shown in _shown(citations.feed(text), reply):
                            yield shown
                    case llm.ThinkingDelta(text):
                        reply.thought += text
                        reply.spoke = True
                        yield Thinking(text)
                    case llm.ToolCall():
                        reply.tool_calls.append(event)
                    case llm.Begun(usage):
                        begun = usage
                        yield Calling(run.usage_with(usage, answering=True))
                    case llm.Usage():
                        run.add(event, answering=True)
                    case llm.Queued(position, name):
                        yield Queued(position, name)
                    case llm.Degraded(tier="backup", reason=reason) if not run.backup_told:
                        run.backup_told = True
                        yield Degraded("backup_model", reason)
                    case llm.Finished(reason="length" | "content_filter" as reason):
                        run.finish_reason = reason
                if left == 0:
                    run.finish_reason = "length"
                    if begun:
                        said = round(llm.estimated_tokens(reply.text) + llm.estimated_tokens(reply.thought))
                        run.add(replace(begun, output_tokens=said), answering=True)
                    break
    except llm.MODEL_FAILURES:
        # A whole marker that waited for what follows it belongs to what was said; half of one does not.
        if reply.said and (rest := citations.finish()).endswith("]"):
            yield Delta(rest)
        raise
    for shown in _shown(citations.finish(), reply):
        yield shown
    if not (reply.said or reply.tool_calls):
        raise Unavailable("model_said_nothing", "The model gave an empty answer.")


def leaves_no_answer(error: Exception, reply: Reply) -> bool:
    """Whether nothing may answer in the model's place: it has begun to speak, or it is only busy (EXEC-8)."""
    return reply.spoke or getattr(error, "reason", "") == llm.QUEUE_FULL


def _shown(text: str, reply: Reply) -> Iterator[Delta]:
    """Nothing before the first word: blanks alone are no answer."""
    if reply.said or text.strip():
        reply.spoke = reply.said = True
        if text:
            yield Delta(text)


def skill_detail(prompts: Prompts, plan: Plan) -> dict[str, Json]:
    """What a stage says of the skills: those in the prompt, and those the plan names that are not there."""
    if not plan.skills:
        return {}
    applied = [skill.code for skill in prompts.chosen_skills(plan)]
    missing = [code for code in plan.skills if code not in applied]
    return {"skills": list(applied), **({"unknown_skills": list(missing)} if missing else {})}
