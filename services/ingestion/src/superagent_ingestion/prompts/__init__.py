"""The prompt for topics: Markdown and a schema, and what a model is asked with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from string import Template

from superagent_common.llm import Message, ModelRequest, ResponseSchema

_MOST_TOKENS = 800
# Enough of a refused answer to mend it.
_REFUSED_SHOWN = 2_000


class TopicsPrompt:
    """The shipped prompt, read once. `content_hash` names its wording, schema included: 12 hexadecimal digits."""

    def __init__(self) -> None:
        texts = [
            (files(__package__) / name).read_text("utf-8") for name in ("topics.md", "repair.md", "topics.schema.json")
        ]
        self._system, repair, schema = texts
        self._repair = Template(repair)
        self._response = ResponseSchema("topics", json.loads(schema))
        self.content_hash = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]

    def request(self, passages: Mapping[int, str]) -> ModelRequest:
        """Asks where topics begin among passages by number."""
        shown = json.dumps({"passages": passages}, ensure_ascii=False)
        return self._request(Message("system", self._system), Message("user", shown))

    def repair(self, asked: ModelRequest, answer: str, fault: str) -> ModelRequest:
        """Asks once more, showing the refused answer and what is wrong with it."""
        said = Message("assistant", answer[:_REFUSED_SHOWN] or "(nothing)")
        return self._request(*asked.messages, said, Message("user", self._repair.substitute(fault=fault)))

    def _request(self, *messages: Message) -> ModelRequest:
        return ModelRequest(
            messages, "chunking", response_schema=self._response, max_output_tokens=_MOST_TOKENS, temperature=0.0
        )
