"""One search, widened where a guess at the domains found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from superagent_agent_executor.domain.evidence import Finding, Hints
from superagent_agent_executor.domain.plan import Plan, SubQuestion
from superagent_agent_executor.domain.skills import Skill
from superagent_agent_executor.ports import Evidence

_HINT_CHARACTERS = 200
# Of a skill: those it names first tell best what it is about.
_HINT_KEYWORDS = 5


async def search(evidence: Evidence, question: SubQuestion, characters: int, hints: Hints) -> Finding:
    """Raises Unavailable or Timeout when retrieval is down."""
    found = await evidence.find(question, characters, hints)
    if found.passages or not question.domains or question.domains_requested:
        return found
    # PLAN-6: the planner's guess at the domains must not cost the answer.
    wide = await evidence.find(replace(question, domains=()), characters, hints)
    return replace(wide, question=question, widened=True)


def hints(plan: Plan, skills: Sequence[Skill]) -> Hints:
    """What the person asked last, and what the chosen skills are about."""
    asked = plan.recent_turns[-1].question[:_HINT_CHARACTERS] if plan.recent_turns else ""
    words = (word for skill in skills for word in (skill.titles[plan.language], *skill.keywords[:_HINT_KEYWORDS]))
    return Hints(asked, tuple(dict.fromkeys(words)))
