"""Passages as a language model judges them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence

from opentelemetry import trace

from superagent_common.errors import Unavailable
from superagent_common.llm import LanguageModel
from superagent_retrieval.prompts import RerankPrompt

# Of a passage: thirty of them are some 8,000 tokens.
_PASSAGE_SHOWN = 800
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class ModelReranker:
    """`Reranker` over a language model: one call, whose answer is used whole or not at all.

    Fails as the model does (`superagent_common.llm.MODEL_FAILURES`), and with Unavailable `rerank_failed` when it does
    not answer one score for each passage.
    """

    def __init__(self, model: LanguageModel, prompt: RerankPrompt) -> None:
        self.model = model.name
        self._model = model
        self._prompt = prompt

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        trace.get_current_span().set_attribute("superagent.prompt.rerank", self._prompt.content_hash)
        answer = await self._model.complete(
            self._prompt.request(question, [each[:_PASSAGE_SHOWN] for each in passages])
        )
        try:
            return _scores(answer.text, len(passages))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            message = f"the model did not answer one score for each of {len(passages)} passages"
            raise Unavailable("rerank_failed", message) from None

    async def close(self) -> None:
        await self._model.close()


def _scores(text: str, count: int) -> list[float]:
    found = _OBJECT.search(text)
    scores = json.loads(found[0] if found else text)["scores"]
    if scores.keys() != {str(number) for number in range(count)}:
        raise ValueError("not one score for each passage")
    values = [scores[str(number)] for number in range(count)]
    if not all(isinstance(value, int | float) and math.isfinite(value) for value in values):
        raise ValueError("not one score for each passage")
    return [float(value) for value in values]
