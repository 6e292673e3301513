"""Executors with fakes around them: evidence, a model, tools, and what a run yielded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import structlog
from opentelemetry.trace import NoOpTracer

from superagent_agent_executor.adapters.skill_library import SkillLibrary
from superagent_agent_executor.domain import events as ev
from superagent_agent_executor.domain.evidence import PARTIAL, Finding, Passage
from superagent_agent_executor.domain.plan import Plan, SubQuestion
from superagent_agent_executor.executors import Executors
from superagent_agent_executor.executors.direct import ClarifyExecutor, DirectExecutor
from superagent_agent_executor.executors.rag import RagExecutor
from superagent_agent_executor.executors.react import ReactExecutor
from superagent_agent_executor.executors.tool_round import ToolRound
from superagent_agent_executor.ports import Tool
from superagent_agent_executor.prompts import Prompts, prompt_texts, tool_description
from superagent_agent_executor.tools.calculator import Calculator
from superagent_agent_executor.tools.clock import Clock
from superagent_agent_executor.tools.knowledge_search import KnowledgeSearch
from superagent_common.llm import (
    Finished,
    ModelAnswer,
    ModelEvent,
    ModelRequest,
    Models,
    TextDelta,
    ToolCall,
    Usage,
)
from superagent_common.prompt_library import PromptLibrary

NOW = 1_795_998_548_000_000
"""2026-11-30 00:29:08 UTC."""
PASSAGE = Passage("p1", "d1", "Handbook", "hr", "Warranty lasts two years.", ("Warranty",), 3, 3, ("c1",))
OTHER = Passage("p2", "d2", "Runbook", "ops", "Restores take four hours.", ("Restore",))
LOG = structlog.get_logger("tests")

E = TypeVar("E")


class FakeEvidence:
    """Finds what it was given per question text; an exception is raised."""

    def __init__(self, found: Mapping[str, Sequence[Passage] | Exception], mode: Any = "hybrid") -> None:
        self.found = found
        self.mode = mode
        self.budgets: list[int] = []
        self.hints: list[Any] = []
        self.questions: list[SubQuestion] = []

    async def find(self, question: SubQuestion, budget_chars: int, hints: Any) -> Finding:
        self.budgets.append(budget_chars)
        self.hints.append(hints)
        self.questions.append(question)
        found = self.found.get(question.text, ())
        if isinstance(found, Exception):
            raise found
        return Finding(question, tuple(found), self.mode if found or self.mode in PARTIAL else "none")


class FakeModel:
    """Streams one script per call, the last one again and again; an exception among its events is raised there."""

    name = "fake"

    def __init__(
        self, *scripts: Sequence[ModelEvent | Exception], complete: str | Exception = '{"questions": ["Next?"]}'
    ) -> None:
        self.scripts = scripts
        self.answer = complete
        self.requests: list[ModelRequest] = []
        self.streamed = 0
        self.closed = False

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        script = self.scripts[min(self.streamed, len(self.scripts) - 1)]
        self.streamed += 1
        try:
            for event in script:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.closed = True

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return ModelAnswer(self.answer, (), Usage("fake", 5, 2, None), "stop")

    async def close(self) -> None:
        pass


def says(text: str) -> tuple[ModelEvent, ...]:
    """A reply in words."""
    return (TextDelta(text), Usage("fake", 100, 10, 0.5), Finished("stop"))


def calls(*wanted: tuple[str, str], text: str = "") -> tuple[ModelEvent, ...]:
    """A reply that calls tools: (name, arguments as JSON) each."""
    made = [ToolCall(f"c{number}", name, arguments) for number, (name, arguments) in enumerate(wanted)]
    return (*((TextDelta(text),) if text else ()), *made, Usage("fake", 100, 10, 0.5), Finished("tool_calls"))


def plan(*questions: str, **more: Any) -> Plan:
    """One sub-question per text; fields of `Plan` by name."""
    subs = more.pop("sub_questions", None)
    if subs is None:
        subs = tuple(SubQuestion(index, text) for index, text in enumerate(questions, start=1))
    return Plan("plan", more.pop("mode", "rag_chat"), questions[0], subs, more.pop("language", "en"), **more)


class Rig:
    """All executors around fakes; `waited` are the seconds slept between attempts."""

    def __init__(
        self,
        evidence: FakeEvidence | None = None,
        model: FakeModel | None = None,
        *tools: Tool,
        seconds: float | None = None,
        skills: SkillLibrary | None = None,
        small: FakeModel | None = None,
        texts: PromptLibrary | None = None,
    ) -> None:
        """`tools` stand beside the shipped ones; `seconds`: what the caller still waits; `small`: beside `model`."""
        self.waited: list[float] = []
        tracer, clock, texts = NoOpTracer(), lambda: NOW, texts or prompt_texts(None, LOG)
        prompts = Prompts(texts, skills or SkillLibrary(None, LOG))
        evidence = evidence or FakeEvidence({})
        speaking = Models(model, small or model)  # type: ignore[arg-type]
        shipped = (
            KnowledgeSearch(evidence, 15),
            Calculator(),
            Clock(clock),
        )
        rounds = ToolRound(
            (*shipped, *tools), tracer, clock, LOG, self._sleep, lambda: 0.5, partial(tool_description, texts)
        )
        self.tools = rounds
        self.executors = Executors(
            ClarifyExecutor(),
            DirectExecutor(speaking, prompts, tracer, clock),
            RagExecutor(evidence, speaking, prompts, tracer, clock),
            ReactExecutor(
                rounds,
                speaking,
                prompts,
                tracer,
                clock,
                lambda budget: budget if seconds is None else min(budget, seconds),
            ),
        )

    async def run(self, wanted: Plan) -> list[ev.ExecutionEvent]:
        return [event async for event in self.executors.run(wanted)]

    async def _sleep(self, seconds: float) -> None:
        self.waited.append(seconds)


def text(events: Sequence[ev.ExecutionEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, ev.Delta))


def only(events: Sequence[ev.ExecutionEvent], kind: Callable[..., E]) -> list[E]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]  # type: ignore[arg-type, misc]


def stages(events: Sequence[ev.ExecutionEvent], name: str) -> list[ev.Stage]:
    """The ends of the stages of this name."""
    return [stage for stage in only(events, ev.Stage) if stage.name == name and stage.state != "started"]
