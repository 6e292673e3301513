import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from superagent.orchestrator.v1 import events_pb2 as _events_pb2
from superagent.orchestrator.v1 import plan_pb2 as _plan_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SearchRequest(_message.Message):
    __slots__ = ("question", "history_hint", "domains", "filters", "top_k", "budget_chars", "use_outline", "hint_words")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    HISTORY_HINT_FIELD_NUMBER: _ClassVar[int]
    DOMAINS_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    TOP_K_FIELD_NUMBER: _ClassVar[int]
    BUDGET_CHARS_FIELD_NUMBER: _ClassVar[int]
    USE_OUTLINE_FIELD_NUMBER: _ClassVar[int]
    HINT_WORDS_FIELD_NUMBER: _ClassVar[int]
    question: str
    history_hint: str
    domains: _containers.RepeatedScalarFieldContainer[str]
    filters: _plan_pb2.QuestionFilters
    top_k: int
    budget_chars: int
    use_outline: bool
    hint_words: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, question: _Optional[str] = ..., history_hint: _Optional[str] = ..., domains: _Optional[_Iterable[str]] = ..., filters: _Optional[_Union[_plan_pb2.QuestionFilters, _Mapping]] = ..., top_k: _Optional[int] = ..., budget_chars: _Optional[int] = ..., use_outline: _Optional[bool] = ..., hint_words: _Optional[_Iterable[str]] = ...) -> None: ...

class SearchResponse(_message.Message):
    __slots__ = ("evidence", "retrieval_mode", "dropped", "timings", "unknown_domains", "rerank")
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    RETRIEVAL_MODE_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    TIMINGS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_DOMAINS_FIELD_NUMBER: _ClassVar[int]
    RERANK_FIELD_NUMBER: _ClassVar[int]
    evidence: _containers.RepeatedCompositeFieldContainer[Evidence]
    retrieval_mode: _events_pb2.RetrievalMode
    dropped: _containers.RepeatedCompositeFieldContainer[Dropped]
    timings: Timings
    unknown_domains: _containers.RepeatedScalarFieldContainer[str]
    rerank: str
    def __init__(self, evidence: _Optional[_Iterable[_Union[Evidence, _Mapping]]] = ..., retrieval_mode: _Optional[_Union[_events_pb2.RetrievalMode, str]] = ..., dropped: _Optional[_Iterable[_Union[Dropped, _Mapping]]] = ..., timings: _Optional[_Union[Timings, _Mapping]] = ..., unknown_domains: _Optional[_Iterable[str]] = ..., rerank: _Optional[str] = ...) -> None: ...

class Evidence(_message.Message):
    __slots__ = ("citation_id", "document_id", "title", "domain", "heading_path", "page_from", "page_to", "text", "cut", "children", "scores", "channels", "parent_id")
    CITATION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    HEADING_PATH_FIELD_NUMBER: _ClassVar[int]
    PAGE_FROM_FIELD_NUMBER: _ClassVar[int]
    PAGE_TO_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CUT_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    citation_id: int
    document_id: str
    title: str
    domain: str
    heading_path: _containers.RepeatedScalarFieldContainer[str]
    page_from: int
    page_to: int
    text: str
    cut: bool
    children: _containers.RepeatedCompositeFieldContainer[EvidenceChild]
    scores: Scores
    channels: _containers.RepeatedScalarFieldContainer[str]
    parent_id: str
    def __init__(self, citation_id: _Optional[int] = ..., document_id: _Optional[str] = ..., title: _Optional[str] = ..., domain: _Optional[str] = ..., heading_path: _Optional[_Iterable[str]] = ..., page_from: _Optional[int] = ..., page_to: _Optional[int] = ..., text: _Optional[str] = ..., cut: _Optional[bool] = ..., children: _Optional[_Iterable[_Union[EvidenceChild, _Mapping]]] = ..., scores: _Optional[_Union[Scores, _Mapping]] = ..., channels: _Optional[_Iterable[str]] = ..., parent_id: _Optional[str] = ...) -> None: ...

class EvidenceChild(_message.Message):
    __slots__ = ("chunk_id", "text", "start", "end", "score")
    CHUNK_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    chunk_id: str
    text: str
    start: int
    end: int
    score: float
    def __init__(self, chunk_id: _Optional[str] = ..., text: _Optional[str] = ..., start: _Optional[int] = ..., end: _Optional[int] = ..., score: _Optional[float] = ...) -> None: ...

