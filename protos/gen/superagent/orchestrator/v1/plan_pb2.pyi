import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Mode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MODE_UNSPECIFIED: _ClassVar[Mode]
    MODE_CLARIFY: _ClassVar[Mode]
    MODE_RAG_CHAT: _ClassVar[Mode]
    MODE_REACT_AGENT: _ClassVar[Mode]
    MODE_WORKFLOW: _ClassVar[Mode]
    MODE_DIRECT: _ClassVar[Mode]

class MemoryStrategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_STRATEGY_UNSPECIFIED: _ClassVar[MemoryStrategy]
    MEMORY_STRATEGY_NONE: _ClassVar[MemoryStrategy]
    MEMORY_STRATEGY_SLIDING_WINDOW: _ClassVar[MemoryStrategy]
    MEMORY_STRATEGY_SUMMARY: _ClassVar[MemoryStrategy]

class PlannerKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLANNER_KIND_UNSPECIFIED: _ClassVar[PlannerKind]
    PLANNER_KIND_MODEL: _ClassVar[PlannerKind]
    PLANNER_KIND_RULES: _ClassVar[PlannerKind]
    PLANNER_KIND_FAST_PATH: _ClassVar[PlannerKind]
MODE_UNSPECIFIED: Mode
MODE_CLARIFY: Mode
MODE_RAG_CHAT: Mode
MODE_REACT_AGENT: Mode
MODE_WORKFLOW: Mode
MODE_DIRECT: Mode
MEMORY_STRATEGY_UNSPECIFIED: MemoryStrategy
MEMORY_STRATEGY_NONE: MemoryStrategy
MEMORY_STRATEGY_SLIDING_WINDOW: MemoryStrategy
MEMORY_STRATEGY_SUMMARY: MemoryStrategy
PLANNER_KIND_UNSPECIFIED: PlannerKind
PLANNER_KIND_MODEL: PlannerKind
PLANNER_KIND_RULES: PlannerKind
PLANNER_KIND_FAST_PATH: PlannerKind

class ExecutionPlan(_message.Message):
    __slots__ = ("schema_version", "plan_id", "conversation_id", "turn_id", "created_at", "time_zone", "mode", "original_question", "rewritten_question", "rewrite", "sub_questions", "knowledge_domains", "clarification", "skills", "use_knowledge", "workflow", "tools_allowed", "admin_mode", "budget", "memory", "answer_language", "planner")
    SCHEMA_VERSION_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    CONVERSATION_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_QUESTION_FIELD_NUMBER: _ClassVar[int]
    REWRITTEN_QUESTION_FIELD_NUMBER: _ClassVar[int]
    REWRITE_FIELD_NUMBER: _ClassVar[int]
    SUB_QUESTIONS_FIELD_NUMBER: _ClassVar[int]
    KNOWLEDGE_DOMAINS_FIELD_NUMBER: _ClassVar[int]
    CLARIFICATION_FIELD_NUMBER: _ClassVar[int]
    SKILLS_FIELD_NUMBER: _ClassVar[int]
    USE_KNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    TOOLS_ALLOWED_FIELD_NUMBER: _ClassVar[int]
    ADMIN_MODE_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    ANSWER_LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    PLANNER_FIELD_NUMBER: _ClassVar[int]
    schema_version: int
    plan_id: str
    conversation_id: str
    turn_id: str
    created_at: _timestamp_pb2.Timestamp
    time_zone: str
    mode: Mode
    original_question: str
    rewritten_question: str
    rewrite: Rewrite
    sub_questions: _containers.RepeatedCompositeFieldContainer[SubQuestion]
    knowledge_domains: _containers.RepeatedScalarFieldContainer[str]
    clarification: Clarification
    skills: _containers.RepeatedCompositeFieldContainer[SkillChoice]
    use_knowledge: bool
    workflow: WorkflowCall
    tools_allowed: _containers.RepeatedScalarFieldContainer[str]
    admin_mode: bool
    budget: Budget
    memory: PlanMemory
    answer_language: str
    planner: Planner
    def __init__(self, schema_version: _Optional[int] = ..., plan_id: _Optional[str] = ..., conversation_id: _Optional[str] = ..., turn_id: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., time_zone: _Optional[str] = ..., mode: _Optional[_Union[Mode, str]] = ..., original_question: _Optional[str] = ..., rewritten_question: _Optional[str] = ..., rewrite: _Optional[_Union[Rewrite, _Mapping]] = ..., sub_questions: _Optional[_Iterable[_Union[SubQuestion, _Mapping]]] = ..., knowledge_domains: _Optional[_Iterable[str]] = ..., clarification: _Optional[_Union[Clarification, _Mapping]] = ..., skills: _Optional[_Iterable[_Union[SkillChoice, _Mapping]]] = ..., use_knowledge: _Optional[bool] = ..., workflow: _Optional[_Union[WorkflowCall, _Mapping]] = ..., tools_allowed: _Optional[_Iterable[str]] = ..., admin_mode: _Optional[bool] = ..., budget: _Optional[_Union[Budget, _Mapping]] = ..., memory: _Optional[_Union[PlanMemory, _Mapping]] = ..., answer_language: _Optional[str] = ..., planner: _Optional[_Union[Planner, _Mapping]] = ...) -> None: ...

class Rewrite(_message.Message):
    __slots__ = ("applied", "reason", "history_turns_used")
    APPLIED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    HISTORY_TURNS_USED_FIELD_NUMBER: _ClassVar[int]
    applied: bool
    reason: str
    history_turns_used: int
    def __init__(self, applied: _Optional[bool] = ..., reason: _Optional[str] = ..., history_turns_used: _Optional[int] = ...) -> None: ...

