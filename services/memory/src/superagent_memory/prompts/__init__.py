"""What a model is asked for: a summary, by kind of conversation, and a title."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from superagent_common.llm import Message, ModelRequest
from superagent_common.logging import Logger
from superagent_common.prompt_library import PromptLibrary
from superagent_memory.domain.summary import Material

FACTS_MARK = "FACTS:"
"""Begins the list behind the prose of a summary."""
_SUMMARY_TOKENS = 1_600
_TITLE_TOKENS = 60
_NONE = "(none)"


def prompt_texts(folder: Path | None, log: Logger) -> PromptLibrary:
    """The shipped prompts, with those that `folder` has in their place."""
    return PromptLibrary(files(__package__), folder, log)


class Prompts:
    """Requests from the prompts of `texts`, which may change."""

    def __init__(self, texts: PromptLibrary) -> None:
        self._texts = texts

    def summary(self, material: Material) -> ModelRequest:
        """Asks for a summary of what was and of the turns of one step."""
        system = self._texts.get(f"{material.kind}.md")
        asked = self._texts.get("task.md").filled(
            characters=material.characters,
            summary=material.text or _NONE,
            facts="\n".join(f"- {fact}" for fact in material.facts) or _NONE,
            turns="\n\n".join(material.turns),
        )
        return ModelRequest(
            (Message("system", system.text), Message("user", asked)),
            "summary",
            max_output_tokens=_SUMMARY_TOKENS,
            temperature=0.0,
            prompt=system.label,
        )

    def title(self, question: str, answer: str) -> ModelRequest:
        """Asks for a title of a conversation that begins so."""
        system = self._texts.get("title.md")
        asked = f"<question>\n{question}\n</question>\n<answer>\n{answer}\n</answer>"
        return ModelRequest(
            (Message("system", system.text), Message("user", asked)),
            "title",
            max_output_tokens=_TITLE_TOKENS,
            temperature=0.0,
            prompt=system.label,
        )
