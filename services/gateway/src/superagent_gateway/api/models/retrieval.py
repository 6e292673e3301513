"""Searching."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from superagent_gateway.api.models.base import Answer, Body, Codes, RetrievalMode


class FilterBody(Body):
    business_categories: Codes | None = None
    tags: Codes | None = None
    languages: Codes | None = None
    document_ids: Codes | None = None


class SearchBody(Body):
    question: Annotated[str, Field(max_length=2**20, json_schema_extra={"minLength": 1, "maxLength": 8000})]
    domains: Codes | None = None
    filters: FilterBody | None = None
    top_k: Annotated[int, Field(ge=1, le=50, description="parents wanted; 5 without it")] | None = None
    use_outline: bool = False


class EvidenceChild(Answer):
    chunk_id: str
    text: str
    offsets: list[int] = Field(description="start and end in the parent's whole text, in characters")
    score: float


class Scores(Answer):
    vector: float | None = None
    keyword: float | None = None
    outline: float | None = None
    fused: float | None = None
    rerank: float | None = None


class Evidence(Answer):
    citation_id: int
    document_id: str
    title: str
    domain: str
    heading_path: list[str]
    page_from: int | None = None
    page_to: int | None = None
    text: str
    cut: bool
    children: list[EvidenceChild]
    scores: Scores
    channels: list[str]
    parent_id: str


class Dropped(Answer):
    reason: str
    count: int


class Timings(Answer):
    embed_ms: float
    vector_ms: float
    keyword_ms: float
    own_ms: float
    total_ms: float


class SearchAnswer(Answer):
    evidence: list[Evidence]
    retrieval_mode: RetrievalMode
    dropped: list[Dropped]
    timings: Timings
    unknown_domains: list[str]


class ChannelHit(Answer):
    channel: str
    variant: int
    rank: int
    parent_id: str
    score: float
    title: str
    dropped: str


class PreviewAnswer(SearchAnswer):
    variants: list[str]
    hits: list[ChannelHit]


class PassageChild(Answer):
    chunk_id: str
    start: int = Field(description="where it begins in the passage's text, in Unicode characters")
    end: int


class DocumentPassage(Answer):
    parent_id: str
    heading_path: list[str]
    page_from: int | None = None
    page_to: int | None = None
    text: str
    children: list[PassageChild] = Field(description="those that were asked for")


class PassagesAnswer(Answer):
    document_id: str
    title: str
    domain: str
    passages: list[DocumentPassage] = Field(description="in reading order")


class DomainAnswer(Answer):
    code: str
    name: str
    description: str
    document_count: int
    sample_titles: list[str]


class DomainsAnswer(Answer):
    domains: list[DomainAnswer]


class RetrievalStatusAnswer(Answer):
    embedding_model: str
    embedding_dimension: int
    embedder_healthy: bool
    documents: int
    parents: int
    children: int
    vector_floor: float
