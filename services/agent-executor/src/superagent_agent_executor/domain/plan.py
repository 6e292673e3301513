"""What an executor reads of an ExecutionPlan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["clarify", "rag_chat", "react_agent", "workflow", "direct"]
Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Filters:
    """Narrowing; empty fields do not narrow."""

    business_categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """`depends_on` names smaller indexes only; `domains_requested`: the person chose the domains."""

    index: int
    text: str
    domains: tuple[str, ...] = ()
    filters: Filters = Filters()
    use_outline: bool = False
    depends_on: tuple[int, ...] = ()
    domains_requested: bool = False


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool, `arguments` as JSON text, and what the tool told the model: never one without the other."""

    name: str
    arguments: str
    result: str


@dataclass(frozen=True, slots=True)
class PastTurn:
    """`tools` were called before the answer, in this order."""

    question: str
    answer: str
    tools: tuple[ToolUse, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """Characters, tokens, calls and milliseconds a run may use; defaults are those of AGT-1 and RAG-8."""

    evidence_chars: int = 5_200
    evidence_chars_per_question: int = 2_200
    max_output_tokens: int = 2_000
    model_calls: int = 8
    tool_rounds: int = 5
    tool_calls: int = 20
    deadline_ms: int = 180_000


@dataclass(frozen=True, slots=True)
class Plan:
    """A run's whole input besides the identity of the caller."""

    plan_id: str
    mode: Mode
    question: str
    sub_questions: tuple[SubQuestion, ...]
    language: Language
    budget: Budget = Budget()
    summary: str = ""
    recent_turns: tuple[PastTurn, ...] = ()
    facts: tuple[str, ...] = ()
    long_term: tuple[str, ...] = ()
    """What the person wants remembered across conversations."""
    clarify_question: str = ""
    clarify_choices: tuple[str, ...] = ()
    time_zone: str = "UTC"
    """IANA name of the person's time zone."""
    skills: tuple[str, ...] = ()
    """Codes; one that this executor does not have changes nothing."""
    tools_allowed: tuple[str, ...] = ()
    """Names; empty: every tool that only reads."""
    knowledge_domains: tuple[str, ...] = ()
    """Where the planner would look; empty: everywhere the person may read."""
    small_talk: str = ""
    """What kind of greeting, thanks or command the planner saw, for example `thanks` or `command:help`; empty for none."""

    @property
    def requested_domains(self) -> tuple[str, ...]:
        """The domains that the person chose; no search leaves them."""
        chosen = (question.domains for question in self.sub_questions if question.domains_requested)
        return tuple(dict.fromkeys(domain for domains in chosen for domain in domains))

    @property
    def filters(self) -> Filters:
        """The narrowing that holds for the whole turn."""
        return self.sub_questions[0].filters if self.sub_questions else Filters()
