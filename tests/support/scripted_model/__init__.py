"""An OpenAI-compatible model server that says what a test told it to: replies, delays and failures on demand."""

from tests.support.scripted_model.planning import plan_json
from tests.support.scripted_model.script import Failure, Gate, Reply, Rule, Script, ScriptedToolCall
from tests.support.scripted_model.server import ReceivedRequest, ScriptedModel

__all__ = [
    "Failure",
    "Gate",
    "ReceivedRequest",
    "Reply",
    "Rule",
    "Script",
    "ScriptedModel",
    "ScriptedToolCall",
    "plan_json",
]
