"""What the executors need from the outside; the model's port is `superagent_common.llm.LanguageModel`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from superagent_agent_executor.domain.events import Json
from superagent_agent_executor.domain.evidence import Finding, Hints
from superagent_agent_executor.domain.plan import SubQuestion
from superagent_agent_executor.domain.skills import Skill
from superagent_agent_executor.domain.tools import ToolContext, ToolOutcome, ToolSpec


class Evidence(Protocol):
    """Finds passages that the person in the current identity may read."""

    async def find(self, question: SubQuestion, budget_chars: int, hints: Hints) -> Finding:
        """Passages best first, their text within the budget. Raises Unavailable or Timeout when retrieval is down."""


class Tool(Protocol):
    """Something an agent may call, for the person in the current identity, several times at once."""

    @property
    def spec(self) -> ToolSpec: ...

    async def call(self, arguments: Mapping[str, Json], context: ToolContext) -> ToolOutcome:
        """Checks the arguments itself.

        Raises Refusal for what it will not do, Unavailable or Timeout for what may pass when it is tried again (the
        call must then have changed nothing), any other kind of failure for what will not.
        """


class Skills(Protocol):
    """The skills that there are now; they may change while the service runs."""

    def all(self) -> Mapping[str, Skill]:
        """By code, in order of code."""
