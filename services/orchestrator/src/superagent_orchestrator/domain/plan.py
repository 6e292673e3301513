"""The execution plan: what was decided about a turn, as in `superagent.orchestrator.v1.ExecutionPlan`.

A plan is self-contained: the executor needs it and an identity, nothing else. The conversation's memory, of which
nothing is decided, is added when it becomes a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

SCHEMA_VERSION = 1


class Mode(StrEnum):
    """Which executor answers. The order of judgement is clarify, then knowledge, then open agent."""

    CLARIFY = "CLARIFY"
    RAG_CHAT = "RAG_CHAT"
    REACT_AGENT = "REACT_AGENT"
    WORKFLOW = "WORKFLOW"
    DIRECT = "DIRECT"


class PlannerKind(StrEnum):
    """Who wrote the plan."""

    MODEL = "MODEL"
    RULES = "RULES"
    FAST_PATH = "FAST_PATH"


class MemoryStrategy(StrEnum):
    """How much of a conversation a turn remembers (MEM-1)."""

    NONE = "NONE"
    SLIDING_WINDOW = "SLIDING_WINDOW"
    SUMMARY = "SUMMARY"


class Language(StrEnum):
    """The languages the product answers in."""

    CHINESE = "zh"
    ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One earlier turn of the conversation; the answer is partial when the turn broke off."""

    turn_id: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What happened to the question; `history_turns_used` counts back from the newest turn, 0 when none was used."""

    applied: bool
    reason: str
    history_turns_used: int


@dataclass(frozen=True, slots=True)
class QuestionFilters:
    """Narrows a search inside its domains (RAG-15); an empty tuple does not filter."""

    business_categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """One question to retrieve and answer on its own.

    `index` counts from 1, as the answer numbers them; `depends_on` holds smaller indexes only. Empty `domains` means
    every domain the caller may read, documents without a domain included. `domains_requested`: the person chose them,
    so a search that finds nothing is not widened.
    """

    index: int
    text: str
    domains: tuple[str, ...]
    filters: QuestionFilters
    use_outline: bool
    depends_on: tuple[int, ...]
    domains_requested: bool = False


@dataclass(frozen=True, slots=True)
class Clarification:
    """What to ask back. `choices` is empty or holds 2 to 4 texts, each usable as the next question as it stands."""

    question: str
    choices: tuple[str, ...]
    missing: str


@dataclass(frozen=True, slots=True)
class SkillChoice:
    """A skill the plan uses; `score` from 0 to 1."""

    code: str
    reason: str
    score: float


@dataclass(frozen=True, slots=True)
class WorkflowCall:
    """Which agent of which YAML runs, only with `Mode.WORKFLOW`."""

    agent_id: str
    inputs: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run; the defaults are those of AGT-1 (calls, deadline), RAG-8 (evidence) and GWY-5 (reply tokens)."""

    model_calls: int = 8
    tool_rounds: int = 5
    web_searches: int = 6
    tool_calls: int = 20
    evidence_chars: int = 5_200
    evidence_chars_per_question: int = 2_200
    deadline_ms: int = 180_000
    max_output_tokens: int = 2_000


@dataclass(frozen=True, slots=True)
class Planner:
    """Who planned and why; `confidence` from 0 to 1, `fallback_cause` empty when the first choice of planner spoke.

    With FAST_PATH, `reason` is a `FastPath` value, with `:name` appended for a slash command.
    """

    kind: PlannerKind
    model: str
    confidence: float
    reason: str
    fallback_cause: str


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """The only contract between deciding and executing.

    `created_at` is in microseconds UTC, `time_zone` an IANA name, `knowledge_domains` the union of the sub-questions'
    domains (empty: no restriction), `clarification` only with CLARIFY, `workflow` only with WORKFLOW.
    """

    schema_version: int
    plan_id: str
    conversation_id: str
    turn_id: str
    created_at: int
    time_zone: str
    mode: Mode
    original_question: str
    rewritten_question: str
    rewrite: Rewrite
    sub_questions: tuple[SubQuestion, ...]
    knowledge_domains: tuple[str, ...]
    clarification: Clarification | None
    skills: tuple[SkillChoice, ...]
    use_knowledge: bool
    workflow: WorkflowCall | None
    tools_allowed: tuple[str, ...]
    admin_mode: bool
    budget: Budget
    answer_language: Language
    planner: Planner
