"""The planning prompt: Markdown and a schema, and what a model is asked with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from superagent_common.llm import Message, ModelRequest, ResponseSchema
from superagent_common.logging import Logger
from superagent_common.prompt_library import PromptLibrary

_MOST_TOKENS = 1_500
# Enough of a refused answer to mend it.
_REFUSED_SHOWN = 6_000
_FAULT_SHOWN = 600


def prompt_texts(folder: Path | None, log: Logger) -> PromptLibrary:
    """The shipped prompts, with those that `folder` has in their place."""
    return PromptLibrary(files(__package__), folder, log)


class PlanningPrompt:
    """Requests from the prompts of `texts`, which may change; the schema does not."""

    def __init__(self, texts: PromptLibrary) -> None:
        self._texts = texts
        self._schema_text = (files(__package__) / "plan.schema.json").read_text("utf-8")
        self.schema: Mapping[str, Any] = json.loads(self._schema_text)
        self._response = ResponseSchema("plan", self.schema)

    @property
    def content_hash(self) -> str:
        """Names the wording, schema included: 12 hexadecimal digits."""
        texts = (self._texts.get("plan.md").text, self._texts.get("repair.md").text, self._schema_text)
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]

    def request(self, shown: Mapping[str, Any]) -> ModelRequest:
        """Asks for a plan."""
        system = Message("system", self._texts.get("plan.md").text)
        return self._request(system, Message("user", json.dumps(shown, ensure_ascii=False)))

    def repair(self, asked: ModelRequest, answer: str, fault: str) -> ModelRequest:
        """Asks once more, showing the refused answer and what is wrong with it."""
        said = Message("assistant", answer[:_REFUSED_SHOWN] or "(nothing)")
        mend = self._texts.get("repair.md").filled(fault=fault[:_FAULT_SHOWN])
        return self._request(*asked.messages, said, Message("user", mend))

    def _request(self, *messages: Message) -> ModelRequest:
        return ModelRequest(
            messages,
            "plan",
            response_schema=self._response,
            max_output_tokens=_MOST_TOKENS,
            temperature=0.0,
            prompt=self._texts.get("plan.md").label,
        )
