"""Events of a turn: the `data` of each event in a stream; the event's name says which."""

from __future__ import annotations

from typing import Any

from pydantic import Field, RootModel

from superagent_gateway.api.models.base import Answer, RetrievalMode, StageState, Time
from superagent_gateway.api.models.plans import Budget, PlanFields


class Event(Answer):
    """What all events carry; `sequence` counts from 1 without gaps and is the event's id."""

    turn_id: str
    sequence: int
    at: Time


class StageFields(Answer):
    name: str = Field(
        description="load_memory, rewrite, plan, outline, retrieve, rerank, execute, tool, follow_ups or archive"
    )
    state: StageState
    started_at: Time | None
    duration_ms: float = Field(description="0 while it runs")
    detail: dict[str, Any]


class Source(Answer):
    citation_id: int = Field(description="the n of [n] in the answer")
    document_id: str
    title: str
    heading_path: list[str]
    page_from: int | None = None
    page_to: int | None = None
    snippet: str
    domain: str
    child_ids: list[str] = Field(description="`chunk_id`s that /documents/{document_id}/passages takes")


class SourcesFields(Answer):
    sources: list[Source]
    retrieval_mode: RetrievalMode


class ClarifyFields(Answer):
    question: str
    choices: list[str]


class DegradedFields(Answer):
    tier: str
    reason: str


class ErrorFields(Answer):
    reason: str
    message: str
    retryable: bool
    retry_after: int | None = Field(default=None, description="whole seconds; only when something was full")


class AcceptedEvent(Event):
    conversation_id: str


class StageEvent(Event, StageFields):
    """`stage`."""


class PlanEvent(Event, PlanFields):
    """`plan`."""


class ClarifyEvent(Event, ClarifyFields):
    """`clarify`."""


class TextEvent(Event):
    """`delta` and `thinking`: text to append."""

    text: str


class ToolCallEvent(Event):
    id: str
    name: str
    arguments: dict[str, Any]


class ToolResultEvent(Event):
    id: str
    ok: bool
    summary: str
    duration_ms: float


class ApprovalRequiredEvent(Event):
    id: str
    tool: str
    arguments: dict[str, Any]
    risk: str


class SourcesEvent(Event, SourcesFields):
    """`sources`."""


class FollowUpsEvent(Event):
    questions: list[str]


class UsageEvent(Event):
    model: str
    input: int = Field(description="tokens")
    output: int = Field(description="tokens")
    cost: float
    model_calls: int
    tool_calls: int
    limits: Budget | None = None
    estimated: bool | None = Field(
        default=None, description="true when a model did not tell its tokens, or was left before"
    )


class DegradedEvent(Event, DegradedFields):
    """`degraded`."""


class QueuedEvent(Event):
    position: int = Field(description="place in the model's queue, from 1")
    model: str


class DoneEvent(Event):
    finish_reason: str


class ErrorEvent(Event, ErrorFields):
    """`error`."""


class InterruptedEvent(Event):
    """`interrupted`: the stream ends before its turn; no event of the turn, without an id and with `sequence` 0."""

    after: int = Field(description="the number behind which the turn's events go on at /turns/{turn_id}/events")
    reason: str
    message: str


EVENTS: dict[str, type[Event]] = {
    "accepted": AcceptedEvent,
    "stage": StageEvent,
    "plan": PlanEvent,
    "clarify": ClarifyEvent,
    "thinking": TextEvent,
    "tool_call": ToolCallEvent,
    "tool_result": ToolResultEvent,
    "approval_required": ApprovalRequiredEvent,
    "delta": TextEvent,
    "sources": SourcesEvent,
    "follow_ups": FollowUpsEvent,
    "usage": UsageEvent,
    "degraded": DegradedEvent,
    "queued": QueuedEvent,
    "done": DoneEvent,
    "error": ErrorEvent,
}
"""By the event's name in the stream."""


class TurnEvent(
    RootModel[
        AcceptedEvent
        | StageEvent
        | PlanEvent
        | ClarifyEvent
        | TextEvent
        | ToolCallEvent
        | ToolResultEvent
        | ApprovalRequiredEvent
        | SourcesEvent
        | FollowUpsEvent
        | UsageEvent
        | DegradedEvent
        | QueuedEvent
        | DoneEvent
        | ErrorEvent
        | InterruptedEvent
    ]
):
    """The `data` of an event: accepted, stage, plan, clarify, thinking, tool_call, tool_result, approval_required,
    delta, sources, follow_ups, usage, degraded, queued; exactly one done or error ends the turn. A stream that ends
    before its turn says interrupted."""
