"""What an agent may still do in a run, and what becomes of each call it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from superagent_agent_executor.domain.plan import Budget
from superagent_agent_executor.domain.tools import ToolOutcome, ToolRequest, ToolSpec

Limit = Literal["model_calls", "tool_rounds", "tool_calls", "deadline"]


@dataclass(frozen=True, slots=True)
class Execute:
    """Run the tool."""

    request: ToolRequest


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same was asked before, by the request `of`: tell its result again."""

    request: ToolRequest
    of: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Do not run it; `key` of `tool_texts` says why."""

    request: ToolRequest
    key: str


Decision = Execute | Repeat | Refuse


class AgentRun:
    """Counts against the budget; remembers results and which tools are gone. Nothing a tool says changes it but `settle`."""

    def __init__(self, budget: Budget, tools: Iterable[ToolSpec]) -> None:
        self._budget = budget
        self._tools: Mapping[str, ToolSpec] = {spec.name: spec for spec in tools}
        self._first: dict[str, str] = {}
        self._ids: set[str] = set()
        self.limit: Limit | None = None
        """The first limit that was reached."""
        self.rounds = 0
        self.calls = 0
        """Tools that were really run."""
        self.withdrawn: dict[str, str] = {}
        """Tools that finally failed in this run, and why."""
        self.outcomes: dict[str, ToolOutcome] = {}
        """By request id, in the order they came."""
        self.requests: dict[str, ToolRequest] = {}

    @property
    def offered(self) -> tuple[ToolSpec, ...]:
        """What the model may call now."""
        return tuple(spec for name, spec in self._tools.items() if name not in self.withdrawn)

    def spec(self, name: str) -> ToolSpec:
        return self._tools[name]

    def reach(self, limit: Limit) -> None:
        self.limit = self.limit or limit

    def may_ask(self, model_calls: int) -> bool:
        """Whether one more model call is allowed; the last that is allowed comes without tools."""
        left = self._budget.model_calls - model_calls
        if left <= 1:
            self.reach("model_calls")
        return left > 0

    def unique_id(self, call_id: str) -> str:
        """The model's id, or one of our own when it was used in this run; nine letters and digits, as Mistral wants them."""
        number = len(self._ids)
        while not call_id or call_id in self._ids:
            call_id = f"call{number:05d}"
            number += 1
        self._ids.add(call_id)
        return call_id

    def decide(self, requests: Sequence[ToolRequest]) -> list[Decision]:
        """What to do with the calls of one reply, in their order; they are one round."""
        if self.rounds >= self._budget.tool_rounds:
            self.reach("tool_rounds")
        else:
            self.rounds += 1
        return [self._decide(request) for request in requests]

    def settle(self, request: ToolRequest, outcome: ToolOutcome) -> None:
        self.requests[request.id] = request
        self.outcomes[request.id] = outcome
        if outcome.failure:
            self.withdrawn.setdefault(request.name, outcome.failure)

    def _decide(self, request: ToolRequest) -> Decision:
        if request.name not in self._tools:
            return Refuse(request, "unknown_tool")
        if request.fault:
            return Refuse(request, request.fault)
        if request.name in self.withdrawn:
            return Refuse(request, "tool_withdrawn")
        if earlier := self._first.get(request.signature):
            return Repeat(request, earlier)
        if not self.limit and self.calls >= self._budget.tool_calls:
            self.reach("tool_calls")
        if self.limit:
            return Refuse(request, "limit_reached")
        self.calls += 1
        self._first[request.signature] = request.id
        return Execute(request)
