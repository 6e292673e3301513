import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from superagent.orchestrator.v1 import plan_pb2 as _plan_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StageState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STAGE_STATE_UNSPECIFIED: _ClassVar[StageState]
    STAGE_STATE_STARTED: _ClassVar[StageState]
    STAGE_STATE_COMPLETED: _ClassVar[StageState]
    STAGE_STATE_FAILED: _ClassVar[StageState]
    STAGE_STATE_SKIPPED: _ClassVar[StageState]

class TurnState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TURN_STATE_UNSPECIFIED: _ClassVar[TurnState]
    TURN_STATE_RUNNING: _ClassVar[TurnState]
    TURN_STATE_COMPLETED: _ClassVar[TurnState]
    TURN_STATE_FAILED: _ClassVar[TurnState]
    TURN_STATE_CANCELLED: _ClassVar[TurnState]

class RetrievalMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RETRIEVAL_MODE_UNSPECIFIED: _ClassVar[RetrievalMode]
    RETRIEVAL_MODE_HYBRID: _ClassVar[RetrievalMode]
    RETRIEVAL_MODE_TEXT_ONLY: _ClassVar[RetrievalMode]
    RETRIEVAL_MODE_VECTOR_ONLY: _ClassVar[RetrievalMode]
    RETRIEVAL_MODE_CACHED: _ClassVar[RetrievalMode]
    RETRIEVAL_MODE_NONE: _ClassVar[RetrievalMode]
STAGE_STATE_UNSPECIFIED: StageState
STAGE_STATE_STARTED: StageState
STAGE_STATE_COMPLETED: StageState
STAGE_STATE_FAILED: StageState
STAGE_STATE_SKIPPED: StageState
TURN_STATE_UNSPECIFIED: TurnState
TURN_STATE_RUNNING: TurnState
TURN_STATE_COMPLETED: TurnState
TURN_STATE_FAILED: TurnState
TURN_STATE_CANCELLED: TurnState
RETRIEVAL_MODE_UNSPECIFIED: RetrievalMode
RETRIEVAL_MODE_HYBRID: RetrievalMode
RETRIEVAL_MODE_TEXT_ONLY: RetrievalMode
RETRIEVAL_MODE_VECTOR_ONLY: RetrievalMode
RETRIEVAL_MODE_CACHED: RetrievalMode
RETRIEVAL_MODE_NONE: RetrievalMode

class TurnEvent(_message.Message):
    __slots__ = ("turn_id", "sequence", "at", "accepted", "stage", "plan", "clarify", "thinking", "tool_call", "tool_result", "approval_required", "delta", "sources", "follow_ups", "usage", "degraded", "done", "error", "queued")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    CLARIFY_FIELD_NUMBER: _ClassVar[int]
    THINKING_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    TOOL_RESULT_FIELD_NUMBER: _ClassVar[int]
    APPROVAL_REQUIRED_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_UPS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    sequence: int
    at: _timestamp_pb2.Timestamp
    accepted: Accepted
    stage: Stage
    plan: _plan_pb2.ExecutionPlan
    clarify: Clarify
    thinking: Thinking
    tool_call: ToolCall
    tool_result: ToolResult
    approval_required: ApprovalRequired
    delta: Delta
    sources: Sources
    follow_ups: FollowUps
    usage: Usage
    degraded: Degraded
    done: Done
    error: TurnError
    queued: Queued
    def __init__(self, turn_id: _Optional[str] = ..., sequence: _Optional[int] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., accepted: _Optional[_Union[Accepted, _Mapping]] = ..., stage: _Optional[_Union[Stage, _Mapping]] = ..., plan: _Optional[_Union[_plan_pb2.ExecutionPlan, _Mapping]] = ..., clarify: _Optional[_Union[Clarify, _Mapping]] = ..., thinking: _Optional[_Union[Thinking, _Mapping]] = ..., tool_call: _Optional[_Union[ToolCall, _Mapping]] = ..., tool_result: _Optional[_Union[ToolResult, _Mapping]] = ..., approval_required: _Optional[_Union[ApprovalRequired, _Mapping]] = ..., delta: _Optional[_Union[Delta, _Mapping]] = ..., sources: _Optional[_Union[Sources, _Mapping]] = ..., follow_ups: _Optional[_Union[FollowUps, _Mapping]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., degraded: _Optional[_Union[Degraded, _Mapping]] = ..., done: _Optional[_Union[Done, _Mapping]] = ..., error: _Optional[_Union[TurnError, _Mapping]] = ..., queued: _Optional[_Union[Queued, _Mapping]] = ...) -> None: ...

class Accepted(_message.Message):
    __slots__ = ("turn_id", "conversation_id")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    conversation_id: str
    def __init__(self, turn_id: _Optional[str] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class Stage(_message.Message):
    __slots__ = ("name", "state", "detail", "started_at", "duration_ms")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: StageState
    detail: _struct_pb2.Struct
    started_at: _timestamp_pb2.Timestamp
    duration_ms: float
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[StageState, str]] = ..., detail: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration_ms: _Optional[float] = ...) -> None: ...

