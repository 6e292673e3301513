"""A question in other words, as a language model says it."""

from __future__ import annotations

import json
import re

from opentelemetry import trace

from superagent_common.errors import Unavailable
from superagent_common.llm import LanguageModel
from superagent_retrieval.prompts import ParaphrasePrompt

_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class ModelParaphraser:
    """`Paraphraser` over a language model: one call.

    Fails as the model does (`superagent_common.llm.MODEL_FAILURES`), and with Unavailable `paraphrase_failed` when it
    answers anything but a list of texts.
    """

    def __init__(self, model: LanguageModel, prompt: ParaphrasePrompt) -> None:
        self.model = model.name
        self._model = model
        self._prompt = prompt

    async def paraphrases(self, question: str) -> list[str]:
        trace.get_current_span().set_attribute("superagent.prompt.paraphrase", self._prompt.content_hash)
        answer = await self._model.complete(self._prompt.request(question))
        try:
            found = _OBJECT.search(answer.text)
            said = json.loads(found[0] if found else answer.text)["paraphrases"]
            if not isinstance(said, list) or not all(isinstance(each, str) for each in said):
                raise TypeError("not a list of texts")
        except (ValueError, TypeError, KeyError, RecursionError):
            raise Unavailable("paraphrase_failed", "the model did not answer with paraphrases") from None
        return said

    async def close(self) -> None:
        await self._model.close()
