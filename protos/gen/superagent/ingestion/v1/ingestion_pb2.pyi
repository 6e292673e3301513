import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from superagent.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DocumentState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DOCUMENT_STATE_UNSPECIFIED: _ClassVar[DocumentState]
    DOCUMENT_STATE_UPLOADED: _ClassVar[DocumentState]
    DOCUMENT_STATE_PARSING: _ClassVar[DocumentState]
    DOCUMENT_STATE_PARSED: _ClassVar[DocumentState]
    DOCUMENT_STATE_CONFIRMED: _ClassVar[DocumentState]
    DOCUMENT_STATE_CHUNKING: _ClassVar[DocumentState]
    DOCUMENT_STATE_INDEXING: _ClassVar[DocumentState]
    DOCUMENT_STATE_READY: _ClassVar[DocumentState]
    DOCUMENT_STATE_FAILED: _ClassVar[DocumentState]
    DOCUMENT_STATE_DELETING: _ClassVar[DocumentState]
DOCUMENT_STATE_UNSPECIFIED: DocumentState
DOCUMENT_STATE_UPLOADED: DocumentState
DOCUMENT_STATE_PARSING: DocumentState
DOCUMENT_STATE_PARSED: DocumentState
DOCUMENT_STATE_CONFIRMED: DocumentState
DOCUMENT_STATE_CHUNKING: DocumentState
DOCUMENT_STATE_INDEXING: DocumentState
DOCUMENT_STATE_READY: DocumentState
DOCUMENT_STATE_FAILED: DocumentState
DOCUMENT_STATE_DELETING: DocumentState

class CreateUploadRequest(_message.Message):
    __slots__ = ("file_name", "size", "sha256", "domain_code", "business_category", "title", "language", "tags", "org_tag", "is_public", "idempotency_key", "review_strategy")
    FILE_NAME_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_CODE_FIELD_NUMBER: _ClassVar[int]
    BUSINESS_CATEGORY_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    ORG_TAG_FIELD_NUMBER: _ClassVar[int]
    IS_PUBLIC_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    REVIEW_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    file_name: str
    size: int
    sha256: str
    domain_code: str
    business_category: str
    title: str
    language: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    org_tag: str
    is_public: bool
    idempotency_key: str
    review_strategy: bool
    def __init__(self, file_name: _Optional[str] = ..., size: _Optional[int] = ..., sha256: _Optional[str] = ..., domain_code: _Optional[str] = ..., business_category: _Optional[str] = ..., title: _Optional[str] = ..., language: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., org_tag: _Optional[str] = ..., is_public: _Optional[bool] = ..., idempotency_key: _Optional[str] = ..., review_strategy: _Optional[bool] = ...) -> None: ...

class Upload(_message.Message):
    __slots__ = ("upload_id", "part_size", "parts_total", "parts_received", "instant", "document_id", "challenge")
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    PART_SIZE_FIELD_NUMBER: _ClassVar[int]
    PARTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    PARTS_RECEIVED_FIELD_NUMBER: _ClassVar[int]
    INSTANT_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    upload_id: str
    part_size: int
    parts_total: int
    parts_received: _containers.RepeatedScalarFieldContainer[int]
    instant: bool
    document_id: str
    challenge: Challenge
    def __init__(self, upload_id: _Optional[str] = ..., part_size: _Optional[int] = ..., parts_total: _Optional[int] = ..., parts_received: _Optional[_Iterable[int]] = ..., instant: _Optional[bool] = ..., document_id: _Optional[str] = ..., challenge: _Optional[_Union[Challenge, _Mapping]] = ...) -> None: ...

class Challenge(_message.Message):
    __slots__ = ("nonce", "ranges")
    NONCE_FIELD_NUMBER: _ClassVar[int]
    RANGES_FIELD_NUMBER: _ClassVar[int]
    nonce: bytes
    ranges: _containers.RepeatedCompositeFieldContainer[ByteRange]
    def __init__(self, nonce: _Optional[bytes] = ..., ranges: _Optional[_Iterable[_Union[ByteRange, _Mapping]]] = ...) -> None: ...

