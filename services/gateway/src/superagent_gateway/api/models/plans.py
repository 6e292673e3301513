"""The execution plan."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from superagent_gateway.api.models.base import Answer, MemoryStrategy, Mode, Time


class Rewrite(Answer):
    applied: bool
    reason: str
    history_turns_used: int


class Filters(Answer):
    business_categories: list[str]
    tags: list[str]
    languages: list[str]
    document_ids: list[str]


class SubQuestion(Answer):
    index: int
    text: str
    domains: list[str]
    filters: Filters
    use_outline: bool
    depends_on: list[int]


class Clarification(Answer):
    question: str
    choices: list[str]
    missing: str


class SkillChoice(Answer):
    code: str
    reason: str
    score: float


class WorkflowCall(Answer):
    agent_id: str
    inputs: dict[str, str]


class Budget(Answer):
    model_calls: int
    tool_rounds: int
    web_searches: int
    tool_calls: int
    evidence_chars: int
    evidence_chars_per_question: int
    deadline_ms: int
    max_output_tokens: int


class PastTurn(Answer):
    turn_id: str
    question: str
    answer: str


class PlanMemory(Answer):
    strategy: MemoryStrategy
    summary: str
    recent_turns: list[PastTurn]
    facts: list[str]
    long_term: list[str] = Field(description="what the person wants remembered; empty unless on")


class Planner(Answer):
    kind: Literal["UNSPECIFIED", "MODEL", "RULES", "FAST_PATH"]
    model: str
    confidence: float
    reason: str
    fallback_cause: str | None = None


class PlanFields(Answer):
    """What decides a turn: the executor needs this and an identity, nothing else."""

    schema_version: int
    plan_id: str
    conversation_id: str
    turn_id: str
    created_at: Time | None
    time_zone: str
    mode: Mode
    original_question: str
    rewritten_question: str
    rewrite: Rewrite
    sub_questions: list[SubQuestion]
    knowledge_domains: list[str]
    clarification: Clarification | None = None
    skills: list[SkillChoice]
    use_knowledge: bool
    workflow: WorkflowCall | None = None
    tools_allowed: list[str]
    admin_mode: bool
    budget: Budget
    memory: PlanMemory
    answer_language: str
    planner: Planner


class ExecutionPlan(PlanFields):
    """`ExecutionPlan`."""
