"""Asking, and what is left of a turn."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from superagent_gateway.api.models.base import (
    Answer,
    Body,
    ChosenMemoryStrategy,
    ChosenMode,
    Code,
    Codes,
    Mode,
    NextCursor,
    RetrievalMode,
    Time,
    TurnState,
)
from superagent_gateway.api.models.events import DegradedFields, ErrorFields, Source, StageFields
from superagent_gateway.api.models.plans import ExecutionPlan

# How long a question may be is the orchestrator's rule; a bound of any size makes the validator refuse lone surrogates.
_Question = Annotated[str, Field(max_length=2**20, json_schema_extra={"minLength": 1, "maxLength": 32_000})]


class ChatBody(Body):
    message: _Question
    conversation_id: Code | None = Field(default=None, description="an own conversation; a new one without it")
    time_zone: Code | None = Field(default=None, description="IANA name; UTC without it")
    memory_strategy: ChosenMemoryStrategy | None = None
    domains: Codes | None = Field(default=None, description="codes to stay in")
    skill: Code | None = None
    mode: ChosenMode | None = None


class RegenerateBody(Body):
    message: _Question = Field(default="", description="the question in its place; the same again without it")


class TurnUsage(Answer):
    model: str
    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cost: float
    estimated: bool | None = Field(
        default=None, description="true when a model did not tell its tokens, or was left before"
    )


class TurnSummary(Answer):
    turn_id: str
    conversation_id: str
    user_id: str
    state: TurnState
    mode: Mode
    started_at: Time | None
    completed_at: Time | None
    finish_reason: str
    first_delta_ms: float = Field(description="0 without a delta")
    usage: TurnUsage
    trace_id: str
    error: ErrorFields | None = None
    replaces_turn_id: str | None = Field(default=None, description="the turn whose place this one takes")
    replays_turn_id: str | None = Field(default=None, description="the turn whose plan this one runs again")


class TurnPlanAnswer(Answer):
    turn_id: str
    conversation_id: str
    state: TurnState
    plan: ExecutionPlan | None = Field(default=None, description="absent until it is made")


class PlanPreviewAnswer(Answer):
    plan: ExecutionPlan
    stages: list[StageFields] = Field(description="load_memory, rewrite, plan; `steps` of the last are the planner's")


class SpanAnswer(Answer):
    span_id: str
    parent_span_id: str
    service: str
    name: str
    kind: str
    started_at: Time | None
    duration_ms: float
    failed: bool
    attributes: dict[str, str]


class TurnAnswer(TurnSummary):
    plan: ExecutionPlan | None = None
    stages: list[StageFields]
    sources: list[Source]
    retrieval_mode: RetrievalMode
    degraded: list[DegradedFields]
    spans: list[SpanAnswer] = Field(description="those that have arrived, by start")


class TurnsAnswer(Answer):
    turns: list[TurnSummary]
    next_cursor: NextCursor


class RunningTurn(Answer):
    turn_id: str
    conversation_id: str
    question: str
    started_at: Time | None
    replaces_turn_id: str | None = Field(description="whose place it takes once it says something")


class RunningTurnsAnswer(Answer):
    turns: list[RunningTurn]


class UsageRow(Answer):
    day: str = Field(description="UTC day", examples=["2026-01-31"])
    user_id: str
    model: str
    turns: int
    input_tokens: int
    output_tokens: int
    cost: float


class UsageAnswer(Answer):
    rows: list[UsageRow]
