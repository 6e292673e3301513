"""What planning takes and gives: the same shapes for every planner."""

from __future__ import annotations

from dataclasses import dataclass

from superagent_orchestrator.domain.plan import (
    SCHEMA_VERSION,
    Budget,
    Clarification,
    ExecutionPlan,
    Language,
    MemoryStrategy,
    Mode,
    PastTurn,
    Planner,
    Rewrite,
    SkillChoice,
    SubQuestion,
)


@dataclass(frozen=True, slots=True)
class KnowledgeDomain:
    """A domain of the catalogue as the caller may see it; counts and titles hold only what the caller may read."""

    code: str
    name: str
    description: str
    document_count: int
    sample_titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SkillDefinition:
    """A skill as the executor lists it. `domains` are codes it is at home in, `tools` what it needs, empty for any.

    `fallback`: takes the company's questions that no other skill is made for.
    """

    code: str
    name: str
    description: str
    when_to_use: str
    keywords: tuple[str, ...]
    domains: tuple[str, ...]
    tools: tuple[str, ...]
    fallback: bool


@dataclass(frozen=True, slots=True)
class PlanningUsage:
    """What planning cost: calls and tokens of `model` (empty when none was asked), cost 0 without prices."""

    model: str = ""
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class PlanningInput:
    """All that a planner may look at. `history` is oldest first; `budget` the configured limits of a run.

    `skills` None: they could not be read, so that no plan can choose one by itself.
    """

    question: str
    history: tuple[PastTurn, ...]
    summary: str
    facts: tuple[str, ...]
    catalogue: tuple[KnowledgeDomain, ...]
    requested_mode: Mode | None
    requested_domains: tuple[str, ...]
    requested_skill: str | None
    memory_strategy: MemoryStrategy
    time_zone: str
    model_available: bool
    skills: tuple[SkillDefinition, ...] | None = None
    budget: Budget = Budget()  # noqa: RUF009 - a frozen value


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of planning as the trace shows it: what it saw, what came out, why."""

    name: str
    input: str
    output: str
    reason: str


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """A plan before it belongs to a turn, and how it came about.

    `sure`: the rules leave nothing to decide, so that no model need be asked (PLAN-10, PLAN-11).
    """

    mode: Mode
    original_question: str
    rewritten_question: str
    rewrite: Rewrite
    sub_questions: tuple[SubQuestion, ...]
    knowledge_domains: tuple[str, ...]
    clarification: Clarification | None
    skills: tuple[SkillChoice, ...]
    use_knowledge: bool
    tools_allowed: tuple[str, ...]
    budget: Budget
    time_zone: str
    answer_language: Language
    planner: Planner
    steps: tuple[StepRecord, ...]
    sure: bool
    usage: PlanningUsage = PlanningUsage()


def plan_from_draft(
    draft: PlanDraft, *, plan_id: str, conversation_id: str, turn_id: str, created_at: int
) -> ExecutionPlan:
    """The draft as the plan of one turn; `created_at` in microseconds UTC."""
    return ExecutionPlan(
        schema_version=SCHEMA_VERSION,
        plan_id=plan_id,
        conversation_id=conversation_id,
        turn_id=turn_id,
        created_at=created_at,
        time_zone=draft.time_zone,
        mode=draft.mode,
        original_question=draft.original_question,
        rewritten_question=draft.rewritten_question,
        rewrite=draft.rewrite,
        sub_questions=draft.sub_questions,
        knowledge_domains=draft.knowledge_domains,
        clarification=draft.clarification,
        skills=draft.skills,
        use_knowledge=draft.use_knowledge,
        workflow=None,
        tools_allowed=draft.tools_allowed,
        admin_mode=False,
        budget=draft.budget,
        answer_language=draft.answer_language,
        planner=draft.planner,
    )
