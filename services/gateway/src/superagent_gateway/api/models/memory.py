"""What is remembered: of a conversation, and of a person."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from superagent_gateway.api.models.base import Answer, Body, Time

ExportFormat = Literal["markdown", "json"]
ItemText = Annotated[str, Field(max_length=2000, json_schema_extra={"maxLength": 300})]


class ConversationMemoryAnswer(Answer):
    summary: str = Field(description="at most 1,400 characters, facts included")
    facts: list[str] = Field(description="names, numbers and decisions that must survive, oldest first")
    turns_covered: int = Field(description="how many of the oldest turns it stands for")
    updated_at: Time | None = Field(description="null while there is none")


class CompressBody(Body):
    rebuild: bool = Field(default=False, description="begin anew with the first turn")


class CompressDelta(Answer):
    """Event `delta`: the new summary as it is written."""

    text: str


class RememberedItem(Answer):
    item_id: str
    text: str
    conversation_id: str | None = Field(description="where it was said; null for what was added here")
    created_at: Time | None


class MyMemoryAnswer(Answer):
    enabled: bool
    items: list[RememberedItem] = Field(description="newest first, at most 100")


class MyMemoryChangeBody(Body):
    enabled: bool | None = None
    add: ItemText | None = None
