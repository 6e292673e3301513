from superagent.orchestrator.v1 import events_pb2 as _events_pb2
from superagent.orchestrator.v1 import plan_pb2 as _plan_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExecuteRequest(_message.Message):
    __slots__ = ("plan",)
    PLAN_FIELD_NUMBER: _ClassVar[int]
    plan: _plan_pb2.ExecutionPlan
    def __init__(self, plan: _Optional[_Union[_plan_pb2.ExecutionPlan, _Mapping]] = ...) -> None: ...

class ExecuteResponse(_message.Message):
    __slots__ = ("event",)
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: ExecutionEvent
    def __init__(self, event: _Optional[_Union[ExecutionEvent, _Mapping]] = ...) -> None: ...

class ExecutionEvent(_message.Message):
    __slots__ = ("stage", "clarify", "thinking", "tool_call", "tool_result", "approval_required", "delta", "sources", "follow_ups", "usage", "degraded", "answered", "queued", "calling")
    STAGE_FIELD_NUMBER: _ClassVar[int]
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
    ANSWERED_FIELD_NUMBER: _ClassVar[int]
    QUEUED_FIELD_NUMBER: _ClassVar[int]
    CALLING_FIELD_NUMBER: _ClassVar[int]
    stage: _events_pb2.Stage
    clarify: _events_pb2.Clarify
    thinking: _events_pb2.Thinking
    tool_call: _events_pb2.ToolCall
    tool_result: _events_pb2.ToolResult
    approval_required: _events_pb2.ApprovalRequired
    delta: _events_pb2.Delta
    sources: _events_pb2.Sources
    follow_ups: _events_pb2.FollowUps
    usage: _events_pb2.Usage
    degraded: _events_pb2.Degraded
    answered: _events_pb2.Done
    queued: _events_pb2.Queued
    calling: _events_pb2.Usage
    def __init__(self, stage: _Optional[_Union[_events_pb2.Stage, _Mapping]] = ..., clarify: _Optional[_Union[_events_pb2.Clarify, _Mapping]] = ..., thinking: _Optional[_Union[_events_pb2.Thinking, _Mapping]] = ..., tool_call: _Optional[_Union[_events_pb2.ToolCall, _Mapping]] = ..., tool_result: _Optional[_Union[_events_pb2.ToolResult, _Mapping]] = ..., approval_required: _Optional[_Union[_events_pb2.ApprovalRequired, _Mapping]] = ..., delta: _Optional[_Union[_events_pb2.Delta, _Mapping]] = ..., sources: _Optional[_Union[_events_pb2.Sources, _Mapping]] = ..., follow_ups: _Optional[_Union[_events_pb2.FollowUps, _Mapping]] = ..., usage: _Optional[_Union[_events_pb2.Usage, _Mapping]] = ..., degraded: _Optional[_Union[_events_pb2.Degraded, _Mapping]] = ..., answered: _Optional[_Union[_events_pb2.Done, _Mapping]] = ..., queued: _Optional[_Union[_events_pb2.Queued, _Mapping]] = ..., calling: _Optional[_Union[_events_pb2.Usage, _Mapping]] = ...) -> None: ...

class ListToolsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Tool(_message.Message):
    __slots__ = ("name", "description", "risk")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    RISK_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    risk: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., risk: _Optional[str] = ...) -> None: ...

class ListToolsResponse(_message.Message):
    __slots__ = ("tools",)
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    tools: _containers.RepeatedCompositeFieldContainer[Tool]
    def __init__(self, tools: _Optional[_Iterable[_Union[Tool, _Mapping]]] = ...) -> None: ...

class ListSkillsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Skill(_message.Message):
    __slots__ = ("code", "name", "description", "keywords", "domains", "tools", "fallback", "when_to_use")
    CODE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    KEYWORDS_FIELD_NUMBER: _ClassVar[int]
    DOMAINS_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_FIELD_NUMBER: _ClassVar[int]
    WHEN_TO_USE_FIELD_NUMBER: _ClassVar[int]
    code: str
    name: str
    description: str
    keywords: _containers.RepeatedScalarFieldContainer[str]
    domains: _containers.RepeatedScalarFieldContainer[str]
    tools: _containers.RepeatedScalarFieldContainer[str]
    fallback: bool
    when_to_use: str
    def __init__(self, code: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., keywords: _Optional[_Iterable[str]] = ..., domains: _Optional[_Iterable[str]] = ..., tools: _Optional[_Iterable[str]] = ..., fallback: _Optional[bool] = ..., when_to_use: _Optional[str] = ...) -> None: ...

class ListSkillsResponse(_message.Message):
    __slots__ = ("skills",)
    SKILLS_FIELD_NUMBER: _ClassVar[int]
    skills: _containers.RepeatedCompositeFieldContainer[Skill]
    def __init__(self, skills: _Optional[_Iterable[_Union[Skill, _Mapping]]] = ...) -> None: ...

class ListAgentsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Agent(_message.Message):
    __slots__ = ("agent_id", "description")
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    agent_id: str
    description: str
    def __init__(self, agent_id: _Optional[str] = ..., description: _Optional[str] = ...) -> None: ...

class ListAgentsResponse(_message.Message):
    __slots__ = ("agents",)
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    agents: _containers.RepeatedCompositeFieldContainer[Agent]
    def __init__(self, agents: _Optional[_Iterable[_Union[Agent, _Mapping]]] = ...) -> None: ...

class ListMcpServersRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class McpServer(_message.Message):
    __slots__ = ("name", "healthy")
    NAME_FIELD_NUMBER: _ClassVar[int]
    HEALTHY_FIELD_NUMBER: _ClassVar[int]
    name: str
    healthy: bool
    def __init__(self, name: _Optional[str] = ..., healthy: _Optional[bool] = ...) -> None: ...

class ListMcpServersResponse(_message.Message):
    __slots__ = ("servers",)
    SERVERS_FIELD_NUMBER: _ClassVar[int]
    servers: _containers.RepeatedCompositeFieldContainer[McpServer]
    def __init__(self, servers: _Optional[_Iterable[_Union[McpServer, _Mapping]]] = ...) -> None: ...
