"""Prompts of retrieval: Markdown and a schema each, and what a model is asked with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files

from superagent_common.llm import Message, ModelRequest, ResponseSchema

_TOKENS_OF_A_SCORE = 12
_TOKENS_OF_PARAPHRASES = 600


class RerankPrompt:
    """The shipped prompt, read once. `content_hash` names its wording, schema included: 12 hexadecimal digits."""

    def __init__(self) -> None:
        texts = [(files(__package__) / name).read_text("utf-8") for name in ("rerank.md", "rerank.schema.json")]
        self._system, schema = texts
        self._response = ResponseSchema("scores", json.loads(schema))
        self.content_hash = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]

    def request(self, question: str, passages: Sequence[str]) -> ModelRequest:
        """Asks for a score of each passage, numbered from 0."""
        shown = {"question": question, "passages": dict(enumerate(passages))}
        return ModelRequest(
            (Message("system", self._system), Message("user", json.dumps(shown, ensure_ascii=False))),
            "rerank",
            response_schema=self._response,
            max_output_tokens=100 + _TOKENS_OF_A_SCORE * len(passages),
            temperature=0.0,
        )


class ParaphrasePrompt:
    """As `RerankPrompt`."""

    def __init__(self) -> None:
        texts = [(files(__package__) / name).read_text("utf-8") for name in ("paraphrase.md", "paraphrase.schema.json")]
        self._system, schema = texts
        self._response = ResponseSchema("paraphrases", json.loads(schema))
        self.content_hash = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]

    def request(self, question: str) -> ModelRequest:
        """Asks for the question in other words."""
        shown = json.dumps({"question": question}, ensure_ascii=False)
        return ModelRequest(
            (Message("system", self._system), Message("user", shown)),
            "paraphrase",
            response_schema=self._response,
            max_output_tokens=_TOKENS_OF_PARAPHRASES,
            temperature=0.0,
        )
