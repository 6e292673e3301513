"""The execution plan as JSON."""

from __future__ import annotations

from typing import Any

from superagent.orchestrator.v1 import plan_pb2 as pb
from superagent_gateway.api.presenters.values import MODES, PLANNERS, STRATEGIES, time_or_none, without_empty


def plan_json(plan: pb.ExecutionPlan) -> dict[str, Any]:
    """`ExecutionPlan`; `clarification` and `workflow` only where the mode has them."""
    data: dict[str, Any] = {
        "schema_version": plan.schema_version,
        "plan_id": plan.plan_id,
        "conversation_id": plan.conversation_id,
        "turn_id": plan.turn_id,
        "created_at": time_or_none(plan, "created_at"),
        "time_zone": plan.time_zone,
        "mode": MODES.get(plan.mode, "UNSPECIFIED"),
        "original_question": plan.original_question,
        "rewritten_question": plan.rewritten_question,
        "rewrite": {
            "applied": plan.rewrite.applied,
            "reason": plan.rewrite.reason,
            "history_turns_used": plan.rewrite.history_turns_used,
        },
        "sub_questions": [_sub_question(question) for question in plan.sub_questions],
        "knowledge_domains": list(plan.knowledge_domains),
    }
    if plan.HasField("clarification"):
        asked = plan.clarification
        data["clarification"] = {
            "question": asked.question,
            "choices": list(asked.choices),
            "missing": asked.missing,
        }
    data["skills"] = [
        {"code": skill.code, "reason": skill.reason, "score": round(skill.score, 4)} for skill in plan.skills
    ]
    data["use_knowledge"] = plan.use_knowledge
    if plan.HasField("workflow"):
        inputs = plan.workflow.inputs
        data["workflow"] = {
            "agent_id": plan.workflow.agent_id,
            "inputs": {key: inputs[key] for key in sorted(inputs)},
        }
    data |= {
        "tools_allowed": list(plan.tools_allowed),
        "admin_mode": plan.admin_mode,
        "budget": budget_json(plan.budget),
        "memory": _memory(plan.memory),
        "answer_language": plan.answer_language,
        "planner": {
            "kind": PLANNERS.get(plan.planner.kind, "UNSPECIFIED"),
            "model": plan.planner.model,
            "confidence": round(plan.planner.confidence, 4),
            "reason": plan.planner.reason,
            **without_empty({"fallback_cause": plan.planner.fallback_cause}),
        },
    }
    return data


def budget_json(budget: pb.Budget) -> dict[str, int]:
    """`Budget`."""
    return {
        "model_calls": budget.model_calls,
        "tool_rounds": budget.tool_rounds,
        "web_searches": budget.web_searches,
        "tool_calls": budget.tool_calls,
        "evidence_chars": budget.evidence_chars,
        "evidence_chars_per_question": budget.evidence_chars_per_question,
        "deadline_ms": budget.deadline_ms,
        "max_output_tokens": budget.max_output_tokens,
    }


def _sub_question(question: pb.SubQuestion) -> dict[str, Any]:
    filters = question.filters
    return {
        "index": question.index,
        "text": question.text,
        "domains": list(question.domains),
        "filters": {
            "business_categories": list(filters.business_categories),
            "tags": list(filters.tags),
            "languages": list(filters.languages),
            "document_ids": list(filters.document_ids),
        },
        "use_outline": question.use_outline,
        "depends_on": list(question.depends_on),
    }


def _memory(memory: pb.PlanMemory) -> dict[str, Any]:
    return {
        "strategy": STRATEGIES.get(memory.strategy, "UNSPECIFIED"),
        "summary": memory.summary,
        "recent_turns": [
            {"turn_id": turn.turn_id, "question": turn.question, "answer": turn.answer} for turn in memory.recent_turns
        ],
        "facts": list(memory.facts),
        "long_term": list(memory.long_term),
    }
