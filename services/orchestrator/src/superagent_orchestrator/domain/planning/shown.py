"""What a planning model gets to see: data in one JSON document, bounded, in which nothing is an instruction."""

from __future__ import annotations

from typing import Any

from superagent_orchestrator.domain.planning.proposal import KnowledgeDomain, PlanningInput, SkillDefinition
from superagent_orchestrator.domain.planning.rewrite import RECENT_TURNS

# Longer text is a document that is asked about: its beginning says what is wanted.
LONGEST_QUESTION = 2_000
_LONGEST_ANSWER = 600
_LONGEST_SUMMARY = 1_000
_LONGEST_NAME = 80
_LONGEST_DESCRIPTION = 300
_MOST_DOMAINS = 30
_MOST_TITLES = 5
_MOST_SKILLS = 20


def shown(planning: PlanningInput, question: str) -> dict[str, Any]:
    """The question with its surroundings, as JSON values; what the client has decided stands under `decided`."""
    filled = sorted(planning.catalogue, key=lambda domain: -domain.document_count)[:_MOST_DOMAINS]
    decided: dict[str, Any] = {}
    if planning.requested_mode is not None:
        decided["mode"] = str(planning.requested_mode)
    if planning.requested_domains:
        decided["domains"] = list(planning.requested_domains)
    if planning.requested_skill:
        decided["skill"] = planning.requested_skill
    return {
        "question": _cut(question, LONGEST_QUESTION),
        "recent_turns": [
            {"question": _cut(turn.question, _LONGEST_ANSWER), "answer": _cut(turn.answer, _LONGEST_ANSWER)}
            for turn in planning.history[-RECENT_TURNS:]
        ],
        "summary": _cut(planning.summary, _LONGEST_SUMMARY),
        "domains": [_domain(domain) for domain in filled],
        "skills": [_skill(skill) for skill in (planning.skills or ())[:_MOST_SKILLS]],
        "decided": decided,
    }


def _domain(domain: KnowledgeDomain) -> dict[str, Any]:
    return {
        "code": domain.code,
        "name": _cut(domain.name, _LONGEST_NAME),
        "description": _cut(domain.description, _LONGEST_DESCRIPTION),
        "documents": domain.document_count,
        "sample_titles": [_cut(title, _LONGEST_NAME) for title in domain.sample_titles[:_MOST_TITLES]],
    }


def _skill(skill: SkillDefinition) -> dict[str, Any]:
    when = skill.when_to_use or skill.description
    return {"code": skill.code, "name": skill.name, "when_to_use": _cut(when, _LONGEST_DESCRIPTION)}


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