class Clarify(_message.Message):
    __slots__ = ("question", "choices")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    question: str
    choices: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, question: _Optional[str] = ..., choices: _Optional[_Iterable[str]] = ...) -> None: ...

class Thinking(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class ToolCall(_message.Message):
    __slots__ = ("id", "name", "arguments")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    arguments: _struct_pb2.Struct
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., arguments: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ToolResult(_message.Message):
    __slots__ = ("id", "ok", "summary", "duration_ms", "result")
    ID_FIELD_NUMBER: _ClassVar[int]
    OK_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    id: str
    ok: bool
    summary: str
    duration_ms: float
    result: str
    def __init__(self, id: _Optional[str] = ..., ok: _Optional[bool] = ..., summary: _Optional[str] = ..., duration_ms: _Optional[float] = ..., result: _Optional[str] = ...) -> None: ...

class ApprovalRequired(_message.Message):
    __slots__ = ("id", "tool", "arguments", "risk")
    ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    RISK_FIELD_NUMBER: _ClassVar[int]
    id: str
    tool: str
    arguments: _struct_pb2.Struct
    risk: str
    def __init__(self, id: _Optional[str] = ..., tool: _Optional[str] = ..., arguments: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., risk: _Optional[str] = ...) -> None: ...

class Delta(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class Sources(_message.Message):
    __slots__ = ("sources", "retrieval_mode")
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    RETRIEVAL_MODE_FIELD_NUMBER: _ClassVar[int]
    sources: _containers.RepeatedCompositeFieldContainer[Source]
    retrieval_mode: RetrievalMode
    def __init__(self, sources: _Optional[_Iterable[_Union[Source, _Mapping]]] = ..., retrieval_mode: _Optional[_Union[RetrievalMode, str]] = ...) -> None: ...

class Source(_message.Message):
    __slots__ = ("citation_id", "document_id", "title", "heading_path", "page_from", "page_to", "snippet", "domain", "child_ids")
    CITATION_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    HEADING_PATH_FIELD_NUMBER: _ClassVar[int]
    PAGE_FROM_FIELD_NUMBER: _ClassVar[int]
    PAGE_TO_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    CHILD_IDS_FIELD_NUMBER: _ClassVar[int]
    citation_id: int
    document_id: str
    title: str
    heading_path: _containers.RepeatedScalarFieldContainer[str]
    page_from: int
    page_to: int
    snippet: str
    domain: str
    child_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, citation_id: _Optional[int] = ..., document_id: _Optional[str] = ..., title: _Optional[str] = ..., heading_path: _Optional[_Iterable[str]] = ..., page_from: _Optional[int] = ..., page_to: _Optional[int] = ..., snippet: _Optional[str] = ..., domain: _Optional[str] = ..., child_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class FollowUps(_message.Message):
    __slots__ = ("questions",)
    QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    questions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, questions: _Optional[_Iterable[str]] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("model", "input_tokens", "output_tokens", "cost", "model_calls", "tool_calls", "limits", "estimated")
    MODEL_FIELD_NUMBER: _ClassVar[int]
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    MODEL_CALLS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    ESTIMATED_FIELD_NUMBER: _ClassVar[int]
    model: str
    input_tokens: int
    output_tokens: int
    cost: float
    model_calls: int
    tool_calls: int
    limits: _plan_pb2.Budget
    estimated: bool
    def __init__(self, model: _Optional[str] = ..., input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., cost: _Optional[float] = ..., model_calls: _Optional[int] = ..., tool_calls: _Optional[int] = ..., limits: _Optional[_Union[_plan_pb2.Budget, _Mapping]] = ..., estimated: _Optional[bool] = ...) -> None: ...

class Degraded(_message.Message):
    __slots__ = ("tier", "reason")
    TIER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    tier: str
    reason: str
    def __init__(self, tier: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class Queued(_message.Message):
    __slots__ = ("position", "model")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    position: int
    model: str
    def __init__(self, position: _Optional[int] = ..., model: _Optional[str] = ...) -> None: ...

class Done(_message.Message):
    __slots__ = ("finish_reason",)
    FINISH_REASON_FIELD_NUMBER: _ClassVar[int]
    finish_reason: str
    def __init__(self, finish_reason: _Optional[str] = ...) -> None: ...

class TurnError(_message.Message):
    __slots__ = ("reason", "message", "retryable", "retry_after_seconds")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_SECONDS_FIELD_NUMBER: _ClassVar[int]
    reason: str
    message: str
    retryable: bool
    retry_after_seconds: float
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ..., retryable: _Optional[bool] = ..., retry_after_seconds: _Optional[float] = ...) -> None: ...

class TurnRecord(_message.Message):
    __slots__ = ("turn_id", "conversation_id", "user_id", "state", "plan", "stages", "usage", "trace_id", "started_at", "completed_at", "finish_reason", "error", "sources", "degraded", "first_delta_ms", "clarify", "last_sequence", "replaces_turn_id", "replays_turn_id")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISH_REASON_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    DEGRADED_FIELD_NUMBER: _ClassVar[int]
    FIRST_DELTA_MS_FIELD_NUMBER: _ClassVar[int]
    CLARIFY_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    REPLACES_TURN_ID_FIELD_NUMBER: _ClassVar[int]
    REPLAYS_TURN_ID_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    conversation_id: str
    user_id: str
    state: TurnState
    plan: _plan_pb2.ExecutionPlan
    stages: _containers.RepeatedCompositeFieldContainer[Stage]
    usage: Usage
    trace_id: str
    started_at: _timestamp_pb2.Timestamp
    completed_at: _timestamp_pb2.Timestamp
    finish_reason: str
    error: TurnError
    sources: Sources
    degraded: _containers.RepeatedCompositeFieldContainer[Degraded]
    first_delta_ms: float
    clarify: Clarify
    last_sequence: int
    replaces_turn_id: str
    replays_turn_id: str
    def __init__(self, turn_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., user_id: _Optional[str] = ..., state: _Optional[_Union[TurnState, str]] = ..., plan: _Optional[_Union[_plan_pb2.ExecutionPlan, _Mapping]] = ..., stages: _Optional[_Iterable[_Union[Stage, _Mapping]]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., trace_id: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., completed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finish_reason: _Optional[str] = ..., error: _Optional[_Union[TurnError, _Mapping]] = ..., sources: _Optional[_Union[Sources, _Mapping]] = ..., degraded: _Optional[_Iterable[_Union[Degraded, _Mapping]]] = ..., first_delta_ms: _Optional[float] = ..., clarify: _Optional[_Union[Clarify, _Mapping]] = ..., last_sequence: _Optional[int] = ..., replaces_turn_id: _Optional[str] = ..., replays_turn_id: _Optional[str] = ...) -> None: ...

class TurnCompleted(_message.Message):
    __slots__ = ("turn",)
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: TurnRecord
    def __init__(self, turn: _Optional[_Union[TurnRecord, _Mapping]] = ...) -> None: ...
