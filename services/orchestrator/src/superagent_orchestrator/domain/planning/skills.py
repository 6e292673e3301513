"""Which skills a question calls for: keywords and bonuses, explainable and without a model (PLAN-7, PLAN-12)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from superagent_common.errors import InvalidInput
from superagent_orchestrator.domain.plan import SkillChoice
from superagent_orchestrator.domain.planning.proposal import SkillDefinition
from superagent_orchestrator.domain.planning.route import KNOWLEDGE_SEARCH, OPEN_TOOLS, Route

MOST_SKILLS = 3
# A skill nearly as good as the best speaks of the question too.
_CLOSE = 0.75
# What doing something adds for a skill that brings tools, and a domain that is spoken of for one at home there.
_BONUS = 0.5
_LOOKED_AT = 400

_COMPOUND = re.compile(
    r"(?<![合归兼吞一])并(?![发行不非列联购入排])|同时(?!区)|以及|还要|又要|还得|此外|另外"
    r"|\b(?:and also|as well as|at the same time|in addition|additionally|along with|while also)\b",
    re.IGNORECASE,
)
_ASCII = re.compile(r"[\x00-\x7f]+")

SkillMode = Literal["BASIC", "SINGLE", "MULTI"]


@dataclass(frozen=True, slots=True)
class SkillPlan:
    """No skill, one or several, and why."""

    mode: SkillMode
    skills: tuple[SkillChoice, ...]
    reason: str

    @property
    def said(self) -> str:
        """As the trace shows it: `MULTI: product 0.67 (refund), risk-control 0.50 (limit)`."""
        named = ", ".join(f"{skill.code} {skill.score:.2f} ({skill.reason})" for skill in self.skills)
        return f"{self.mode}: {named}" if named else self.mode


def plan_skills(
    question: str,
    route: Route,
    skills: tuple[SkillDefinition, ...] | None,
    *,
    requested: str | None,
    several_parts: bool,
    spoken_domains: Sequence[str] = (),
) -> SkillPlan:
    """The skills for `question`; `spoken_domains` are those that it is about.

    Raises InvalidInput(unknown_skill) when the client asks for one that there is not.
    """
    if requested:
        return skill_plan((requested_skill(requested, skills),), "the client asked for it")
    if not route.use_knowledge and not route.acts:
        return skill_plan((), f"{route.mode} needs no skill: {route.reason}")
    if skills is None:
        return skill_plan((), "the skills are not known")
    ranked = _ranked(question[:_LOOKED_AT], route, skills, spoken_domains)
    if not ranked:
        return fallback_plan(route, skills)
    best = ranked[0].score
    compound = several_parts or _COMPOUND.search(question[:_LOOKED_AT]) is not None
    chosen = tuple(choice for choice in ranked if compound or choice.score >= _CLOSE * best)[:MOST_SKILLS]
    if len(chosen) == 1:
        return skill_plan(chosen, "one skill's words")
    return skill_plan(chosen, "several things asked for" if compound else "scores close together")


def requested_skill(code: str, skills: tuple[SkillDefinition, ...] | None) -> SkillChoice:
    """The skill a client asks for. Raises InvalidInput(unknown_skill) when the skills are known without it."""
    if skills is not None and code not in {skill.code for skill in skills}:
        raise InvalidInput("unknown_skill", "There is no such skill.")
    return SkillChoice(code, "requested by the client", 1.0)


def fallback_plan(route: Route, skills: tuple[SkillDefinition, ...]) -> SkillPlan:
    """The skill for company questions that no other is made for; none where no document is asked."""
    general = next((skill for skill in skills if skill.fallback), None)
    if general is None or not route.use_knowledge:
        return skill_plan((), "no skill speaks of it")
    choice = SkillChoice(general.code, "no other skill speaks of it", 0.0)
    return SkillPlan("SINGLE", (choice,), "a question for documents that no skill speaks of: the fallback")


def tools_with_skills(
    route: Route, chosen: Sequence[SkillChoice], skills: tuple[SkillDefinition, ...] | None
) -> tuple[str, ...]:
    """The tools of the route; where it leaves every tool open, those of the skills, when all of them say which."""
    codes = {choice.code for choice in chosen}
    brought = [skill.tools for skill in skills or () if skill.code in codes]
    if not brought or not all(brought) or not route.tools_allowed:
        return route.tools_allowed
    own = dict.fromkeys(tool for tools in brought for tool in tools)
    if KNOWLEDGE_SEARCH not in route.tools_allowed:
        own.pop(KNOWLEDGE_SEARCH, None)
    everything = set(route.tools_allowed) >= set(OPEN_TOOLS) - {KNOWLEDGE_SEARCH}
    return tuple(own) if everything else tuple(dict.fromkeys((*route.tools_allowed, *own)))


def domains_of(chosen: Sequence[SkillChoice], skills: tuple[SkillDefinition, ...] | None) -> frozenset[str]:
    """The domains in which the chosen skills are at home."""
    codes = {choice.code for choice in chosen}
    return frozenset(domain for skill in skills or () if skill.code in codes for domain in skill.domains)


def skill_plan(skills: tuple[SkillChoice, ...], reason: str) -> SkillPlan:
    """BASIC, SINGLE or MULTI by how many there are."""
    modes: tuple[SkillMode, ...] = ("BASIC", "SINGLE", "MULTI")
    return SkillPlan(modes[min(len(skills), 2)], skills, reason)


def _ranked(
    question: str, route: Route, skills: tuple[SkillDefinition, ...], spoken_domains: Sequence[str]
) -> list[SkillChoice]:
    """Skills whose words stand in the question, the best first, in the given order where they are equal."""
    found = []
    for skill in skills:
        words = _words_of(skill).findall(question)
        if not words:
            continue
        words = list(dict.fromkeys(word.lower() for word in words))
        points, said = float(len(words)), ", ".join(words[:4])
        if route.acts and skill.tools:
            points, said = points + _BONUS, f"{said}; brings tools"
        if set(skill.domains) & set(spoken_domains):
            points, said = points + _BONUS, f"{said}; at home in a domain that is spoken of"
        found.append(SkillChoice(skill.code, said, points / (points + 1)))
    return sorted(found, key=lambda choice: -choice.score)


@lru_cache(maxsize=256)  # compiled once for a skill, which changes far less often than it is read
def _words_of(skill: SkillDefinition) -> re.Pattern[str]:
    """Its keywords and its name, the longest first; letters only as whole words."""
    names = sorted({word.strip() for word in (*skill.keywords, skill.name) if word.strip()}, key=lambda n: (-len(n), n))
    parts = [
        rf"(?<![a-zA-Z0-9]){re.escape(n)}s?(?![a-zA-Z0-9])" if _ASCII.fullmatch(n) else re.escape(n) for n in names
    ]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)
