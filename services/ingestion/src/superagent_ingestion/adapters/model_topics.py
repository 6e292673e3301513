"""Topics as a language model sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence

from opentelemetry import trace

from superagent_common.errors import Conflict, Unavailable
from superagent_common.llm import LanguageModel
from superagent_ingestion.domain.topic_reply import BadReply, read_topics
from superagent_ingestion.prompts import TopicsPrompt

# Of a passage; and of all passages that are shown in one call.
_PASSAGE_SHOWN = 240
_SHOWN = 8_000
_AT_ONCE = 2


class ModelTopics:
    """`TopicModel` over a language model: one call for some thirty passages, each repaired at most once."""

    def __init__(self, model: LanguageModel, prompt: TopicsPrompt, *, most_calls: int) -> None:
        """`most_calls` bounds the calls of one document, repairs aside."""
        self._model = model
        self._prompt = prompt
        self._most_calls = most_calls
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def topics_begin(self, texts: Sequence[str]) -> Collection[int]:
        windows = list(_windows(texts))
        if len(windows) > self._most_calls:
            raise Conflict("too_long_for_model", "The document is too long for a model to be asked about its topics.")
        trace.get_current_span().set_attribute("superagent.prompt.topics", self._prompt.content_hash)
        begun: set[int] = set()
        try:
            async with asyncio.TaskGroup() as calls:
                asked = [calls.create_task(self._ask(texts, window)) for window in windows]
        except ExceptionGroup as failures:
            # The first that failed ended the others.
            raise failures.exceptions[0] from None
        for task in asked:
            begun |= task.result()
        return begun - {0}

    async def _ask(self, texts: Sequence[str], window: range) -> frozenset[int]:
        request = self._prompt.request({number: texts[number][:_PASSAGE_SHOWN] for number in window})
        async with self._turns:
            answer = (await self._model.complete(request)).text
            try:
                return read_topics(answer, window)
            except BadReply as fault:
                repaired = await self._model.complete(self._prompt.repair(request, answer, str(fault)))
            try:
                return read_topics(repaired.text, window)
            except BadReply as fault:
                raise Unavailable("invalid_model_topics", str(fault)) from None


def _windows(texts: Sequence[str]) -> Iterator[range]:
    """Ranges of passages that fit one call; each but the first begins with the last of the one before."""
    first, size = 0, 0
    for number, text in enumerate(texts):
        shown = min(len(text), _PASSAGE_SHOWN)
        if size + shown > _SHOWN:
            yield range(first, number)
            first, size = number - 1, min(len(texts[number - 1]), _PASSAGE_SHOWN)
        size += shown
    if len(texts) > 1:
        yield range(first, len(texts))