class Scores(_message.Message):
    __slots__ = ("vector", "keyword", "outline", "fused", "rerank")
    VECTOR_FIELD_NUMBER: _ClassVar[int]
    KEYWORD_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    FUSED_FIELD_NUMBER: _ClassVar[int]
    RERANK_FIELD_NUMBER: _ClassVar[int]
    vector: float
    keyword: float
    outline: float
    fused: float
    rerank: float
    def __init__(self, vector: _Optional[float] = ..., keyword: _Optional[float] = ..., outline: _Optional[float] = ..., fused: _Optional[float] = ..., rerank: _Optional[float] = ...) -> None: ...

class Dropped(_message.Message):
    __slots__ = ("reason", "count")
    REASON_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    reason: str
    count: int
    def __init__(self, reason: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class Timings(_message.Message):
    __slots__ = ("embed_ms", "vector_ms", "keyword_ms", "own_ms", "total_ms", "outline_ms", "rerank_ms")
    EMBED_MS_FIELD_NUMBER: _ClassVar[int]
    VECTOR_MS_FIELD_NUMBER: _ClassVar[int]
    KEYWORD_MS_FIELD_NUMBER: _ClassVar[int]
    OWN_MS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_MS_FIELD_NUMBER: _ClassVar[int]
    RERANK_MS_FIELD_NUMBER: _ClassVar[int]
    embed_ms: float
    vector_ms: float
    keyword_ms: float
    own_ms: float
    total_ms: float
    outline_ms: float
    rerank_ms: float
    def __init__(self, embed_ms: _Optional[float] = ..., vector_ms: _Optional[float] = ..., keyword_ms: _Optional[float] = ..., own_ms: _Optional[float] = ..., total_ms: _Optional[float] = ..., outline_ms: _Optional[float] = ..., rerank_ms: _Optional[float] = ...) -> None: ...

class PreviewSearchRequest(_message.Message):
    __slots__ = ("search",)
    SEARCH_FIELD_NUMBER: _ClassVar[int]
    search: SearchRequest
    def __init__(self, search: _Optional[_Union[SearchRequest, _Mapping]] = ...) -> None: ...

class PreviewSearchResponse(_message.Message):
    __slots__ = ("result", "variants", "hits", "variant_kinds", "candidates", "fusion", "failures")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    HITS_FIELD_NUMBER: _ClassVar[int]
    VARIANT_KINDS_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    FUSION_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    result: SearchResponse
    variants: _containers.RepeatedScalarFieldContainer[str]
    hits: _containers.RepeatedCompositeFieldContainer[ChannelHit]
    variant_kinds: _containers.RepeatedScalarFieldContainer[str]
    candidates: _containers.RepeatedCompositeFieldContainer[Candidate]
    fusion: FusionSettings
    failures: _containers.RepeatedCompositeFieldContainer[ChannelFailure]
    def __init__(self, result: _Optional[_Union[SearchResponse, _Mapping]] = ..., variants: _Optional[_Iterable[str]] = ..., hits: _Optional[_Iterable[_Union[ChannelHit, _Mapping]]] = ..., variant_kinds: _Optional[_Iterable[str]] = ..., candidates: _Optional[_Iterable[_Union[Candidate, _Mapping]]] = ..., fusion: _Optional[_Union[FusionSettings, _Mapping]] = ..., failures: _Optional[_Iterable[_Union[ChannelFailure, _Mapping]]] = ...) -> None: ...

class ChannelFailure(_message.Message):
    __slots__ = ("channel", "reason")
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    channel: str
    reason: str
    def __init__(self, channel: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class FusionSettings(_message.Message):
    __slots__ = ("method", "vector_weight", "rank_constant", "vector_floor", "cross_script_floor", "keyword_floor", "related", "per_source")
    METHOD_FIELD_NUMBER: _ClassVar[int]
    VECTOR_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    RANK_CONSTANT_FIELD_NUMBER: _ClassVar[int]
    VECTOR_FLOOR_FIELD_NUMBER: _ClassVar[int]
    CROSS_SCRIPT_FLOOR_FIELD_NUMBER: _ClassVar[int]
    KEYWORD_FLOOR_FIELD_NUMBER: _ClassVar[int]
    RELATED_FIELD_NUMBER: _ClassVar[int]
    PER_SOURCE_FIELD_NUMBER: _ClassVar[int]
    method: str
    vector_weight: float
    rank_constant: int
    vector_floor: float
    cross_script_floor: float
    keyword_floor: float
    related: RelatedFloors
    per_source: int
    def __init__(self, method: _Optional[str] = ..., vector_weight: _Optional[float] = ..., rank_constant: _Optional[int] = ..., vector_floor: _Optional[float] = ..., cross_script_floor: _Optional[float] = ..., keyword_floor: _Optional[float] = ..., related: _Optional[_Union[RelatedFloors, _Mapping]] = ..., per_source: _Optional[int] = ...) -> None: ...

class RelatedFloors(_message.Message):
    __slots__ = ("han", "other", "across", "word_support")
    HAN_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    ACROSS_FIELD_NUMBER: _ClassVar[int]
    WORD_SUPPORT_FIELD_NUMBER: _ClassVar[int]
    han: float
    other: float
    across: float
    word_support: float
    def __init__(self, han: _Optional[float] = ..., other: _Optional[float] = ..., across: _Optional[float] = ..., word_support: _Optional[float] = ...) -> None: ...

class Candidate(_message.Message):
    __slots__ = ("parent_id", "document_id", "title", "heading_path", "text", "citation_id", "dropped", "parts", "bonuses", "fused", "exact", "rerank")
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    HEADING_PATH_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CITATION_ID_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    BONUSES_FIELD_NUMBER: _ClassVar[int]
    FUSED_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    RERANK_FIELD_NUMBER: _ClassVar[int]
    parent_id: str
    document_id: str
    title: str
    heading_path: _containers.RepeatedScalarFieldContainer[str]
    text: str
    citation_id: int
    dropped: str
    parts: _containers.RepeatedCompositeFieldContainer[ScorePart]
    bonuses: _containers.RepeatedCompositeFieldContainer[ScoreBonus]
    fused: float
    exact: _containers.RepeatedScalarFieldContainer[str]
    rerank: float
    def __init__(self, parent_id: _Optional[str] = ..., document_id: _Optional[str] = ..., title: _Optional[str] = ..., heading_path: _Optional[_Iterable[str]] = ..., text: _Optional[str] = ..., citation_id: _Optional[int] = ..., dropped: _Optional[str] = ..., parts: _Optional[_Iterable[_Union[ScorePart, _Mapping]]] = ..., bonuses: _Optional[_Iterable[_Union[ScoreBonus, _Mapping]]] = ..., fused: _Optional[float] = ..., exact: _Optional[_Iterable[str]] = ..., rerank: _Optional[float] = ...) -> None: ...

class ScorePart(_message.Message):
    __slots__ = ("list", "channel", "rank", "score", "share", "weight", "value")
    LIST_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    list: str
    channel: str
    rank: int
    score: float
    share: float
    weight: float
    value: float
    def __init__(self, list: _Optional[str] = ..., channel: _Optional[str] = ..., rank: _Optional[int] = ..., score: _Optional[float] = ..., share: _Optional[float] = ..., weight: _Optional[float] = ..., value: _Optional[float] = ...) -> None: ...

class ScoreBonus(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: float
    def __init__(self, name: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...

class ChannelHit(_message.Message):
    __slots__ = ("channel", "variant", "rank", "parent_id", "score", "title", "dropped", "document_id", "heading_path", "text")
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    HEADING_PATH_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    channel: str
    variant: int
    rank: int
    parent_id: str
    score: float
    title: str
    dropped: str
    document_id: str
    heading_path: _containers.RepeatedScalarFieldContainer[str]
    text: str
    def __init__(self, channel: _Optional[str] = ..., variant: _Optional[int] = ..., rank: _Optional[int] = ..., parent_id: _Optional[str] = ..., score: _Optional[float] = ..., title: _Optional[str] = ..., dropped: _Optional[str] = ..., document_id: _Optional[str] = ..., heading_path: _Optional[_Iterable[str]] = ..., text: _Optional[str] = ...) -> None: ...

class GetOutlineRequest(_message.Message):
    __slots__ = ("document_id",)
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    def __init__(self, document_id: _Optional[str] = ...) -> None: ...

class GetOutlineResponse(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[OutlineEntry]
    def __init__(self, entries: _Optional[_Iterable[_Union[OutlineEntry, _Mapping]]] = ...) -> None: ...

class OutlineEntry(_message.Message):
    __slots__ = ("level", "heading", "page", "parent_position")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    HEADING_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PARENT_POSITION_FIELD_NUMBER: _ClassVar[int]
    level: int
    heading: str
    page: int
    parent_position: int
    def __init__(self, level: _Optional[int] = ..., heading: _Optional[str] = ..., page: _Optional[int] = ..., parent_position: _Optional[int] = ...) -> None: ...

class GetPassagesRequest(_message.Message):
    __slots__ = ("document_id", "chunk_ids")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    CHUNK_IDS_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    chunk_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, document_id: _Optional[str] = ..., chunk_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GetPassagesResponse(_message.Message):
    __slots__ = ("title", "domain", "passages")
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    title: str
    domain: str
    passages: _containers.RepeatedCompositeFieldContainer[Passage]
    def __init__(self, title: _Optional[str] = ..., domain: _Optional[str] = ..., passages: _Optional[_Iterable[_Union[Passage, _Mapping]]] = ...) -> None: ...

class Passage(_message.Message):
    __slots__ = ("parent_id", "heading_path", "page_from", "page_to", "text", "children")
    PARENT_ID_FIELD_NUMBER: _ClassVar[int]
    HEADING_PATH_FIELD_NUMBER: _ClassVar[int]
    PAGE_FROM_FIELD_NUMBER: _ClassVar[int]
    PAGE_TO_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    parent_id: str
    heading_path: _containers.RepeatedScalarFieldContainer[str]
    page_from: int
    page_to: int
    text: str
    children: _containers.RepeatedCompositeFieldContainer[PassageChild]
    def __init__(self, parent_id: _Optional[str] = ..., heading_path: _Optional[_Iterable[str]] = ..., page_from: _Optional[int] = ..., page_to: _Optional[int] = ..., text: _Optional[str] = ..., children: _Optional[_Iterable[_Union[PassageChild, _Mapping]]] = ...) -> None: ...

class PassageChild(_message.Message):
    __slots__ = ("chunk_id", "start", "end")
    CHUNK_ID_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    chunk_id: str
    start: int
    end: int
    def __init__(self, chunk_id: _Optional[str] = ..., start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class IndexChunksRequest(_message.Message):
    __slots__ = ("header", "batch")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    header: IndexHeader
    batch: ChunkBatch
    def __init__(self, header: _Optional[_Union[IndexHeader, _Mapping]] = ..., batch: _Optional[_Union[ChunkBatch, _Mapping]] = ...) -> None: ...

class IndexHeader(_message.Message):
    __slots__ = ("document_id", "generation", "metadata", "outline", "parents_total", "children_total")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    OUTLINE_FIELD_NUMBER: _ClassVar[int]
    PARENTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_TOTAL_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    generation: str
    metadata: DocumentMetadata
    outline: _containers.RepeatedCompositeFieldContainer[OutlineEntry]
    parents_total: int
    children_total: int
    def __init__(self, document_id: _Optional[str] = ..., generation: _Optional[str] = ..., metadata: _Optional[_Union[DocumentMetadata, _Mapping]] = ..., outline: _Optional[_Iterable[_Union[OutlineEntry, _Mapping]]] = ..., parents_total: _Optional[int] = ..., children_total: _Optional[int] = ...) -> None: ...

class DocumentMetadata(_message.Message):
    __slots__ = ("title", "domain", "business_category", "tags", "language", "owner_id", "org_tag", "is_public", "uploaded_at", "revision")
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    BUSINESS_CATEGORY_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    OWNER_ID_FIELD_NUMBER: _ClassVar[int]
    ORG_TAG_FIELD_NUMBER: _ClassVar[int]
    IS_PUBLIC_FIELD_NUMBER: _ClassVar[int]
    UPLOADED_AT_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    title: str
    domain: str
    business_category: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    language: str
    owner_id: str
    org_tag: str
    is_public: bool
    uploaded_at: _timestamp_pb2.Timestamp
    revision: int
    def __init__(self, title: _Optional[str] = ..., domain: _Optional[str] = ..., business_category: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., language: _Optional[str] = ..., owner_id: _Optional[str] = ..., org_tag: _Optional[str] = ..., is_public: _Optional[bool] = ..., uploaded_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revision: _Optional[int] = ...) -> None: ...

class ChunkBatch(_message.Message):
    __slots__ = ("parents", "children")
    PARENTS_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    parents: _containers.RepeatedCompositeFieldContainer[ParentChunk]
    children: _containers.RepeatedCompositeFieldContainer[ChildChunk]
    def __init__(self, parents: _Optional[_Iterable[_Union[ParentChunk, _Mapping]]] = ..., children: _Optional[_Iterable[_Union[ChildChunk, _Mapping]]] = ...) -> None: ...

class ParentChunk(_message.Message):
    __slots__ = ("position", "text", "heading_path", "page_from", "page_to", "start", "end")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    HEADING_PATH_FIELD_NUMBER: _ClassVar[int]
    PAGE_FROM_FIELD_NUMBER: _ClassVar[int]
    PAGE_TO_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    position: int
    text: str
    heading_path: _containers.RepeatedScalarFieldContainer[str]
    page_from: int
    page_to: int
    start: int
    end: int
    def __init__(self, position: _Optional[int] = ..., text: _Optional[str] = ..., heading_path: _Optional[_Iterable[str]] = ..., page_from: _Optional[int] = ..., page_to: _Optional[int] = ..., start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class ChildChunk(_message.Message):
    __slots__ = ("position", "parent_position", "text", "start", "end", "anchor")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    PARENT_POSITION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    ANCHOR_FIELD_NUMBER: _ClassVar[int]
    position: int
    parent_position: int
    text: str
    start: int
    end: int
    anchor: str
    def __init__(self, position: _Optional[int] = ..., parent_position: _Optional[int] = ..., text: _Optional[str] = ..., start: _Optional[int] = ..., end: _Optional[int] = ..., anchor: _Optional[str] = ...) -> None: ...

class IndexChunksResponse(_message.Message):
    __slots__ = ("generation", "parents_indexed", "children_indexed", "children_embedded")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    PARENTS_INDEXED_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_INDEXED_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_EMBEDDED_FIELD_NUMBER: _ClassVar[int]
    generation: str
    parents_indexed: int
    children_indexed: int
    children_embedded: int
    def __init__(self, generation: _Optional[str] = ..., parents_indexed: _Optional[int] = ..., children_indexed: _Optional[int] = ..., children_embedded: _Optional[int] = ...) -> None: ...

class DeleteDocumentRequest(_message.Message):
    __slots__ = ("document_id",)
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    def __init__(self, document_id: _Optional[str] = ...) -> None: ...

class DeleteDocumentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CopyDocumentRequest(_message.Message):
    __slots__ = ("source_document_id", "document_id", "metadata", "generation")
    SOURCE_DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    source_document_id: str
    document_id: str
    metadata: DocumentMetadata
    generation: str
    def __init__(self, source_document_id: _Optional[str] = ..., document_id: _Optional[str] = ..., metadata: _Optional[_Union[DocumentMetadata, _Mapping]] = ..., generation: _Optional[str] = ...) -> None: ...

class CopyDocumentResponse(_message.Message):
    __slots__ = ("generation", "parents_copied", "children_copied")
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    PARENTS_COPIED_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_COPIED_FIELD_NUMBER: _ClassVar[int]
    generation: str
    parents_copied: int
    children_copied: int
    def __init__(self, generation: _Optional[str] = ..., parents_copied: _Optional[int] = ..., children_copied: _Optional[int] = ...) -> None: ...

class UpdateDocumentRequest(_message.Message):
    __slots__ = ("document_id", "metadata")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    metadata: DocumentMetadata
    def __init__(self, document_id: _Optional[str] = ..., metadata: _Optional[_Union[DocumentMetadata, _Mapping]] = ...) -> None: ...

class UpdateDocumentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CompareNeighboursRequest(_message.Message):
    __slots__ = ("texts",)
    TEXTS_FIELD_NUMBER: _ClassVar[int]
    texts: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, texts: _Optional[_Iterable[str]] = ...) -> None: ...

class CompareNeighboursResponse(_message.Message):
    __slots__ = ("similarities",)
    SIMILARITIES_FIELD_NUMBER: _ClassVar[int]
    similarities: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, similarities: _Optional[_Iterable[float]] = ...) -> None: ...

class ListDomainsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListDomainsResponse(_message.Message):
    __slots__ = ("domains",)
    DOMAINS_FIELD_NUMBER: _ClassVar[int]
    domains: _containers.RepeatedCompositeFieldContainer[Domain]
    def __init__(self, domains: _Optional[_Iterable[_Union[Domain, _Mapping]]] = ...) -> None: ...

class Domain(_message.Message):
    __slots__ = ("code", "name", "description", "document_count", "sample_titles")
    CODE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_TITLES_FIELD_NUMBER: _ClassVar[int]
    code: str
    name: str
    description: str
    document_count: int
    sample_titles: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, code: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., document_count: _Optional[int] = ..., sample_titles: _Optional[_Iterable[str]] = ...) -> None: ...

class GetStatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStatusResponse(_message.Message):
    __slots__ = ("embedding_model", "embedding_dimension", "embedder_healthy", "documents", "parents", "children", "vector_floor", "degraded", "configured_model", "rebuild_due", "embedding_models", "rebuild")
    EMBEDDING_MODEL_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_DIMENSION_FIELD_NUMBER: _ClassVar[int]
    EMBEDDER_HEALTHY_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    PARENTS_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    VECTOR_FLOOR_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    CONFIGURED_MODEL_FIELD_NUMBER: _ClassVar[int]
    REBUILD_DUE_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_MODELS_FIELD_NUMBER: _ClassVar[int]
    REBUILD_FIELD_NUMBER: _ClassVar[int]
    embedding_model: str
    embedding_dimension: int
    embedder_healthy: bool
    documents: int
    parents: int
    children: int
    vector_floor: float
    degraded: str
    configured_model: str
    rebuild_due: bool
    embedding_models: _containers.RepeatedScalarFieldContainer[str]
    rebuild: RebuildProgress
    def __init__(self, embedding_model: _Optional[str] = ..., embedding_dimension: _Optional[int] = ..., embedder_healthy: _Optional[bool] = ..., documents: _Optional[int] = ..., parents: _Optional[int] = ..., children: _Optional[int] = ..., vector_floor: _Optional[float] = ..., degraded: _Optional[str] = ..., configured_model: _Optional[str] = ..., rebuild_due: _Optional[bool] = ..., embedding_models: _Optional[_Iterable[str]] = ..., rebuild: _Optional[_Union[RebuildProgress, _Mapping]] = ...) -> None: ...

class RebuildProgress(_message.Message):
    __slots__ = ("run_id", "embedding_model", "embedding_dimension", "started_at", "documents_done", "documents_total", "waiting_reason", "retry_at")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_MODEL_FIELD_NUMBER: _ClassVar[int]
    EMBEDDING_DIMENSION_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_DONE_FIELD_NUMBER: _ClassVar[int]
    DOCUMENTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    WAITING_REASON_FIELD_NUMBER: _ClassVar[int]
    RETRY_AT_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    embedding_model: str
    embedding_dimension: int
    started_at: _timestamp_pb2.Timestamp
    documents_done: int
    documents_total: int
    waiting_reason: str
    retry_at: _timestamp_pb2.Timestamp
    def __init__(self, run_id: _Optional[str] = ..., embedding_model: _Optional[str] = ..., embedding_dimension: _Optional[int] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., documents_done: _Optional[int] = ..., documents_total: _Optional[int] = ..., waiting_reason: _Optional[str] = ..., retry_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RebuildIndexRequest(_message.Message):
    __slots__ = ("embedding_model",)
    EMBEDDING_MODEL_FIELD_NUMBER: _ClassVar[int]
    embedding_model: str
    def __init__(self, embedding_model: _Optional[str] = ...) -> None: ...

class RebuildIndexResponse(_message.Message):
    __slots__ = ("run_id", "done")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    done: bool
    def __init__(self, run_id: _Optional[str] = ..., done: _Optional[bool] = ...) -> None: ...
