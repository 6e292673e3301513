"""What the executors need from the outside; the model's port is `superagent_common.llm.LanguageModel`."""

from __future__ import annotations

from typing import Protocol

from superagent_agent_executor.domain.evidence import Finding
from superagent_agent_executor.domain.plan import SubQuestion


class Evidence(Protocol):
    """Finds passages that the person in the current identity may read."""

    async def find(self, question: SubQuestion, budget_chars: int, history_hint: str) -> Finding:
        """Passages best first, their text within the budget. Raises Unavailable or Timeout when retrieval is down."""