class ByteRange(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class CreateUploadResponse(_message.Message):
    __slots__ = ("upload",)
    UPLOAD_FIELD_NUMBER: _ClassVar[int]
    upload: Upload
    def __init__(self, upload: _Optional[_Union[Upload, _Mapping]] = ...) -> None: ...

class ProvePossessionRequest(_message.Message):
    __slots__ = ("upload_id", "digest")
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    upload_id: str
    digest: str
    def __init__(self, upload_id: _Optional[str] = ..., digest: _Optional[str] = ...) -> None: ...

class ProvePossessionResponse(_message.Message):
    __slots__ = ("upload",)
    UPLOAD_FIELD_NUMBER: _ClassVar[int]
    upload: Upload
    def __init__(self, upload: _Optional[_Union[Upload, _Mapping]] = ...) -> None: ...

class PutPartRequest(_message.Message):
    __slots__ = ("header", "data")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    header: PartHeader
    data: bytes
    def __init__(self, header: _Optional[_Union[PartHeader, _Mapping]] = ..., data: _Optional[bytes] = ...) -> None: ...

class PartHeader(_message.Message):
    __slots__ = ("upload_id", "number", "sha256")
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    upload_id: str
    number: int
    sha256: str
    def __init__(self, upload_id: _Optional[str] = ..., number: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...

class PutPartResponse(_message.Message):
    __slots__ = ("parts_received", "parts_total")
    PARTS_RECEIVED_FIELD_NUMBER: _ClassVar[int]
    PARTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    parts_received: _containers.RepeatedScalarFieldContainer[int]
    parts_total: int
    def __init__(self, parts_received: _Optional[_Iterable[int]] = ..., parts_total: _Optional[int] = ...) -> None: ...

class GetUploadRequest(_message.Message):
    __slots__ = ("upload_id",)
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    upload_id: str
    def __init__(self, upload_id: _Optional[str] = ...) -> None: ...

class GetUploadResponse(_message.Message):
    __slots__ = ("upload",)
    UPLOAD_FIELD_NUMBER: _ClassVar[int]
    upload: Upload
    def __init__(self, upload: _Optional[_Union[Upload, _Mapping]] = ...) -> None: ...

class CompleteUploadRequest(_message.Message):
    __slots__ = ("upload_id",)
    UPLOAD_ID_FIELD_NUMBER: _ClassVar[int]
    upload_id: str
    def __init__(self, upload_id: _Optional[str] = ...) -> None: ...

class CompleteUploadResponse(_message.Message):
    __slots__ = ("document_id",)
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    def __init__(self, document_id: _Optional[str] = ...) -> None: ...

class ImportUrlRequest(_message.Message):
    __slots__ = ("url", "metadata")
    URL_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    url: str
    metadata: CreateUploadRequest
    def __init__(self, url: _Optional[str] = ..., metadata: _Optional[_Union[CreateUploadRequest, _Mapping]] = ...) -> None: ...

class ImportUrlResponse(_message.Message):
    __slots__ = ("document_id",)
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    def __init__(self, document_id: _Optional[str] = ...) -> None: ...

class Document(_message.Message):
    __slots__ = ("document_id", "file_name", "title", "state", "progress", "waiting_reason", "failure", "children", "parents", "strategy", "stages", "size", "sha256", "domain_code", "business_category", "tags", "language", "org_tag", "is_public", "owner_id", "created_at", "updated_at", "pages", "strategy_reasons", "answering", "recommended_strategy", "source_url", "instant", "retry_at", "queued_before")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    FILE_NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    WAITING_REASON_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    PARENTS_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_CODE_FIELD_NUMBER: _ClassVar[int]
    BUSINESS_CATEGORY_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    ORG_TAG_FIELD_NUMBER: _ClassVar[int]
    IS_PUBLIC_FIELD_NUMBER: _ClassVar[int]
    OWNER_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    PAGES_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_REASONS_FIELD_NUMBER: _ClassVar[int]
    ANSWERING_FIELD_NUMBER: _ClassVar[int]
    RECOMMENDED_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_URL_FIELD_NUMBER: _ClassVar[int]
    INSTANT_FIELD_NUMBER: _ClassVar[int]
    RETRY_AT_FIELD_NUMBER: _ClassVar[int]
    QUEUED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    file_name: str
    title: str
    state: DocumentState
    progress: int
    waiting_reason: str
    failure: Failure
    children: int
    parents: int
    strategy: str
    stages: _containers.RepeatedCompositeFieldContainer[DocumentStage]
    size: int
    sha256: str
    domain_code: str
    business_category: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    language: str
    org_tag: str
    is_public: bool
    owner_id: str
    created_at: _timestamp_pb2.Timestamp
    updated_at: _timestamp_pb2.Timestamp
    pages: int
    strategy_reasons: _containers.RepeatedScalarFieldContainer[str]
    answering: bool
    recommended_strategy: str
    source_url: str
    instant: bool
    retry_at: _timestamp_pb2.Timestamp
    queued_before: int
    def __init__(self, document_id: _Optional[str] = ..., file_name: _Optional[str] = ..., title: _Optional[str] = ..., state: _Optional[_Union[DocumentState, str]] = ..., progress: _Optional[int] = ..., waiting_reason: _Optional[str] = ..., failure: _Optional[_Union[Failure, _Mapping]] = ..., children: _Optional[int] = ..., parents: _Optional[int] = ..., strategy: _Optional[str] = ..., stages: _Optional[_Iterable[_Union[DocumentStage, _Mapping]]] = ..., size: _Optional[int] = ..., sha256: _Optional[str] = ..., domain_code: _Optional[str] = ..., business_category: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., language: _Optional[str] = ..., org_tag: _Optional[str] = ..., is_public: _Optional[bool] = ..., owner_id: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., pages: _Optional[int] = ..., strategy_reasons: _Optional[_Iterable[str]] = ..., answering: _Optional[bool] = ..., recommended_strategy: _Optional[str] = ..., source_url: _Optional[str] = ..., instant: _Optional[bool] = ..., retry_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., queued_before: _Optional[int] = ...) -> None: ...

class Failure(_message.Message):
    __slots__ = ("stage", "reason", "message")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    stage: str
    reason: str
    message: str
    def __init__(self, stage: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class DocumentStage(_message.Message):
    __slots__ = ("name", "state", "started_at", "ended_at", "attempts", "counts")
    class CountsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: str
    started_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    attempts: int
    counts: _containers.ScalarMap[str, int]
    def __init__(self, name: _Optional[str] = ..., state: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., attempts: _Optional[int] = ..., counts: _Optional[_Mapping[str, int]] = ...) -> None: ...

class ListDocumentsRequest(_message.Message):
    __slots__ = ("page", "states", "domain_code", "query")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_CODE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    page: _common_pb2.PageRequest
    states: _containers.RepeatedScalarFieldContainer[DocumentState]
    domain_code: str
    query: str
    def __init__(self, page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ..., states: _Optional[_Iterable[_Union[DocumentState, str]]] = ..., domain_code: _Optional[str] = ..., query: _Optional[str] = ...) -> None: ...

class ListDocumentsResponse(_message.Message):
    __slots__ = ("documents", "next_cursor")
    DOCUMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    documents: _containers.RepeatedCompositeFieldContainer[Document]
    next_cursor: str
    def __init__(self, documents: _Optional[_Iterable[_Union[Document, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class GetDocumentRequest(_message.Message):
    __slots__ = ("document_id",)
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    def __init__(self, document_id: _Optional[str] = ...) -> None: ...

class GetDocumentResponse(_message.Message):
    __slots__ = ("document",)
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    document: Document
    def __init__(self, document: _Optional[_Union[Document, _Mapping]] = ...) -> None: ...

class GetDocumentLogRequest(_message.Message):
    __slots__ = ("document_id",)
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    def __init__(self, document_id: _Optional[str] = ...) -> None: ...

class GetDocumentLogResponse(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[LogEntry]
    def __init__(self, entries: _Optional[_Iterable[_Union[LogEntry, _Mapping]]] = ...) -> None: ...

class LogEntry(_message.Message):
    __slots__ = ("at", "stage", "level", "message")
    AT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    stage: str
    level: str
    message: str
    def __init__(self, at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., stage: _Optional[str] = ..., level: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class WatchDocumentsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchDocumentsResponse(_message.Message):
    __slots__ = ("document",)
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    document: Document
    def __init__(self, document: _Optional[_Union[Document, _Mapping]] = ...) -> None: ...

class PreviewChunksRequest(_message.Message):
    __slots__ = ("document_id", "strategy", "page")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    strategy: str
    page: _common_pb2.PageRequest
    def __init__(self, document_id: _Optional[str] = ..., strategy: _Optional[str] = ..., page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class PreviewChunksResponse(_message.Message):
    __slots__ = ("chunks", "next_cursor", "strategy", "available_strategies", "parents_total", "children_total")
    CHUNKS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    AVAILABLE_STRATEGIES_FIELD_NUMBER: _ClassVar[int]
    PARENTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_TOTAL_FIELD_NUMBER: _ClassVar[int]
    chunks: _containers.RepeatedCompositeFieldContainer[PreviewChunk]
    next_cursor: str
    strategy: str
    available_strategies: _containers.RepeatedScalarFieldContainer[str]
    parents_total: int
    children_total: int
    def __init__(self, chunks: _Optional[_Iterable[_Union[PreviewChunk, _Mapping]]] = ..., next_cursor: _Optional[str] = ..., strategy: _Optional[str] = ..., available_strategies: _Optional[_Iterable[str]] = ..., parents_total: _Optional[int] = ..., children_total: _Optional[int] = ...) -> None: ...

class PreviewChunk(_message.Message):
    __slots__ = ("position", "parent_position", "heading_path", "page", "text", "repeated_characters")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    PARENT_POSITION_FIELD_NUMBER: _ClassVar[int]
    HEADING_PATH_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    REPEATED_CHARACTERS_FIELD_NUMBER: _ClassVar[int]
    position: int
    parent_position: int
    heading_path: _containers.RepeatedScalarFieldContainer[str]
    page: int
    text: str
    repeated_characters: int
    def __init__(self, position: _Optional[int] = ..., parent_position: _Optional[int] = ..., heading_path: _Optional[_Iterable[str]] = ..., page: _Optional[int] = ..., text: _Optional[str] = ..., repeated_characters: _Optional[int] = ...) -> None: ...

class ConfirmStrategyRequest(_message.Message):
    __slots__ = ("document_id", "strategy")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    strategy: str
    def __init__(self, document_id: _Optional[str] = ..., strategy: _Optional[str] = ...) -> None: ...

class ConfirmStrategyResponse(_message.Message):
    __slots__ = ("document",)
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    document: Document
    def __init__(self, document: _Optional[_Union[Document, _Mapping]] = ...) -> None: ...

class ReprocessDocumentRequest(_message.Message):
    __slots__ = ("document_id",)
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    def __init__(self, document_id: _Optional[str] = ...) -> None: ...

class ReprocessDocumentResponse(_message.Message):
    __slots__ = ("document",)
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    document: Document
    def __init__(self, document: _Optional[_Union[Document, _Mapping]] = ...) -> None: ...

class UpdateDocumentRequest(_message.Message):
    __slots__ = ("document_id", "title", "tags", "set_tags", "org_tag", "is_public")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    SET_TAGS_FIELD_NUMBER: _ClassVar[int]
    ORG_TAG_FIELD_NUMBER: _ClassVar[int]
    IS_PUBLIC_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    title: str
    tags: _containers.RepeatedScalarFieldContainer[str]
    set_tags: bool
    org_tag: str
    is_public: bool
    def __init__(self, document_id: _Optional[str] = ..., title: _Optional[str] = ..., tags: _Optional[_Iterable[str]] = ..., set_tags: _Optional[bool] = ..., org_tag: _Optional[str] = ..., is_public: _Optional[bool] = ...) -> None: ...

class UpdateDocumentResponse(_message.Message):
    __slots__ = ("document",)
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    document: Document
    def __init__(self, document: _Optional[_Union[Document, _Mapping]] = ...) -> None: ...

class DeleteDocumentRequest(_message.Message):
    __slots__ = ("document_id",)
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    def __init__(self, document_id: _Optional[str] = ...) -> None: ...

class DeleteDocumentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class DocumentUploaded(_message.Message):
    __slots__ = ("document_id",)
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    def __init__(self, document_id: _Optional[str] = ...) -> None: ...

class DocumentIndexed(_message.Message):
    __slots__ = ("document", "children_embedded")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_EMBEDDED_FIELD_NUMBER: _ClassVar[int]
    document: Document
    children_embedded: int
    def __init__(self, document: _Optional[_Union[Document, _Mapping]] = ..., children_embedded: _Optional[int] = ...) -> None: ...

class DocumentFailed(_message.Message):
    __slots__ = ("document",)
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    document: Document
    def __init__(self, document: _Optional[_Union[Document, _Mapping]] = ...) -> None: ...

class DocumentDeleted(_message.Message):
    __slots__ = ("document_id", "owner_id")
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    OWNER_ID_FIELD_NUMBER: _ClassVar[int]
    document_id: str
    owner_id: str
    def __init__(self, document_id: _Optional[str] = ..., owner_id: _Optional[str] = ...) -> None: ...
