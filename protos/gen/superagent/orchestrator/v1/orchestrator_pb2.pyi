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

class StartTurnRequest(_message.Message):
    __slots__ = ("message", "conversation_id", "time_zone", "memory_strategy", "domains", "skill", "mode", "idempotency_key", "history", "unlisted", "max_output_tokens")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    MEMORY_STRATEGY_FIELD_NUMBER: _ClassVar[int]
    DOMAINS_FIELD_NUMBER: _ClassVar[int]
    SKILL_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_FIELD_NUMBER: _ClassVar[int]
    MAX_OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    message: str
    conversation_id: str
    time_zone: str
    memory_strategy: _plan_pb2.MemoryStrategy
    domains: _containers.RepeatedScalarFieldContainer[str]
    skill: str
    mode: _plan_pb2.Mode
    idempotency_key: str
    history: _containers.RepeatedCompositeFieldContainer[_plan_pb2.PastTurn]
    unlisted: bool
    max_output_tokens: int
    def __init__(self, message: _Optional[str] = ..., conversation_id: _Optional[str] = ..., time_zone: _Optional[str] = ..., memory_strategy: _Optional[_Union[_plan_pb2.MemoryStrategy, str]] = ..., domains: _Optional[_Iterable[str]] = ..., skill: _Optional[str] = ..., mode: _Optional[_Union[_plan_pb2.Mode, str]] = ..., idempotency_key: _Optional[str] = ..., history: _Optional[_Iterable[_Union[_plan_pb2.PastTurn, _Mapping]]] = ..., unlisted: _Optional[bool] = ..., max_output_tokens: _Optional[int] = ...) -> None: ...

class StartTurnResponse(_message.Message):
    __slots__ = ("turn_id", "conversation_id")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    conversation_id: str
    def __init__(self, turn_id: _Optional[str] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class StreamTurnRequest(_message.Message):
    __slots__ = ("turn_id", "after_sequence")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    after_sequence: int
    def __init__(self, turn_id: _Optional[str] = ..., after_sequence: _Optional[int] = ...) -> None: ...

class StreamTurnResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: _events_pb2.TurnEvent
    def __init__(self, event: _Optional[_Union[_events_pb2.TurnEvent, _Mapping]] = ...) -> None: ...

class CancelTurnRequest(_message.Message):
    __slots__ = ("turn_id",)
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    def __init__(self, turn_id: _Optional[str] = ...) -> None: ...

class CancelTurnResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RegenerateTurnRequest(_message.Message):
    __slots__ = ("turn_id", "message", "idempotency_key")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    message: str
    idempotency_key: str
    def __init__(self, turn_id: _Optional[str] = ..., message: _Optional[str] = ..., idempotency_key: _Optional[str] = ...) -> None: ...

class RegenerateTurnResponse(_message.Message):
    __slots__ = ("turn_id", "conversation_id")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    conversation_id: str
    def __init__(self, turn_id: _Optional[str] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class ResumeTurnRequest(_message.Message):
    __slots__ = ("turn_id", "call_id", "approved")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    APPROVED_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    call_id: str
    approved: bool
    def __init__(self, turn_id: _Optional[str] = ..., call_id: _Optional[str] = ..., approved: _Optional[bool] = ...) -> None: ...

class ResumeTurnResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PreviewPlanRequest(_message.Message):
    __slots__ = ("turn",)
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: StartTurnRequest
    def __init__(self, turn: _Optional[_Union[StartTurnRequest, _Mapping]] = ...) -> None: ...

class PreviewPlanResponse(_message.Message):
    __slots__ = ("plan", "stages")
    PLAN_FIELD_NUMBER: _ClassVar[int]
    STAGES_FIELD_NUMBER: _ClassVar[int]
    plan: _plan_pb2.ExecutionPlan
    stages: _containers.RepeatedCompositeFieldContainer[_events_pb2.Stage]
    def __init__(self, plan: _Optional[_Union[_plan_pb2.ExecutionPlan, _Mapping]] = ..., stages: _Optional[_Iterable[_Union[_events_pb2.Stage, _Mapping]]] = ...) -> None: ...

class GetPlanRequest(_message.Message):
    __slots__ = ("turn_id",)
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    def __init__(self, turn_id: _Optional[str] = ...) -> None: ...

class GetPlanResponse(_message.Message):
    __slots__ = ("plan", "turn")
    PLAN_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    plan: _plan_pb2.ExecutionPlan
    turn: _events_pb2.TurnRecord
    def __init__(self, plan: _Optional[_Union[_plan_pb2.ExecutionPlan, _Mapping]] = ..., turn: _Optional[_Union[_events_pb2.TurnRecord, _Mapping]] = ...) -> None: ...

class ReplayPlanRequest(_message.Message):
    __slots__ = ("turn_id", "idempotency_key")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    idempotency_key: str
    def __init__(self, turn_id: _Optional[str] = ..., idempotency_key: _Optional[str] = ...) -> None: ...

class ReplayPlanResponse(_message.Message):
    __slots__ = ("turn_id", "conversation_id")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    conversation_id: str
    def __init__(self, turn_id: _Optional[str] = ..., conversation_id: _Optional[str] = ...) -> None: ...

class ListRunningTurnsRequest(_message.Message):
    __slots__ = ("conversation_id",)
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    conversation_id: str
    def __init__(self, conversation_id: _Optional[str] = ...) -> None: ...

class RunningTurn(_message.Message):
    __slots__ = ("turn_id", "conversation_id", "question", "started_at", "replaces_turn_id")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    REPLACES_TURN_ID_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    conversation_id: str
    question: str
    started_at: _timestamp_pb2.Timestamp
    replaces_turn_id: str
    def __init__(self, turn_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., question: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., replaces_turn_id: _Optional[str] = ...) -> None: ...

class ListRunningTurnsResponse(_message.Message):
    __slots__ = ("turns",)
    TURNS_FIELD_NUMBER: _ClassVar[int]
    turns: _containers.RepeatedCompositeFieldContainer[RunningTurn]
    def __init__(self, turns: _Optional[_Iterable[_Union[RunningTurn, _Mapping]]] = ...) -> None: ...
