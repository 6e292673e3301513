"""The knowledge base, as the person may read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, Field

from superagent_agent_executor.domain.events import Json
from superagent_agent_executor.domain.evidence import PARTIAL
from superagent_agent_executor.domain.plan import Plan, SubQuestion
from superagent_agent_executor.domain.tool_texts import say_tool
from superagent_agent_executor.domain.tools import (
    KNOWLEDGE_SEARCH,
    Refusal,
    ToolContext,
    ToolOutcome,
    ToolSpec,
    one_line,
)
from superagent_agent_executor.executors.searching import search
from superagent_agent_executor.ports import Evidence
from superagent_agent_executor.tools.arguments import Arguments

_MAX_CHARACTERS = 2_200
"""Of one search (RAG-8: what one of several questions gets), so that the first leaves room for the next."""
_MIN_CHARACTERS = 200
# Above one search's own time-out, so that two attempts fit.
_TIMEOUTS = 2.2


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) and value else value


class _Arguments(Arguments):
    question: str = Field(description="A whole question that stands alone", min_length=1, max_length=1_000)
    domains: Annotated[list[str], BeforeValidator(_as_list)] = Field(
        default=[], description="Codes of knowledge domains to look in; default: where it fits", max_length=20
    )


class KnowledgeSearch:
    """Passages with numbers to cite; stays inside the domains that the person chose."""

    def __init__(self, evidence: Evidence, search_seconds: float) -> None:
        """`search_seconds`: how long one search may take."""
        self.spec = ToolSpec(KNOWLEDGE_SEARCH, "", _Arguments.schema_for_model(), "read", _TIMEOUTS * search_seconds)
        self._evidence = evidence

    async def call(self, arguments: Mapping[str, Json], context: ToolContext) -> ToolOutcome:
        asked = _Arguments.read(arguments)
        language = context.language
        characters = context.evidence.take(min(_MAX_CHARACTERS, context.plan.budget.evidence_chars_per_question))
        brought = 0
        try:
            if characters < _MIN_CHARACTERS:
                raise Refusal("evidence_used_up")
            domains, fixed = _domains(context.plan, asked.domains, context.default_domains)
            question = SubQuestion(1, asked.question, domains, context.plan.filters, domains_requested=fixed)
            found = await search(self._evidence, question, characters, context.hints)
            brought = sum(len(passage.text) for passage in found.passages if not context.evidence.knows(passage))
        finally:
            context.evidence.give_back(characters - brought)
        if not found.passages:
            nothing = say_tool("found_nothing_partial" if found.mode in PARTIAL else "found_nothing", language)
            return ToolOutcome(True, nothing, nothing, mode=found.mode)
        titles = dict.fromkeys(passage.title for passage in found.passages)
        summary = say_tool("found", language, count=str(len(found.passages)), titles=_listed(titles, language))
        wider = say_tool("found_wider", language) if found.widened else ""
        return ToolOutcome(
            True, f"{summary}\n{wider}".strip(), one_line(f"{summary} {wider}"), found.passages, found.mode
        )


def _domains(plan: Plan, asked: list[str], default: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """(domains to search, whether they must not be left). What the person chose binds the model."""
    chosen = plan.requested_domains
    if chosen:
        return tuple(domain for domain in asked if domain in chosen) or chosen, True
    return tuple(asked) or default, False


def _listed(titles: Mapping[str, None], language: str) -> str:
    return "、".join(f"《{title}》" for title in titles) if language == "zh" else "; ".join(titles)
