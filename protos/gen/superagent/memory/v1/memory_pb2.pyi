import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from superagent.common.v1 import common_pb2 as _common_pb2
from superagent.orchestrator.v1 import events_pb2 as _events_pb2
from superagent.orchestrator.v1 import plan_pb2 as _plan_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ContextKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEXT_KIND_UNSPECIFIED: _ClassVar[ContextKind]
    CONTEXT_KIND_CHAT: _ClassVar[ContextKind]
    CONTEXT_KIND_TOOL: _ClassVar[ContextKind]
    CONTEXT_KIND_ADMIN_TOOL: _ClassVar[ContextKind]
CONTEXT_KIND_UNSPECIFIED: ContextKind
CONTEXT_KIND_CHAT: ContextKind
CONTEXT_KIND_TOOL: ContextKind
CONTEXT_KIND_ADMIN_TOOL: ContextKind

class LoadContextRequest(_message.Message):
    __slots__ = ("conversation_id", "strategy", "kind", "without_turn_id")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_TURN_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    strategy: _plan_pb2.MemoryStrategy
    kind: ContextKind
    without_turn_id: str
    def __init__(self, conversation_id: _Optional[str] = ..., strategy: _Optional[_Union[_plan_pb2.MemoryStrategy, str]] = ..., kind: _Optional[_Union[ContextKind, str]] = ..., without_turn_id: _Optional[str] = ...) -> None: ...

class LoadContextResponse(_message.Message):
    __slots__ = ("memory", "turns_total")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    TURNS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    memory: _plan_pb2.PlanMemory
    turns_total: int
    def __init__(self, memory: _Optional[_Union[_plan_pb2.PlanMemory, _Mapping]] = ..., turns_total: _Optional[int] = ...) -> None: ...

class AppendTurnRequest(_message.Message):
    __slots__ = ("conversation_id", "turn", "replaces_turn_id")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    REPLACES_TURN_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    turn: StoredTurn
    replaces_turn_id: str
    def __init__(self, conversation_id: _Optional[str] = ..., turn: _Optional[_Union[StoredTurn, _Mapping]] = ..., replaces_turn_id: _Optional[str] = ...) -> None: ...

class StoredTurn(_message.Message):
    __slots__ = ("turn_id", "question", "answer", "sources", "state", "mode", "finish_reason", "asked_at", "stored_at", "kind", "clarify", "tools")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    FINISH_REASON_FIELD_NUMBER: _ClassVar[int]
    ASKED_AT_FIELD_NUMBER: _ClassVar[int]
    STORED_AT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CLARIFY_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    question: str
    answer: str
    sources: _events_pb2.Sources
    state: _events_pb2.TurnState
    mode: _plan_pb2.Mode
    finish_reason: str
    asked_at: _timestamp_pb2.Timestamp
    stored_at: _timestamp_pb2.Timestamp
    kind: ContextKind
    clarify: _events_pb2.Clarify
    tools: _containers.RepeatedCompositeFieldContainer[_plan_pb2.ToolUse]
    def __init__(self, turn_id: _Optional[str] = ..., question: _Optional[str] = ..., answer: _Optional[str] = ..., sources: _Optional[_Union[_events_pb2.Sources, _Mapping]] = ..., state: _Optional[_Union[_events_pb2.TurnState, str]] = ..., mode: _Optional[_Union[_plan_pb2.Mode, str]] = ..., finish_reason: _Optional[str] = ..., asked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., stored_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., kind: _Optional[_Union[ContextKind, str]] = ..., clarify: _Optional[_Union[_events_pb2.Clarify, _Mapping]] = ..., tools: _Optional[_Iterable[_Union[_plan_pb2.ToolUse, _Mapping]]] = ...) -> None: ...

class AppendTurnResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Conversation(_message.Message):
    __slots__ = ("conversation_id", "title", "memory_strategy", "created_at", "updated_at", "turns_total", "unlisted")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    TURNS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    title: str
    memory_strategy: _plan_pb2.MemoryStrategy
    created_at: _timestamp_pb2.Timestamp
    updated_at: _timestamp_pb2.Timestamp
    turns_total: int
    unlisted: bool
    def __init__(self, conversation_id: _Optional[str] = ..., title: _Optional[str] = ..., memory_strategy: _Optional[_Union[_plan_pb2.MemoryStrategy, str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., turns_total: _Optional[int] = ..., unlisted: _Optional[bool] = ...) -> None: ...

class CreateConversationRequest(_message.Message):
    __slots__ = ("conversation_id", "title", "memory_strategy", "first_question", "unlisted")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    FIRST_QUESTION_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    title: str
    memory_strategy: _plan_pb2.MemoryStrategy
    first_question: str
    unlisted: bool
    def __init__(self, conversation_id: _Optional[str] = ..., title: _Optional[str] = ..., memory_strategy: _Optional[_Union[_plan_pb2.MemoryStrategy, str]] = ..., first_question: _Optional[str] = ..., unlisted: _Optional[bool] = ...) -> None: ...

class CreateConversationResponse(_message.Message):
    __slots__ = ("conversation", "memory")
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    conversation: Conversation
    memory: _plan_pb2.PlanMemory
    def __init__(self, conversation: _Optional[_Union[Conversation, _Mapping]] = ..., memory: _Optional[_Union[_plan_pb2.PlanMemory, _Mapping]] = ...) -> None: ...

class ListConversationsRequest(_message.Message):
    __slots__ = ("page", "unlisted")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_FIELD_NUMBER: _ClassVar[int]
    page: _common_pb2.PageRequest
    unlisted: bool
    def __init__(self, page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ..., unlisted: _Optional[bool] = ...) -> None: ...

class ListConversationsResponse(_message.Message):
    __slots__ = ("conversations", "next_cursor")
    CONVERSATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    conversations: _containers.RepeatedCompositeFieldContainer[Conversation]
    next_cursor: str
    def __init__(self, conversations: _Optional[_Iterable[_Union[Conversation, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class GetConversationRequest(_message.Message):
    __slots__ = ("conversation_id", "turns_page")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TURNS_PAGE_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    turns_page: _common_pb2.PageRequest
    def __init__(self, conversation_id: _Optional[str] = ..., turns_page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ...) -> None: ...

class GetConversationResponse(_message.Message):
    __slots__ = ("conversation", "turns", "next_cursor", "summary")
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    conversation: Conversation
    turns: _containers.RepeatedCompositeFieldContainer[StoredTurn]
    next_cursor: str
    summary: ConversationSummary
    def __init__(self, conversation: _Optional[_Union[Conversation, _Mapping]] = ..., turns: _Optional[_Iterable[_Union[StoredTurn, _Mapping]]] = ..., next_cursor: _Optional[str] = ..., summary: _Optional[_Union[ConversationSummary, _Mapping]] = ...) -> None: ...

class ConversationSummary(_message.Message):
    __slots__ = ("text", "facts", "turns_covered", "updated_at")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    TURNS_COVERED_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    text: str
    facts: _containers.RepeatedScalarFieldContainer[str]
    turns_covered: int
    updated_at: _timestamp_pb2.Timestamp
    def __init__(self, text: _Optional[str] = ..., facts: _Optional[_Iterable[str]] = ..., turns_covered: _Optional[int] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class UpdateConversationRequest(_message.Message):
    __slots__ = ("conversation_id", "title", "memory_strategy")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    title: str
    memory_strategy: _plan_pb2.MemoryStrategy
    def __init__(self, conversation_id: _Optional[str] = ..., title: _Optional[str] = ..., memory_strategy: _Optional[_Union[_plan_pb2.MemoryStrategy, str]] = ...) -> None: ...

class UpdateConversationResponse(_message.Message):
    __slots__ = ("conversation",)
    CONVERSATION_FIELD_NUMBER: _ClassVar[int]
    conversation: Conversation
    def __init__(self, conversation: _Optional[_Union[Conversation, _Mapping]] = ...) -> None: ...

class DeleteConversationRequest(_message.Message):
    __slots__ = ("conversation_id",)
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    def __init__(self, conversation_id: _Optional[str] = ...) -> None: ...

class DeleteConversationResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ConversationDeleted(_message.Message):
    __slots__ = ("conversation_id",)
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    def __init__(self, conversation_id: _Optional[str] = ...) -> None: ...

class SearchConversationsRequest(_message.Message):
    __slots__ = ("query", "page", "unlisted")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_FIELD_NUMBER: _ClassVar[int]
    query: str
    page: _common_pb2.PageRequest
    unlisted: bool
    def __init__(self, query: _Optional[str] = ..., page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ..., unlisted: _Optional[bool] = ...) -> None: ...

class SearchConversationsResponse(_message.Message):
    __slots__ = ("conversations", "next_cursor")
    CONVERSATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    conversations: _containers.RepeatedCompositeFieldContainer[Conversation]
    next_cursor: str
    def __init__(self, conversations: _Optional[_Iterable[_Union[Conversation, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class CompressConversationRequest(_message.Message):
    __slots__ = ("conversation_id", "rebuild")
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    REBUILD_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    rebuild: bool
    def __init__(self, conversation_id: _Optional[str] = ..., rebuild: _Optional[bool] = ...) -> None: ...

class CompressConversationResponse(_message.Message):
    __slots__ = ("delta", "summary")
    DELTA_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    delta: str
    summary: ConversationSummary
    def __init__(self, delta: _Optional[str] = ..., summary: _Optional[_Union[ConversationSummary, _Mapping]] = ...) -> None: ...

class UserMemoryItem(_message.Message):
    __slots__ = ("item_id", "text", "conversation_id", "created_at")
    ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    item_id: str
    text: str
    conversation_id: str
    created_at: _timestamp_pb2.Timestamp
    def __init__(self, item_id: _Optional[str] = ..., text: _Optional[str] = ..., conversation_id: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetUserMemoryRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetUserMemoryResponse(_message.Message):
    __slots__ = ("enabled", "items")
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    enabled: bool
    items: _containers.RepeatedCompositeFieldContainer[UserMemoryItem]
    def __init__(self, enabled: _Optional[bool] = ..., items: _Optional[_Iterable[_Union[UserMemoryItem, _Mapping]]] = ...) -> None: ...

class UpdateUserMemoryRequest(_message.Message):
    __slots__ = ("enabled", "add")
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    ADD_FIELD_NUMBER: _ClassVar[int]
    enabled: bool
    add: str
    def __init__(self, enabled: _Optional[bool] = ..., add: _Optional[str] = ...) -> None: ...

class UpdateUserMemoryResponse(_message.Message):
    __slots__ = ("enabled", "items")
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    enabled: bool
    items: _containers.RepeatedCompositeFieldContainer[UserMemoryItem]
    def __init__(self, enabled: _Optional[bool] = ..., items: _Optional[_Iterable[_Union[UserMemoryItem, _Mapping]]] = ...) -> None: ...

class DeleteUserMemoryRequest(_message.Message):
    __slots__ = ("item_id",)
    ITEM_ID_FIELD_NUMBER: _ClassVar[int]
    item_id: str
    def __init__(self, item_id: _Optional[str] = ...) -> None: ...

class DeleteUserMemoryResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
