"""Open questions put to the agent, with a tool that does what it is told."""

from collections.abc import Mapping
from typing import Any

from superagent_agent_executor.domain.events import Json
from superagent_agent_executor.domain.plan import Plan
from superagent_agent_executor.domain.tools import ToolContext, ToolOutcome, ToolSpec
from superagent_common.llm import Message
from tests.support.executor_rig import FakeModel, plan

SUM = ("calculate", '{"expression": "6 * 7"}')
SEARCH = ("knowledge_search", '{"question": "warranty?"}')


class Probe:
    """A tool that does what each call in turn is told to: an outcome's text, or an exception."""

    def __init__(self, *script: str | Exception, seconds: float = 60, name: str = "probe") -> None:
        self.spec = ToolSpec(name, "Looks.", {"type": "object"}, "read", seconds)
        self.script = list(script)
        self.called: list[Mapping[str, Json]] = []

    async def call(self, arguments: Mapping[str, Json], context: ToolContext) -> ToolOutcome:
        self.called.append(arguments)
        said = self.script[min(len(self.called), len(self.script)) - 1]
        if isinstance(said, Exception):
            raise said
        return ToolOutcome(True, said, said)


def asking(question: str = "What is 6 times 7?", **more: Any) -> Plan:
    return plan(question, mode="react_agent", **more)


def told(model: FakeModel, call: int = -1) -> list[Message]:
    """What the model was given as tool results before a call."""
    return [message for message in model.requests[call].messages if message.role == "tool"]
