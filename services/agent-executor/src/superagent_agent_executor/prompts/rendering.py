"""Evidence, tool results and context as a prompt shows them: data stays inside its tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from superagent_agent_executor.domain.evidence import Finding, Passage
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.domain.skills import Skill
from superagent_agent_executor.domain.tool_texts import say_tool
from superagent_agent_executor.domain.tools import ToolOutcome

_TAGS = re.compile(r"<(?=/?\s*(?:evidence|question|sub_questions|earlier|tool_result)\b)", re.IGNORECASE)


def as_data(text: str) -> str:
    """The text without anything that could close or open one of our tags."""
    return _TAGS.sub("‹", text)


def evidence(findings: Sequence[Finding]) -> str:
    """Every passage once, by number."""
    passages = {passage.citation_id: passage for finding in findings for passage in finding.passages}
    return f"<evidence>\n{_listed(passages.values())}\n</evidence>"


def tool_result(outcome: ToolOutcome, numbered: Sequence[Passage], new: AbstractSet[int], plan: Plan) -> str:
    """What a tool said, with the passages it brought; one that was shown before is only named."""
    parts = [as_data(outcome.text)]
    parts += [
        _passage(passage)
        if passage.citation_id in new
        else f"{_place(passage)} {say_tool('found_before', plan.language)}"
        for passage in numbered
    ]
    return "<tool_result>\n" + "\n\n".join(parts) + "\n</tool_result>"


def context(plan: Plan) -> str:
    """What is remembered of the conversation."""
    parts = []
    if plan.summary:
        parts.append(f"Summary of the conversation so far:\n{plan.summary}")
    if plan.facts:
        parts.append("Facts to keep in mind:\n" + "\n".join(f"- {fact}" for fact in plan.facts))
    return "\n\n".join(parts)


def skill_texts(skills: Sequence[Skill], plan: Plan) -> str:
    """Each skill's instructions under its title, in the language of the answer."""
    return "\n\n".join(f"## {skill.titles[plan.language]}\n{skill.instructions[plan.language]}" for skill in skills)


def _listed(passages: Iterable[Passage]) -> str:
    return "\n\n".join(map(_passage, passages))


def _passage(passage: Passage) -> str:
    return f"{_place(passage)}\n{as_data(passage.text)}"


def _place(passage: Passage) -> str:
    place = as_data(" > ".join((passage.title, *passage.heading_path)))
    page = f", page {passage.page_from}" if passage.page_from else ""
    return f"[{passage.citation_id}] ({place}{page})"
