"""Searching."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from superagent_gateway.api.models.base import Answer, Body, Codes, RetrievalMode, Time


class FilterBody(Body):
    """What to search in. An unknown field is refused: ignored, it would be no filter at all."""

    model_config = ConfigDict(extra="forbid")

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
    history_hint: Annotated[str, Field(max_length=2_000, description="what was asked before, or topic words")] = ""
    hint_words: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=50)] = Field(
        default=[], description="words that may stand in what is wanted"
    )


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
    outline_ms: float = Field(description="searching among headings")
    rerank_ms: float


class SearchAnswer(Answer):
    evidence: list[Evidence]
    retrieval_mode: RetrievalMode
    dropped: list[Dropped]
    timings: Timings
    unknown_domains: list[str]
    rerank: str = Field(description="empty when it is off, `done`, or why the fused order stayed")


class ChannelHit(Answer):
    channel: str = Field(description="`vector`, `keyword` or `outline`")
    variant: int = Field(description="index into `variants`")
    rank: int
    parent_id: str
    document_id: str
    title: str
    heading_path: list[str]
    text: str = Field(description="its first 200 characters")
    score: float = Field(description="raw: cosine, BM25, or how well headings fit")
    dropped: str = Field(description="why this hit does not count; empty when it does")


class ScorePart(Answer):
    list: str = Field(description="kind of a variant, or `outline`")
    channel: str = Field(description="empty for the list's own place among all lists")
    rank: int
    score: float = Field(description="raw score of the channel, or the list's score")
    share: float | None = Field(default=None, description="between the least (0) and the best (1) of its channel")
    weight: float
    value: float = Field(description="weight * share, or weight / (rank_constant + rank)")


class ScoreBonus(Answer):
    name: str = Field(description="`heading`, `all_words`, `close_words` or `hint_words`")
    value: float


class SearchCandidate(Answer):
    parent_id: str
    document_id: str
    title: str
    heading_path: list[str]
    text: str = Field(description="its first 200 characters")
    citation_id: int | None = Field(default=None, description="number of the evidence that it is part of")
    dropped: str = Field(description="why it is no evidence; empty when it is")
    parts: list[ScorePart] = Field(description="those without a channel sum up to the fused score, bonuses apart")
    bonuses: list[ScoreBonus]
    fused: float
    exact: list[str] = Field(description="the question's identifiers that it holds; they go before every score")
    rerank: float | None = Field(default=None, description="the reranker's score, which goes before the fused one")


class RelatedFloors(Answer):
    han: float
    other: float
    across: float
    word_support: float


class FusionSettings(Answer):
    method: str
    vector_weight: float
    rank_constant: int
    vector_floor: float
    cross_script_floor: float
    keyword_floor: float
    related: RelatedFloors | None = Field(default=None, description="below it a search has no evidence")
    per_source: int


class ChannelFailure(Answer):
    channel: str
    reason: str


class PreviewAnswer(SearchAnswer):
    variants: list[str]
    variant_kinds: list[str] = Field(
        description="`question`, `normalised`, `hints`, `history` or `paraphrase`, as `variants`"
    )
    hits: list[ChannelHit]
    candidates: list[SearchCandidate] = Field(description="best first, then what was set aside")
    fusion: FusionSettings
    failures: list[ChannelFailure] = Field(description="channels that did not answer")


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


class RebuildProgress(Answer):
    run_id: str
    embedding_model: str
    embedding_dimension: int
    started_at: Time
    documents_done: int = Field(description="that the new index holds")
    documents_total: int
    waiting_reason: str | None = Field(description="why it waits, `embedder_down` for example")
    retry_at: Time | None = Field(description="when it tries again")


class RetrievalStatusAnswer(Answer):
    embedding_model: str = Field(description="the one that answers")
    embedding_dimension: int
    embedder_healthy: bool
    documents: int
    parents: int
    children: int
    vector_floor: float
    degraded: str | None = Field(
        description="why searches use words alone: `embedder_not_configured` when the settings do not name the model"
    )
    configured_model: str = Field(description="the one that the settings want")
    rebuild_due: bool = Field(description="another model answers than the settings want")
    embedding_models: list[str] = Field(description="that an index can be rebuilt for")
    rebuild: RebuildProgress | None = Field(description="the run that is under way")


class RebuildBody(Body):
    embedding_model: Annotated[
        str,
        Field(max_length=200, description="without it the one that the settings want; the one that answers ends a run"),
    ] = ""


class RebuildAnswer(Answer):
    run_id: str = Field(description="the same one when the same model is asked for again")
    done: bool = Field(description="the model answers already")
