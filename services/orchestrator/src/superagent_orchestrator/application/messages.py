"""Plans between the domain and the contract."""

from __future__ import annotations

from collections.abc import Sequence

from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2, orchestrator_pb2, plan_pb2
from superagent_common.clock import timestamp
from superagent_common.errors import InvalidInput
from superagent_orchestrator.domain.plan import (
    Clarification,
    ExecutionPlan,
    MemoryStrategy,
    Mode,
    PastTurn,
    SubQuestion,
    WorkflowCall,
)
from superagent_orchestrator.domain.planning.proposal import (
    KnowledgeDomain,
    PlanningInput,
    PlanningUsage,
    SkillDefinition,
)
from superagent_orchestrator.ports import TurnRow


def planning_input(
    request: orchestrator_pb2.StartTurnRequest,
    memory: plan_pb2.PlanMemory,
    domains: tuple[KnowledgeDomain, ...],
    skills: tuple[SkillDefinition, ...] | None,
    *,
    model_available: bool,
) -> PlanningInput:
    """What a planner may look at for a request."""
    return PlanningInput(
        question=request.message,
        history=tuple(PastTurn(turn.turn_id, turn.question, turn.answer) for turn in memory.recent_turns),
        summary=memory.summary,
        facts=tuple(memory.facts),
        catalogue=domains,
        requested_mode=_mode(request.mode),
        requested_domains=tuple(request.domains),
        requested_skill=request.skill or None,
        memory_strategy=_strategy(memory.strategy),
        time_zone=request.time_zone or "UTC",
        model_available=model_available,
        skills=skills,
    )


def plan_message(plan: ExecutionPlan, memory: plan_pb2.PlanMemory) -> plan_pb2.ExecutionPlan:
    """The plan as the contract has it, with what the conversation's memory gave."""
    budget = plan.budget
    return plan_pb2.ExecutionPlan(
        schema_version=plan.schema_version,
        plan_id=plan.plan_id,
        conversation_id=plan.conversation_id,
        turn_id=plan.turn_id,
        created_at=timestamp(plan.created_at),
        time_zone=plan.time_zone,
        mode=plan_pb2.Mode.Value(f"MODE_{plan.mode}"),
        original_question=plan.original_question,
        rewritten_question=plan.rewritten_question,
        rewrite=plan_pb2.Rewrite(
            applied=plan.rewrite.applied,
            reason=plan.rewrite.reason,
            history_turns_used=plan.rewrite.history_turns_used,
        ),
        sub_questions=map(_sub_question, plan.sub_questions),
        knowledge_domains=plan.knowledge_domains,
        clarification=_clarification(plan.clarification),
        skills=[plan_pb2.SkillChoice(code=skill.code, reason=skill.reason, score=skill.score) for skill in plan.skills],
        use_knowledge=plan.use_knowledge,
        workflow=_workflow(plan.workflow),
        tools_allowed=plan.tools_allowed,
        admin_mode=plan.admin_mode,
        budget=plan_pb2.Budget(
            model_calls=budget.model_calls,
            tool_rounds=budget.tool_rounds,
            web_searches=budget.web_searches,
            tool_calls=budget.tool_calls,
            evidence_chars=budget.evidence_chars,
            evidence_chars_per_question=budget.evidence_chars_per_question,
            deadline_ms=budget.deadline_ms,
            max_output_tokens=budget.max_output_tokens,
        ),
        memory=memory,
        answer_language=plan.answer_language,
        planner=plan_pb2.Planner(
            kind=plan_pb2.PlannerKind.Value(f"PLANNER_KIND_{plan.planner.kind}"),
            model=plan.planner.model,
            confidence=plan.planner.confidence,
            reason=plan.planner.reason,
            fallback_cause=plan.planner.fallback_cause,
        ),
    )


def usage_message(planned: PlanningUsage, run: events_pb2.Usage) -> events_pb2.Usage:
    """What a turn has used: planning and what its run says of itself; the limits are those before planning."""
    limits = plan_pb2.Budget()
    limits.CopyFrom(run.limits)
    if limits.model_calls:
        limits.model_calls += planned.model_calls
    return events_pb2.Usage(
        model=run.model or planned.model,
        input_tokens=run.input_tokens + planned.input_tokens,
        output_tokens=run.output_tokens + planned.output_tokens,
        cost=run.cost + planned.cost,
        model_calls=run.model_calls + planned.model_calls,
        tool_calls=run.tool_calls,
        limits=limits,
        estimated=run.estimated,
    )


def stored_turn(
    row: TurnRow,
    record: events_pb2.TurnRecord,
    answer: str,
    tools: Sequence[plan_pb2.ToolUse],
    state: events_pb2.TurnState,
) -> memory_pb2.StoredTurn:
    """A turn as memory keeps it. Its kind goes by what ran: the administration assistant, tools, or neither."""
    kind = memory_pb2.CONTEXT_KIND_TOOL if tools else memory_pb2.CONTEXT_KIND_CHAT
    return memory_pb2.StoredTurn(
        turn_id=row.turn_id,
        question=row.request.message,
        answer=answer,
        sources=record.sources if record.HasField("sources") else None,
        clarify=record.clarify if record.HasField("clarify") else None,
        state=state,
        mode=record.plan.mode,
        finish_reason=record.finish_reason,
        asked_at=record.started_at,
        kind=memory_pb2.CONTEXT_KIND_ADMIN_TOOL if record.plan.admin_mode else kind,
        tools=tools,
    )


def _sub_question(question: SubQuestion) -> plan_pb2.SubQuestion:
    filters = question.filters
    return plan_pb2.SubQuestion(
        index=question.index,
        text=question.text,
        domains=question.domains,
        filters=plan_pb2.QuestionFilters(
            business_categories=filters.business_categories,
            tags=filters.tags,
            languages=filters.languages,
            document_ids=filters.document_ids,
        ),
        use_outline=question.use_outline,
        depends_on=question.depends_on,
        domains_requested=question.domains_requested,
    )


def _clarification(asked: Clarification | None) -> plan_pb2.Clarification | None:
    if asked is None:
        return None
    return plan_pb2.Clarification(question=asked.question, choices=asked.choices, missing=asked.missing)


def _workflow(call: WorkflowCall | None) -> plan_pb2.WorkflowCall | None:
    return None if call is None else plan_pb2.WorkflowCall(agent_id=call.agent_id, inputs=call.inputs)


def _mode(number: int) -> Mode | None:
    if number == plan_pb2.MODE_UNSPECIFIED:
        return None
    try:
        return Mode(plan_pb2.Mode.Name(number).removeprefix("MODE_"))
    except ValueError as error:
        raise InvalidInput("unknown_mode", "There is no such mode.") from error


def _strategy(number: int) -> MemoryStrategy:
    if number == plan_pb2.MEMORY_STRATEGY_UNSPECIFIED:
        return MemoryStrategy.SUMMARY
    return MemoryStrategy(plan_pb2.MemoryStrategy.Name(number).removeprefix("MEMORY_STRATEGY_"))
