import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from superagent.common.v1 import common_pb2 as _common_pb2
from superagent.orchestrator.v1 import events_pb2 as _events_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListTurnsRequest(_message.Message):
    __slots__ = ("page", "conversation_id")
    PAGE_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    page: _common_pb2.PageRequest
    conversation_id: str
    def __init__(self, page: _Optional[_Union[_common_pb2.PageRequest, _Mapping]] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class ListTurnsResponse(_message.Message):
    __slots__ = ("turns", "next_cursor")
    TURNS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    turns: _containers.RepeatedCompositeFieldContainer[_events_pb2.TurnRecord]
    next_cursor: str
    def __init__(self, turns: _Optional[_Iterable[_Union[_events_pb2.TurnRecord, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class GetTurnRequest(_message.Message):
    __slots__ = ("turn_id",)
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    def __init__(self, turn_id: _Optional[str] = ...) -> None: ...

class GetTurnResponse(_message.Message):
    __slots__ = ("turn", "spans")
    TURN_FIELD_NUMBER: _ClassVar[int]
    SPANS_FIELD_NUMBER: _ClassVar[int]
    turn: _events_pb2.TurnRecord
    spans: _containers.RepeatedCompositeFieldContainer[Span]
    def __init__(self, turn: _Optional[_Union[_events_pb2.TurnRecord, _Mapping]] = ..., spans: _Optional[_Iterable[_Union[Span, _Mapping]]] = ...) -> None: ...

class Span(_message.Message):
    __slots__ = ("span_id", "parent_span_id", "service", "name", "kind", "started_at", "duration_ms", "failed", "attributes")
    class AttributesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    SERVICE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    span_id: str
    parent_span_id: str
    service: str
    name: str
    kind: str
    started_at: _timestamp_pb2.Timestamp
    duration_ms: float
    failed: bool
    attributes: _containers.ScalarMap[str, str]
    def __init__(self, span_id: _Optional[str] = ..., parent_span_id: _Optional[str] = ..., service: _Optional[str] = ..., name: _Optional[str] = ..., kind: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., duration_ms: _Optional[float] = ..., failed: _Optional[bool] = ..., attributes: _Optional[_Mapping[str, str]] = ...) -> None: ...

class GetUsageRequest(_message.Message):
    __slots__ = ("from_day", "to_day")
    FROM_DAY_FIELD_NUMBER: _ClassVar[int]
    TO_DAY_FIELD_NUMBER: _ClassVar[int]
    from_day: str
    to_day: str
    def __init__(self, from_day: _Optional[str] = ..., to_day: _Optional[str] = ...) -> None: ...

class GetUsageResponse(_message.Message):
    __slots__ = ("rows",)
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[UsageRow]
    def __init__(self, rows: _Optional[_Iterable[_Union[UsageRow, _Mapping]]] = ...) -> None: ...

class UsageRow(_message.Message):
    __slots__ = ("day", "user_id", "model", "turns", "input_tokens", "output_tokens", "cost")
    DAY_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    day: str
    user_id: str
    model: str
    turns: int
    input_tokens: int
    output_tokens: int
    cost: float
    def __init__(self, day: _Optional[str] = ..., user_id: _Optional[str] = ..., model: _Optional[str] = ..., turns: _Optional[int] = ..., input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., cost: _Optional[float] = ...) -> None: ...

class GetHealthRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetHealthResponse(_message.Message):
    __slots__ = ("services",)
    SERVICES_FIELD_NUMBER: _ClassVar[int]
    services: _containers.RepeatedCompositeFieldContainer[ServiceHealth]
    def __init__(self, services: _Optional[_Iterable[_Union[ServiceHealth, _Mapping]]] = ...) -> None: ...

class ServiceHealth(_message.Message):
    __slots__ = ("service", "calls", "failures", "last_seen_at")
    SERVICE_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_AT_FIELD_NUMBER: _ClassVar[int]
    service: str
    calls: int
    failures: int
    last_seen_at: _timestamp_pb2.Timestamp
    def __init__(self, service: _Optional[str] = ..., calls: _Optional[int] = ..., failures: _Optional[int] = ..., last_seen_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
