"""Contract messages ↔ domain, nothing else."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.struct_pb2 import Struct

from superagent.agent_executor.v1 import agent_executor_pb2 as pb
from superagent.agent_executor.v1.agent_executor_pb2_grpc import ExecutorServiceServicer
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_agent_executor.domain import events as ev
from superagent_agent_executor.domain.evidence import Passage
from superagent_agent_executor.domain.plan import Budget, Filters, Mode, PastTurn, Plan, SubQuestion, ToolUse
from superagent_agent_executor.domain.skills import Skill
from superagent_agent_executor.domain.tools import ToolSpec
from superagent_agent_executor.executors import Executors
from superagent_agent_executor.ports import Skills
from superagent_common.clock import timestamp
from superagent_common.errors import InvalidInput
from superagent_common.rpc import Access

_SERVICE = "/superagent.agent_executor.v1.ExecutorService/"
ACCESS: dict[str, Access] = {
    _SERVICE + "Execute": "service",
    _SERVICE + "ListTools": "user",
    _SERVICE + "ListSkills": "user",
    _SERVICE + "ListAgents": "user",
    _SERVICE + "ListMcpServers": "user",
}
SCHEMA_VERSION = 1
MOST_SUB_QUESTIONS = 4
"""PLAN-5."""

_MODES: dict[int, Mode] = {
    plan_pb2.MODE_CLARIFY: "clarify",
    plan_pb2.MODE_RAG_CHAT: "rag_chat",
    plan_pb2.MODE_REACT_AGENT: "react_agent",
    plan_pb2.MODE_WORKFLOW: "workflow",
    plan_pb2.MODE_DIRECT: "direct",
}


class ExecutorApi(ExecutorServiceServicer):  # type: ignore[misc]
    """`superagent.agent_executor.v1.ExecutorService`; the lists of agents and MCP servers come with them."""

    def __init__(self, executors: Executors, skills: Skills, tools: Callable[[], Sequence[ToolSpec]]) -> None:
        """`tools`: those that there are now."""
        self._executors = executors
        self._skills = skills
        self._tools = tools

    async def Execute(
        self, request: pb.ExecuteRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.ExecuteResponse]:
        plan = request.plan
        async with aclosing(self._executors.run(_plan(plan))) as events:
            async for event in events:
                yield pb.ExecuteResponse(event=_event(event, plan.budget))

    async def ListTools(self, request: pb.ListToolsRequest, context: grpc.aio.ServicerContext) -> pb.ListToolsResponse:
        return pb.ListToolsResponse(
            tools=[pb.Tool(name=tool.name, description=tool.description, risk=tool.risk) for tool in self._tools()]
        )

    async def ListSkills(
        self, request: pb.ListSkillsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListSkillsResponse:
        return pb.ListSkillsResponse(skills=map(_skill, self._skills.all().values()))


def _skill(skill: Skill) -> pb.Skill:
    return pb.Skill(
        code=skill.code,
        name=" / ".join(dict.fromkeys(skill.titles.values())),
        description=skill.description,
        keywords=skill.keywords,
        domains=skill.domains,
        tools=skill.tools,
        fallback=skill.fallback,
        when_to_use=skill.when_to_use,
    )


def _plan(message: plan_pb2.ExecutionPlan) -> Plan:
    mode = _MODES.get(message.mode)
    if mode is None:
        raise InvalidInput("invalid_plan", "The plan names no mode.")
    if message.schema_version != SCHEMA_VERSION:
        raise InvalidInput("unsupported_plan_version", f"This executor runs plans of version {SCHEMA_VERSION}.")
    if mode == "rag_chat" and not message.sub_questions:
        raise InvalidInput("invalid_plan", "A knowledge plan needs at least one sub-question.")
    if len(message.sub_questions) > MOST_SUB_QUESTIONS:
        raise InvalidInput("invalid_plan", f"A plan has at most {MOST_SUB_QUESTIONS} sub-questions.")
    return Plan(
        plan_id=message.plan_id,
        mode=mode,
        question=message.rewritten_question or message.original_question,
        sub_questions=tuple(map(_sub_question, message.sub_questions)),
        language="zh" if message.answer_language == "zh" else "en",
        budget=Budget(
            evidence_chars=message.budget.evidence_chars,
            evidence_chars_per_question=message.budget.evidence_chars_per_question,
            max_output_tokens=message.budget.max_output_tokens,
            model_calls=message.budget.model_calls,
            tool_rounds=message.budget.tool_rounds,
            tool_calls=message.budget.tool_calls,
            deadline_ms=message.budget.deadline_ms,
        ),
        summary=message.memory.summary,
        recent_turns=tuple(map(_past_turn, message.memory.recent_turns)),
        facts=tuple(message.memory.facts),
        long_term=tuple(message.memory.long_term),
        clarify_question=message.clarification.question,
        clarify_choices=tuple(message.clarification.choices),
        time_zone=message.time_zone or "UTC",
        skills=tuple(skill.code for skill in message.skills),
        tools_allowed=tuple(message.tools_allowed),
        knowledge_domains=tuple(message.knowledge_domains),
        small_talk=message.planner.reason if message.planner.kind == plan_pb2.PLANNER_KIND_FAST_PATH else "",
    )


def _past_turn(message: plan_pb2.PastTurn) -> PastTurn:
    return PastTurn(message.question, message.answer, tuple(map(_tool_use, message.tools)))


def _tool_use(message: plan_pb2.ToolUse) -> ToolUse:
    arguments = _whole_numbers(MessageToDict(message.arguments))
    return ToolUse(message.name, json.dumps(arguments, ensure_ascii=False, sort_keys=True), message.result)


def _whole_numbers(value: Any) -> Any:
    """A Struct knows floats only; a model is shown the 3 that it wrote, not 3.0."""
    match value:
        case dict():
            return {name: _whole_numbers(item) for name, item in value.items()}
        case list():
            return list(map(_whole_numbers, value))
        case float() if value.is_integer():
            return int(value)
    return value


def _sub_question(message: plan_pb2.SubQuestion) -> SubQuestion:
    filters = message.filters
    return SubQuestion(
        index=message.index,
        text=message.text,
        domains=tuple(message.domains),
        filters=Filters(
            tuple(filters.business_categories),
            tuple(filters.tags),
            tuple(filters.languages),
            tuple(filters.document_ids),
        ),
        use_outline=message.use_outline,
        depends_on=tuple(message.depends_on),
        domains_requested=message.domains_requested,
    )


def _event(event: ev.ExecutionEvent, limits: plan_pb2.Budget) -> pb.ExecutionEvent:
    match event:
        case ev.Delta(text):
            return pb.ExecutionEvent(delta=events_pb2.Delta(text=text))
        case ev.Thinking(text):
            return pb.ExecutionEvent(thinking=events_pb2.Thinking(text=text))
        case ev.ToolCall(call_id, name, arguments):
            call = events_pb2.ToolCall(id=call_id, name=name, arguments=_struct(arguments))
            return pb.ExecutionEvent(tool_call=call)
        case ev.ToolResult():
            result = events_pb2.ToolResult(
                id=event.id, ok=event.ok, summary=event.summary, duration_ms=event.duration_ms, result=event.result
            )
            return pb.ExecutionEvent(tool_result=result)
        case ev.Stage():
            return pb.ExecutionEvent(stage=_stage(event))
        case ev.Clarify(question, choices):
            return pb.ExecutionEvent(clarify=events_pb2.Clarify(question=question, choices=choices))
        case ev.Sources(passages, mode):
            sources = events_pb2.Sources(
                sources=map(_source, passages),
                retrieval_mode=events_pb2.RetrievalMode.Value(f"RETRIEVAL_MODE_{mode.upper()}"),
            )
            return pb.ExecutionEvent(sources=sources)
        case ev.FollowUps(questions):
            return pb.ExecutionEvent(follow_ups=events_pb2.FollowUps(questions=questions))
        case ev.Usage():
            return pb.ExecutionEvent(usage=_usage(event, limits))
        case ev.Calling(usage):
            return pb.ExecutionEvent(calling=_usage(usage, limits))
        case ev.Degraded(tier, reason):
            return pb.ExecutionEvent(degraded=events_pb2.Degraded(tier=tier, reason=reason))
        case ev.Queued(position, model):
            return pb.ExecutionEvent(queued=events_pb2.Queued(position=position, model=model))
        case ev.Answered(finish_reason):
            return pb.ExecutionEvent(answered=events_pb2.Done(finish_reason=finish_reason))


def _usage(usage: ev.Usage, limits: plan_pb2.Budget) -> events_pb2.Usage:
    return events_pb2.Usage(
        model=usage.model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost=usage.cost,
        model_calls=usage.model_calls,
        tool_calls=usage.tool_calls,
        limits=limits,
        estimated=usage.estimated,
    )


def _stage(stage: ev.Stage) -> events_pb2.Stage:
    return events_pb2.Stage(
        name=stage.name,
        state=events_pb2.StageState.Value(f"STAGE_STATE_{stage.state.upper()}"),
        detail=_struct(stage.detail),
        started_at=timestamp(stage.started_at),
        duration_ms=stage.duration_ms,
    )


def _struct(fields: Mapping[str, ev.Json]) -> Struct:
    struct = Struct()
    struct.update(fields)
    return struct


def _source(passage: Passage) -> events_pb2.Source:
    return events_pb2.Source(
        citation_id=passage.citation_id,
        document_id=passage.document_id,
        title=passage.title,
        heading_path=passage.heading_path,
        page_from=passage.page_from,
        page_to=passage.page_to,
        snippet=passage.snippet,
        domain=passage.domain,
        child_ids=passage.child_ids,
    )
