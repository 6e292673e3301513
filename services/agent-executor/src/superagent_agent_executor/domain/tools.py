"""Tools as an agent sees them: what they are, which of them a plan allows, what was asked of them and what they said."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Literal

from superagent_agent_executor.domain.events import Json
from superagent_agent_executor.domain.evidence import EvidenceLog, Hints, Passage, RetrievalMode
from superagent_agent_executor.domain.plan import Language, Plan
from superagent_agent_executor.domain.skills import Skill
from superagent_agent_executor.domain.well_formed import well_formed

Risk = Literal["read", "write", "dangerous"]

KNOWLEDGE_SEARCH = "knowledge_search"
CALCULATE = "calculate"
CURRENT_TIME = "current_time"

SUMMARY_CHARACTERS = 200
KEPT_CHARACTERS = 2_000
"""Of what a tool told the model, for the memory of later turns."""
_ARGUMENT_CHARACTERS = 20_000
_ARGUMENT_DEPTH = 8
_LARGEST_NUMBER = 10**15


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """`parameters` is the JSON schema of an object; `timeout_seconds` bounds a call with all its attempts (AGT-12).

    A shipped tool leaves `description` empty: it stands in `prompts/tools`, where it may be overridden.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    risk: Risk
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool knows of the run it works for."""

    plan: Plan
    evidence: EvidenceLog
    default_domains: tuple[str, ...] = ()
    hints: Hints = field(default_factory=Hints)

    @property
    def language(self) -> Language:
        return self.plan.language


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """`text` for the model; `summary`, one line for people; `passages` are numbered behind the tool.

    `failure` is the reason when the tool is not to be tried again in this run.
    """

    ok: bool
    text: str
    summary: str
    passages: tuple[Passage, ...] = ()
    mode: RetrievalMode = "none"
    attempts: int = 1
    failure: str = ""

    @property
    def kept(self) -> str:
        """What it told the model, without numbers, which mean nothing in a later turn; at most `KEPT_CHARACTERS`."""
        parts = [self.text, *(f"{passage.title}: {passage.text}" for passage in self.passages)]
        return "\n\n".join(parts)[:KEPT_CHARACTERS]


class Refusal(Exception):
    """A tool cannot do what it was asked; `key` and `values` name the sentence of `tool_texts` that says why."""

    def __init__(self, key: str, **values: str) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call as the model wrote it, read; `fault` is the key of what is wrong with its arguments, else empty."""

    id: str
    name: str
    arguments: Mapping[str, Json]
    fault: str = ""

    @property
    def signature(self) -> str:
        """Equal for calls that ask the same."""
        return f"{self.name} {json.dumps(self.arguments, sort_keys=True)}"


def read_request(call_id: str, name: str, arguments: str) -> ToolRequest:
    """Never raises: what cannot be read is a fault that the model is told of."""
    name = well_formed(name)[:64]
    if len(arguments) > _ARGUMENT_CHARACTERS:
        return ToolRequest(call_id, name, {}, "arguments_too_long")
    try:
        value = _clean(json.loads(arguments or "{}"), 0)
    except (ValueError, RecursionError):
        return ToolRequest(call_id, name, {}, "arguments_not_json")
    if not isinstance(value, dict):
        return ToolRequest(call_id, name, {}, "arguments_not_object")
    return ToolRequest(call_id, name, value)


def allowed_tools(specs: Iterable[ToolSpec], plan: Plan, skills: Sequence[Skill]) -> tuple[ToolSpec, ...]:
    """The tools of a run: those the plan names; else all that only read, less those that no chosen skill lists.

    A skill without a list takes nothing away. Without characters of evidence there is nothing to search for.
    """
    named = frozenset(plan.tools_allowed)
    lists = [frozenset(skill.tools) for skill in skills]
    listed = frozenset().union(*lists) if lists and all(lists) else None

    def allowed(spec: ToolSpec) -> bool:
        if spec.name == KNOWLEDGE_SEARCH and plan.budget.evidence_chars <= 0:
            return False
        if named:
            return spec.name in named
        return spec.risk == "read" and (listed is None or spec.name in listed)

    return tuple(spec for spec in specs if allowed(spec))


def one_line(text: str) -> str:
    """A summary: on one line, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= SUMMARY_CHARACTERS else line[: SUMMARY_CHARACTERS - 1] + "…"


def _clean(value: object, depth: int) -> Json:
    """JSON that every part of the system can carry. Raises ValueError for what it cannot."""
    if depth > _ARGUMENT_DEPTH:
        raise ValueError
    match value:
        case dict():
            return {well_formed(str(key)): _clean(item, depth + 1) for key, item in value.items()}
        case list():
            return [_clean(item, depth + 1) for item in value]
        case str():
            return well_formed(value)
        case None | bool():
            return value
        case int() if abs(value) <= _LARGEST_NUMBER:
            return value
        case float() if isfinite(value):
            return value
    raise ValueError
