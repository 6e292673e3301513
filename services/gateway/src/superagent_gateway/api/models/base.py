"""What all bodies and answers share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Mode = Literal["UNSPECIFIED", "CLARIFY", "RAG_CHAT", "REACT_AGENT", "WORKFLOW", "DIRECT"]
ChosenMode = Literal["CLARIFY", "RAG_CHAT", "REACT_AGENT", "WORKFLOW", "DIRECT"]
MemoryStrategy = Literal["UNSPECIFIED", "NONE", "SLIDING_WINDOW", "SUMMARY"]
ChosenMemoryStrategy = Literal["NONE", "SLIDING_WINDOW", "SUMMARY"]
RetrievalMode = Literal["UNSPECIFIED", "HYBRID", "TEXT_ONLY", "VECTOR_ONLY", "CACHED", "NONE"]
StageState = Literal["UNSPECIFIED", "STARTED", "COMPLETED", "FAILED", "SKIPPED"]
TurnState = Literal["UNSPECIFIED", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"]

Code = Annotated[str, Field(max_length=200)]
"""A code or name that a client sends; what it may hold is its owner's business."""
Codes = Annotated[list[Code], Field(max_length=100)]
Time = Annotated[str, Field(description="RFC 3339, UTC", json_schema_extra={"format": "date-time"})]
NextCursor = Annotated[str | None, Field(description="`cursor` of the next page; null on the last")]


class Body(BaseModel):
    """A request's body: unknown fields are ignored, so that newer clients can talk to older servers."""

    model_config = ConfigDict(extra="ignore")


class Answer(BaseModel):
    """An answer; what it does not name is not sent."""

    model_config = ConfigDict(extra="forbid")


class FieldProblem(Answer):
    """What is wrong with one field."""

    field: str = Field(description="path of the field, for example `body.message`")
    problem: str


class Problem(BaseModel):
    """RFC 9457. Further members depend on the reason, for example `turn_id` of a running turn."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Not Found"])
    status: int
    detail: str
    reason: str = Field(description="stable code for programs", examples=["unknown_conversation"])
    trace_id: str
    fields: list[FieldProblem] | None = Field(default=None, description="only with `invalid_request`")
