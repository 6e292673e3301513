"""One search, widened where a guess at the domains found nothing."""

from __future__ import annotations

from dataclasses import replace

from superagent_agent_executor.domain.evidence import Finding
from superagent_agent_executor.domain.plan import Plan, SubQuestion
from superagent_agent_executor.ports import Evidence

_HINT_CHARACTERS = 200


async def search(evidence: Evidence, question: SubQuestion, characters: int, hint: str) -> Finding:
    """Raises Unavailable or Timeout when retrieval is down."""
    found = await evidence.find(question, characters, hint)
    if found.passages or not question.domains or question.domains_requested:
        return found
    # PLAN-6: the planner's guess at the domains must not cost the answer.
    wide = await evidence.find(replace(question, domains=()), characters, hint)
    return replace(wide, question=question, widened=True)


def history_hint(plan: Plan) -> str:
    """What the person asked last."""
    return plan.recent_turns[-1].question[:_HINT_CHARACTERS] if plan.recent_turns else ""
