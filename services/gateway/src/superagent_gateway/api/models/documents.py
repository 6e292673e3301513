"""Uploads and documents."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from superagent_gateway.api.models.base import Answer, Body, Code, Codes, NextCursor, Time

DocumentState = Literal[
    "UNSPECIFIED",
    "UPLOADED",
    "PARSING",
    "PARSED",
    "CONFIRMED",
    "CHUNKING",
    "INDEXING",
    "READY",
    "FAILED",
    "DELETING",
]
_LARGEST = 2**53


class DocumentSaid(Body):
    """What is said of a new document."""

    domain_code: Code | None = None
    business_category: Code | None = None
    title: Annotated[str, Field(max_length=2000)] | None = None
    language: Code | None = None
    tags: Codes | None = None
    org_tag: Code | None = Field(default=None, description="one of the person's; its members may read the document")
    is_public: bool = False
    review_strategy: bool = Field(
        default=False,
        description="wait in PARSED until a strategy is confirmed; otherwise the recommended one is taken",
    )


class UploadBody(DocumentSaid):
    file_name: Annotated[str, Field(max_length=2000)]
    size: Annotated[int, Field(ge=0, le=_LARGEST, description="bytes in all")]
    sha256: Annotated[str, Field(max_length=200, description="64 hexadecimal digits")]


class ProofBody(Body):
    digest: Annotated[
        str, Field(max_length=200, description="SHA-256 over the nonce and the asked ranges, 64 hexadecimal digits")
    ]


class ImportBody(DocumentSaid):
    url: Annotated[str, Field(max_length=4000, description="http or https")]


class DocumentChanges(Body):
    """What is left out stays as it is."""

    title: Annotated[str, Field(max_length=2000, description="empty: the document's own")] | None = None
    tags: Codes | None = None
    org_tag: Code | None = Field(default=None, description="empty: none")
    is_public: bool | None = None


class StrategyBody(Body):
    strategy: Annotated[str, Field(max_length=200, examples=["structure+recursive"])]


class ByteRange(Answer):
    start: int
    end: int = Field(description="behind the last byte")


class Challenge(Answer):
    nonce: str = Field(description="hexadecimal")
    ranges: list[ByteRange]


class UploadAnswer(Answer):
    upload_id: str
    part_size: int
    parts_total: int
    parts_received: list[int] = Field(description="numbers from 0")
    instant: bool = Field(description="no parts need to travel")
    document_id: str | None = None
    challenge: Challenge | None = None


class PartAnswer(Answer):
    parts_received: list[int]
    parts_total: int


class CompletedUploadAnswer(Answer):
    document_id: str


class Failure(Answer):
    stage: str
    reason: str
    message: str


class ChunkCounts(Answer):
    children: int
    parents: int


class DocumentStage(Answer):
    name: str
    state: str
    started_at: Time | None
    ended_at: Time | None
    attempts: int
    counts: dict[str, int]


class DocumentAnswer(Answer):
    id: str
    file_name: str
    title: str
    state: DocumentState
    progress: int = Field(description="per cent")
    waiting_reason: str | None = Field(default=None, examples=["queued", "others_first", "awaiting_strategy"])
    retry_at: Time | None = Field(default=None, description="when it is tried again, while it waits for that")
    queued_before: int | None = Field(default=None, description="own documents before it, while it waits for its turn")
    failure: Failure | None = None
    chunks: ChunkCounts
    strategy: str = Field(description="how it is cut")
    recommended_strategy: str
    strategy_reasons: list[str] = Field(description="why the recommended one")
    answering: bool = Field(description="it can be found; also while it is processed again")
    instant: bool = Field(description="taken over from the same content instead of computed")
    source_url: str = Field(description="where it was fetched from; empty for uploads")
    stages: list[DocumentStage]
    size: int
    sha256: str
    pages: int
    domain_code: str
    domain_name: str = Field(description="the code as long as nobody has named the domain")
    business_category: str
    tags: list[str]
    language: str
    org_tag: str
    is_public: bool
    owner_id: str
    mine: bool = Field(description="the person owns it: may look into its log and delete it")
    created_at: Time | None
    updated_at: Time | None


class DocumentsAnswer(Answer):
    documents: list[DocumentAnswer]
    next_cursor: NextCursor


class PreviewChunk(Answer):
    position: int = Field(description="from 0")
    parent_position: int = Field(description="from 0")
    heading_path: list[str]
    page: int | None = None
    text: str
    repeated_characters: int = Field(
        description="at its beginning: the end of the chunk before it, or the header of a table"
    )


class PreviewChunksAnswer(Answer):
    chunks: list[PreviewChunk]
    next_cursor: NextCursor
    strategy: str
    available_strategies: list[str]
    parents_total: int
    children_total: int


class LogEntry(Answer):
    at: Time
    stage: str
    level: str
    message: str


class DocumentLogAnswer(Answer):
    entries: list[LogEntry]
