"""The planning prompt: Markdown and a schema, and what a model is asked with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template
from typing import Any

from superagent_common.llm import Message, ModelRequest, ResponseSchema

_MOST_TOKENS = 1_500
# Enough of a refused answer to mend it.
_REFUSED_SHOWN = 6_000
_FAULT_SHOWN = 600


class PlanningPrompt:
    """The shipped prompt, read once. `content_hash` names its wording, schema included: 12 hexadecimal digits."""

    def __init__(self) -> None:
        texts = [
            (files(__package__) / name).read_text("utf-8") for name in ("plan.md", "repair.md", "plan.schema.json")
        ]
        self._system, repair, schema = texts
        self._repair = Template(repair)
        self.schema: Mapping[str, Any] = json.loads(schema)
        self._response = ResponseSchema("plan", self.schema)
        self.content_hash = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]

    def request(self, shown: Mapping[str, Any]) -> ModelRequest:
        """Asks for a plan."""
        return self._request(Message("system", self._system), Message("user", json.dumps(shown, ensure_ascii=False)))

    def repair(self, asked: ModelRequest, answer: str, fault: str) -> ModelRequest:
        """Asks once more, showing the refused answer and what is wrong with it."""
        said = Message("assistant", answer[:_REFUSED_SHOWN] or "(nothing)")
        return self._request(
            *asked.messages, said, Message("user", self._repair.substitute(fault=fault[:_FAULT_SHOWN]))
        )

    def _request(self, *messages: Message) -> ModelRequest:
        return ModelRequest(
            messages, "plan", response_schema=self._response, max_output_tokens=_MOST_TOKENS, temperature=0.0
        )