class SubQuestion(_message.Message):
    __slots__ = ("index", "text", "domains", "filters", "use_outline", "depends_on", "domains_requested")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    DOMAINS_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    USE_OUTLINE_FIELD_NUMBER: _ClassVar[int]
    DEPENDS_ON_FIELD_NUMBER: _ClassVar[int]
    DOMAINS_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    index: int
    text: str
    domains: _containers.RepeatedScalarFieldContainer[str]
    filters: QuestionFilters
    use_outline: bool
    depends_on: _containers.RepeatedScalarFieldContainer[int]
    domains_requested: bool
    def __init__(self, index: _Optional[int] = ..., text: _Optional[str] = ..., domains: _Optional[_Iterable[str]] = ..., filters: _Optional[_Union[QuestionFilters, _Mapping]] = ..., use_outline: _Optional[bool] = ..., depends_on: _Optional[_Iterable[int]] = ..., domains_requested: _Optional[bool] = ...) -> None: ...

class QuestionFilters(_message.Message):
    __slots__ = ("business_categories", "tags", "languages", "document_ids")
    BUSINESS_CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    LANGUAGES_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    business_categories: _containers.RepeatedScalarFieldContainer[str]
    tags: _containers.RepeatedScalarFieldContainer[str]
    languages: _containers.RepeatedScalarFieldContainer[str]
    document_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, business_categories: _Optional[_Iterable[str]] = ..., tags: _Optional[_Iterable[str]] = ..., languages: _Optional[_Iterable[str]] = ..., document_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class Clarification(_message.Message):
    __slots__ = ("question", "choices", "missing")
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    question: str
    choices: _containers.RepeatedScalarFieldContainer[str]
    missing: str
    def __init__(self, question: _Optional[str] = ..., choices: _Optional[_Iterable[str]] = ..., missing: _Optional[str] = ...) -> None: ...

class SkillChoice(_message.Message):
    __slots__ = ("code", "reason", "score")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    code: str
    reason: str
    score: float
    def __init__(self, code: _Optional[str] = ..., reason: _Optional[str] = ..., score: _Optional[float] = ...) -> None: ...

class WorkflowCall(_message.Message):
    __slots__ = ("agent_id", "inputs")
    class InputsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    inputs: _containers.ScalarMap[str, str]
    def __init__(self, agent_id: _Optional[str] = ..., inputs: _Optional[_Mapping[str, str]] = ...) -> None: ...

class Budget(_message.Message):
    __slots__ = ("model_calls", "tool_rounds", "web_searches", "tool_calls", "evidence_chars", "evidence_chars_per_question", "deadline_ms", "max_output_tokens")
    MODEL_CALLS_FIELD_NUMBER: _ClassVar[int]
    TOOL_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    WEB_SEARCHES_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_CHARS_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_CHARS_PER_QUESTION_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    MAX_OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    model_calls: int
    tool_rounds: int
    web_searches: int
    tool_calls: int
    evidence_chars: int
    evidence_chars_per_question: int
    deadline_ms: int
    max_output_tokens: int
    def __init__(self, model_calls: _Optional[int] = ..., tool_rounds: _Optional[int] = ..., web_searches: _Optional[int] = ..., tool_calls: _Optional[int] = ..., evidence_chars: _Optional[int] = ..., evidence_chars_per_question: _Optional[int] = ..., deadline_ms: _Optional[int] = ..., max_output_tokens: _Optional[int] = ...) -> None: ...

class PlanMemory(_message.Message):
    __slots__ = ("strategy", "summary", "recent_turns", "facts", "long_term")
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    RECENT_TURNS_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    LONG_TERM_FIELD_NUMBER: _ClassVar[int]
    strategy: MemoryStrategy
    summary: str
    recent_turns: _containers.RepeatedCompositeFieldContainer[PastTurn]
    facts: _containers.RepeatedScalarFieldContainer[str]
    long_term: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, strategy: _Optional[_Union[MemoryStrategy, str]] = ..., summary: _Optional[str] = ..., recent_turns: _Optional[_Iterable[_Union[PastTurn, _Mapping]]] = ..., facts: _Optional[_Iterable[str]] = ..., long_term: _Optional[_Iterable[str]] = ...) -> None: ...

class PastTurn(_message.Message):
    __slots__ = ("turn_id", "question", "answer", "tools")
    TURN_ID_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    turn_id: str
    question: str
    answer: str
    tools: _containers.RepeatedCompositeFieldContainer[ToolUse]
    def __init__(self, turn_id: _Optional[str] = ..., question: _Optional[str] = ..., answer: _Optional[str] = ..., tools: _Optional[_Iterable[_Union[ToolUse, _Mapping]]] = ...) -> None: ...

class ToolUse(_message.Message):
    __slots__ = ("call_id", "name", "arguments", "ok", "result")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    OK_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    name: str
    arguments: _struct_pb2.Struct
    ok: bool
    result: str
    def __init__(self, call_id: _Optional[str] = ..., name: _Optional[str] = ..., arguments: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., ok: _Optional[bool] = ..., result: _Optional[str] = ...) -> None: ...

class Planner(_message.Message):
    __slots__ = ("kind", "model", "confidence", "reason", "fallback_cause")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_CAUSE_FIELD_NUMBER: _ClassVar[int]
    kind: PlannerKind
    model: str
    confidence: float
    reason: str
    fallback_cause: str
    def __init__(self, kind: _Optional[_Union[PlannerKind, str]] = ..., model: _Optional[str] = ..., confidence: _Optional[float] = ..., reason: _Optional[str] = ..., fallback_cause: _Optional[str] = ...) -> None: ...
