"""Turns as they are listed and summed, and spans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

SpanKind = Literal["internal", "server", "client", "producer", "consumer"]


@dataclass(frozen=True, slots=True)
class Turn:
    """A finished turn. `record` is the whole serialised TurnRecord; times are microseconds since the epoch."""

    turn_id: str
    conversation_id: str
    user_id: str
    trace_id: str
    model: str
    started_at: int
    input_tokens: int
    output_tokens: int
    cost: float
    record: bytes


@dataclass(frozen=True, slots=True)
class Span:
    """Ids are lower-case hexadecimal; `parent_span_id` is empty at the root."""

    trace_id: str
    span_id: str
    parent_span_id: str
    service: str
    name: str
    kind: SpanKind
    started_at: int
    duration_us: int
    failed: bool
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UsageRow:
    """Sums of one UTC day, user and model."""

    day: str
    user_id: str
    model: str
    turns: int
    input_tokens: int
    output_tokens: int
    cost: float


@dataclass(frozen=True, slots=True)
class ServiceHealth:
    service: str
    calls: int
    failures: int
    last_seen_at: int
