"""What a model is asked for: a summary, by kind of conversation, and a title."""

from __future__ import annotations

from importlib.resources import files
from string import Template

from superagent_common.llm import Message, ModelRequest
from superagent_memory.domain.conversations import Kind
from superagent_memory.domain.summary import Material

FACTS_MARK = "FACTS:"
"""Begins the list behind the prose of a summary."""
_KINDS: tuple[Kind, ...] = ("chat", "tool", "admin_tool")
_SUMMARY_TOKENS = 1_600
_TITLE_TOKENS = 60
_NONE = "(none)"


class Prompts:
    """The shipped prompts, read once."""

    def __init__(self) -> None:
        self._summary = {kind: _text(f"{kind}.md") for kind in _KINDS}
        self._task = Template(_text("task.md"))
        self._title = _text("title.md")

    def summary(self, material: Material) -> ModelRequest:
        """Asks for a summary of what was and of the turns of one step."""
        asked = self._task.substitute(
            characters=material.characters,
            summary=material.text or _NONE,
            facts="\n".join(f"- {fact}" for fact in material.facts) or _NONE,
            turns="\n\n".join(material.turns),
        )
        return ModelRequest(
            (Message("system", self._summary[material.kind]), Message("user", asked)),
            "summary",
            max_output_tokens=_SUMMARY_TOKENS,
            temperature=0.0,
        )

    def title(self, question: str, answer: str) -> ModelRequest:
        """Asks for a title of a conversation that begins so."""
        asked = f"<question>\n{question}\n</question>\n<answer>\n{answer}\n</answer>"
        return ModelRequest(
            (Message("system", self._title), Message("user", asked)),
            "title",
            max_output_tokens=_TITLE_TOKENS,
            temperature=0.0,
        )


def _text(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8").strip()
