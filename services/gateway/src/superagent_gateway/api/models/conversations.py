"""Conversations."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from superagent_gateway.api.models.base import (
    Answer,
    Body,
    ChosenMemoryStrategy,
    Code,
    MemoryStrategy,
    Mode,
    NextCursor,
    Time,
    TurnState,
)
from superagent_gateway.api.models.events import ClarifyFields, SourcesFields

Title = Annotated[str, Field(max_length=2000, json_schema_extra={"maxLength": 200})]


class NewConversationBody(Body):
    conversation_id: Code | None = Field(default=None, description="a UUID chosen by the client")
    title: Title | None = None
    memory_strategy: ChosenMemoryStrategy | None = None


class ConversationChangeBody(Body):
    title: Title | None = None
    memory_strategy: ChosenMemoryStrategy | None = None


class ConversationAnswer(Answer):
    conversation_id: str
    title: str
    memory_strategy: MemoryStrategy
    created_at: Time | None
    updated_at: Time | None
    turns_total: int


class ConversationsAnswer(Answer):
    conversations: list[ConversationAnswer]
    next_cursor: NextCursor


class ToolUseFields(Answer):
    call_id: str
    name: str
    arguments: dict[str, Any]
    ok: bool
    result: str = Field(description="what the tool told the model, at most 2,000 characters")


class StoredTurnAnswer(SourcesFields):
    turn_id: str
    question: str
    answer: str
    state: TurnState
    mode: Mode
    finish_reason: str
    asked_at: Time | None
    stored_at: Time | None
    clarify: ClarifyFields | None = None
    tools: list[ToolUseFields] | None = Field(default=None, description="tools that were called, in order")


class StoredTurnsAnswer(Answer):
    turns: list[StoredTurnAnswer]
    next_cursor: NextCursor
