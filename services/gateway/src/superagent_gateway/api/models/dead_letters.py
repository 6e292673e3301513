"""What consumers of events have given up."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from superagent_gateway.api.models.base import Answer, NextCursor, Time

Consumer = Literal["ingestion", "memory", "orchestrator", "trace"]


class DeadLetterAnswer(Answer):
    service: Consumer
    event_id: str = Field(description="of a document's job: the document's id")
    topic: str = Field(examples=["superagent.document.uploaded.v1"])
    key: str = Field(description="what the event is about: a document or a turn")
    reason: str = Field(description="why the last try failed")
    attempts: int
    failed_at: Time
    payload: dict[str, Any] | None = Field(description="the event; null when it cannot be read")


class DeadLettersAnswer(Answer):
    dead_letters: list[DeadLetterAnswer]
    next_cursor: NextCursor
