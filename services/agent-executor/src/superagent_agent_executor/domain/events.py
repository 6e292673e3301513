"""What happens in a run, in the order an executor yields it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from superagent_agent_executor.domain.evidence import Passage, RetrievalMode

StageName = Literal["outline", "retrieve", "rerank", "execute", "tool", "follow_ups"]
StageState = Literal["started", "completed", "failed", "skipped"]
FinishReason = Literal["stop", "clarify", "no_evidence", "length", "content_filter", "limit"]
Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]


@dataclass(frozen=True, slots=True)
class Stage:
    """`started_at` in microseconds since the epoch; `duration_ms` is 0 while it runs."""

    name: StageName
    state: StageState
    started_at: int
    duration_ms: float = 0.0
    detail: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Clarify:
    question: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Thinking:
    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """`id` is unique in the run."""

    id: str
    name: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`summary`, one line for people; `result`, what the model was told, for the memory of later turns."""

    id: str
    ok: bool
    summary: str
    duration_ms: float
    result: str = ""


@dataclass(frozen=True, slots=True)
class Delta:
    text: str


@dataclass(frozen=True, slots=True)
class Sources:
    passages: tuple[Passage, ...]
    mode: RetrievalMode


@dataclass(frozen=True, slots=True)
class FollowUps:
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Of the whole run so far; `cost` in the currency of the configured prices. Estimated where a model did not tell."""

    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    model_calls: int = 0
    tool_calls: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Calling:
    """A model has begun to speak: what the run has used if it is left now, the words since the last `Usage` not counted."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Degraded:
    tier: Literal["text_only", "vector_only", "no_retrieval", "backup_model", "extractive", "no_model"]
    reason: str


@dataclass(frozen=True, slots=True)
class Queued:
    """The model's provider is busy: `position` from 1 in the queue for `model`."""

    position: int
    model: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer's text is whole."""

    finish_reason: FinishReason


ExecutionEvent = (
    Stage
    | Clarify
    | Thinking
    | ToolCall
    | ToolResult
    | Delta
    | Sources
    | FollowUps
    | Usage
    | Calling
    | Degraded
    | Queued
    | Answered
)
