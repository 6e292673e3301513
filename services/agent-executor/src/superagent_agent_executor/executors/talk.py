"""The conversation between a model and its tools, until there is an answer or a limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import TypeVar

from superagent_agent_executor.domain.agent_run import AgentRun, Limit
from superagent_agent_executor.domain.citations import CitationChecker
from superagent_agent_executor.domain.events import Degraded, Delta, ExecutionEvent, Json
from superagent_agent_executor.domain.evidence import EvidenceLog, Finding
from superagent_agent_executor.domain.extract import extractive_answer
from superagent_agent_executor.domain.plan import Plan, SubQuestion
from superagent_agent_executor.domain.texts import say
from superagent_agent_executor.domain.tool_texts import say_tool
from superagent_agent_executor.domain.tools import KNOWLEDGE_SEARCH, ToolContext, ToolOutcome, read_request
from superagent_agent_executor.executors.answering import Reply, Run, leaves_no_answer, stream_reply
from superagent_agent_executor.executors.searching import hints
from superagent_agent_executor.executors.tool_round import ToolRound
from superagent_agent_executor.prompts import Prompts
from superagent_agent_executor.prompts.rendering import tool_result
from superagent_common import llm
from superagent_common.llm import MODEL_FAILURES, LanguageModel, Message

_T = TypeVar("_T")

_ANSWER_SHARE = 0.25
_ANSWER_SECONDS = 30.0
"""Kept for the last answer: this, or a quarter of the run where that is less."""
_END_SHARE = 0.1
_END_SECONDS = 1.0
"""Kept for saying that the time is over, before whoever asked gives up: this, or a tenth of the run."""


class Talk:
    """One run's conversation between model and tools."""

    def __init__(
        self,
        model: LanguageModel,
        tools: ToolRound,
        prompts: Prompts,
        plan: Plan,
        agent: AgentRun,
        domains: tuple[str, ...],
        run: Run,
        seconds: float,
    ) -> None:
        self._model = model
        self._tools = tools
        self._plan = plan
        self._agent = agent
        self._run = run
        self._ends = time.monotonic() + seconds - min(_END_SECONDS, _END_SHARE * seconds)
        self._answer_by = self._ends - min(_ANSWER_SECONDS, _ANSWER_SHARE * seconds)
        self._request = prompts.agent(plan, _as_offered(agent))
        self._messages = list(self._request.messages)
        self._told: set[str] = set()
        self._said = False
        self.evidence = EvidenceLog(plan.budget.evidence_chars)
        self._context = ToolContext(plan, self.evidence, domains, hints(plan, prompts.chosen_skills(plan)))
        self.citations = CitationChecker(self.evidence.passages.keys())

    @property
    def limit(self) -> Limit | None:
        """The limit that ended the run, if one did."""
        return self._agent.limit

    @property
    def searched(self) -> bool:
        """Whether the knowledge base answered."""
        requests = self._agent.requests
        return any(
            requests[call].name == KNOWLEDGE_SEARCH and outcome.ok for call, outcome in self._agent.outcomes.items()
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All passages as found for the question."""
        question = SubQuestion(1, self._plan.question)
        return (Finding(question, tuple(self.evidence.passages.values()), self.evidence.mode),)

    def detail(self) -> dict[str, Json]:
        """What the stage says of the run."""
        budget, agent = self._plan.budget, self._agent
        return {
            "executor": "react",
            "model": self._run.usage.model,
            "model_calls": self._run.usage.model_calls,
            "tool_rounds": agent.rounds,
            "tool_calls": agent.calls,
            "limits": {
                "model_calls": budget.model_calls,
                "tool_rounds": budget.tool_rounds,
                "tool_calls": budget.tool_calls,
                "seconds": budget.deadline_ms / 1000,
            },
            "limit": agent.limit or "",
            "tools": [spec.name for spec in agent.offered],
            "withdrawn": dict(agent.withdrawn),
            "cited": list(self.citations.cited),
        }

    async def events(self) -> AsyncGenerator[ExecutionEvent, None]:
        """Ends when the model answered, a limit was reached and said, or the model failed and something else was said."""
        while self._agent.may_ask(self._run.usage.model_calls):
            if time.monotonic() >= self._answer_by:
                self._agent.reach("deadline")
            reply = Reply()
            try:
                async with aclosing(_until(self._ends, self._ask(reply))) as events:
                    async for event in events:
                        yield event
            except (TimeoutError, *MODEL_FAILURES) as error:
                if isinstance(error, TimeoutError):
                    self._agent.reach("deadline")
                elif leaves_no_answer(error, reply) and (reply.spoke or not self._agent.outcomes):
                    raise
                if not reply.said:
                    for event in self._without_words(getattr(error, "reason", "deadline")):
                        yield event
                break
            if not reply.tool_calls:
                break
            if self._agent.limit:
                # It was told to answer and calls on: what it said so far has to do.
                if not reply.said:
                    for event in self._without_words("limit_reached"):
                        yield event
                break
            async with aclosing(self._round(reply)) as events:
                async for event in events:
                    yield event
        if self._agent.limit:
            said = say("limit_reached" if self._said else "limit_unanswered", self._plan.language, limit=self._limit())
            yield Delta(f"\n\n{said}" if self._said else said)

    async def _ask(self, reply: Reply) -> AsyncGenerator[ExecutionEvent, None]:
        request = replace(
            self._request,
            messages=tuple(self._messages),
            tools=_as_offered(self._agent),
            tool_choice="none" if self._agent.limit else "auto",
        )
        said_before = self._said
        async with aclosing(stream_reply(self._model, request, self.citations, self._run, reply)) as events:
            async for event in events:
                if isinstance(event, Delta):
                    if said_before:
                        said_before = False
                        yield Delta("\n\n")
                    self._said = True
                yield event

    async def _round(self, reply: Reply) -> AsyncGenerator[ExecutionEvent, None]:
        """Runs what the reply asks for, and adds both to the conversation."""
        calls = [replace(call, id=self._agent.unique_id(call.id)) for call in reply.tool_calls]
        decisions = self._agent.decide([read_request(call.id, call.name, call.arguments) for call in calls])
        async with aclosing(self._tools.run(decisions, self._agent, self._context, self._answer_by)) as events:
            async for event in events:
                yield event
        self._messages.append(Message("assistant", reply.text, tool_calls=tuple(calls)))
        for call in calls:
            outcome = self._agent.outcomes[call.id]
            numbered, new = self.evidence.add(outcome.passages, outcome.mode)
            result = tool_result(outcome, numbered, new, self._plan)
            self._messages.append(Message("tool", result, tool_call_id=call.id))
            for event in self._tiers(call.name, outcome.mode, outcome.failure):
                yield event
        if time.monotonic() >= self._answer_by:
            self._agent.reach("deadline")
        self._agent.may_ask(self._run.usage.model_calls)
        if self._agent.limit:
            note = say_tool("answer_now", self._plan.language, limit=self._limit())
            self._messages[-1] = replace(self._messages[-1], content=f"{self._messages[-1].content}\n\n{note}")
        self._run.count_tools(self._agent.calls)
        yield self._run.usage

    def _tiers(self, name: str, mode: str, failure: str) -> list[Degraded]:
        """What a search says of the knowledge base, each once."""
        tiers: list[Degraded] = []
        if name == KNOWLEDGE_SEARCH and failure:
            tiers.append(Degraded("no_retrieval", failure))
        elif mode == "text_only":
            tiers.append(Degraded("text_only", "channel_down"))
        elif mode == "vector_only":
            tiers.append(Degraded("vector_only", "channel_down"))
        fresh = [tier for tier in tiers if tier.tier not in self._told]
        self._told.update(tier.tier for tier in fresh)
        return fresh

    def _without_words(self, reason: str) -> list[ExecutionEvent]:
        """The best answer where the model gives none: what was found; else that it is down, unless a limit says enough."""
        found = self._found()
        if not found and self._agent.limit:
            return []
        text = found or say("model_down", self._plan.language)
        shown = f"\n\n{text}" if self._said else text
        self._said = True
        return [Degraded("extractive" if found else "no_model", reason), Delta(shown)]

    def _found(self) -> str:
        """Quotes of the passages, else the tools' own words; empty when there are neither."""
        # What was held back belongs to an answer that never came.
        self.citations.finish()
        if self.evidence.passages:
            pieces = list(extractive_answer(self.findings, self._plan.language))
            for _, number in pieces:
                self.citations.cite(number)
            return "".join(text for text, _ in pieces)
        # A repeated call's summary only points at the first.
        first: dict[str, ToolOutcome] = {}
        for call, outcome in self._agent.outcomes.items():
            if outcome.ok:
                first.setdefault(self._agent.requests[call].signature, outcome)
        results = [f"- {outcome.summary}" for outcome in first.values()]
        return "\n".join((say("results_so_far", self._plan.language), "", *results)) if results else ""

    def _limit(self) -> str:
        budget, limit = self._plan.budget, self._agent.limit
        counts = {
            "model_calls": budget.model_calls,
            "tool_rounds": budget.tool_rounds,
            "tool_calls": budget.tool_calls,
            "deadline": round(budget.deadline_ms / 1000),
        }
        return say_tool(f"limit_{limit}", self._plan.language, count=str(counts[limit])) if limit else ""


def _as_offered(agent: AgentRun) -> tuple[llm.Tool, ...]:
    return tuple(llm.Tool(spec.name, spec.description, spec.parameters) for spec in agent.offered)


async def _until(ends: float, events: AsyncGenerator[_T, None]) -> AsyncGenerator[_T, None]:
    """The same events; TimeoutError once `ends`, on the monotonic clock, has come."""
    async with aclosing(events):
        while (left := ends - time.monotonic()) > 0:
            try:
                async with asyncio.timeout(left):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            yield event
    raise TimeoutError
