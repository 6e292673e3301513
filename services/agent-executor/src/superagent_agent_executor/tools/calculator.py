"""Arithmetic."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from superagent_agent_executor.domain.calculation import MAX_CHARACTERS, calculate
from superagent_agent_executor.domain.events import Json
from superagent_agent_executor.domain.tools import CALCULATE, ToolContext, ToolOutcome, ToolSpec, one_line
from superagent_agent_executor.tools.arguments import Arguments

_TIMEOUT_SECONDS = 2.0


class _Arguments(Arguments):
    expression: str = Field(description="For example (1280 + 349.5) * 1.06", max_length=2 * MAX_CHARACTERS)


class Calculator:
    """Exact decimal arithmetic, bounded in length, depth and size."""

    def __init__(self) -> None:
        self.spec = ToolSpec(CALCULATE, "", _Arguments.schema_for_model(), "read", _TIMEOUT_SECONDS)

    async def call(self, arguments: Mapping[str, Json], context: ToolContext) -> ToolOutcome:
        expression = _Arguments.read(arguments).expression
        result = calculate(expression)
        text = f"{expression} {result}" if result.startswith("≈") else f"{expression} = {result}"
        return ToolOutcome(True, text, one_line(text))
