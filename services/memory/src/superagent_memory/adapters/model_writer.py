"""A language model that writes summaries and titles."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

from superagent_common.llm import MODEL_FAILURES, LanguageModel, ModelRequest, TextDelta
from superagent_common.logging import Logger
from superagent_memory.domain.conversations import title_from
from superagent_memory.domain.summary import Draft, Material, fault_of
from superagent_memory.domain.wording import content_words
from superagent_memory.prompts import FACTS_MARK, Prompts

_TRIES = 3
# What a model may say beyond a summary, its facts, before it is cut off.
_MOST_CHARACTERS = 6_000
_TITLE_CHARACTERS = 60
_MARK = re.compile(rf"^[ *#]*{FACTS_MARK}.*$", re.IGNORECASE | re.MULTILINE)
_QUOTES = "\"'“”‘’「」《》*#` "


class ModelWriter:
    """`Writer` over a language model."""

    def __init__(self, model: LanguageModel, prompts: Prompts, log: Logger) -> None:
        self._model = model
        self._prompts = prompts
        self._log = log

    async def summarise(self, material: Material) -> AsyncGenerator[str | Draft, None]:
        request = self._prompts.summary(material)
        shown = False
        for _ in range(_TRIES):
            reading = SummaryReading()
            try:
                async with aclosing(self._text(request)) as texts:
                    async for text in texts:
                        # Once something was shown, only the finished summary follows.
                        if (prose := reading.add(text)) and not shown:
                            yield prose
                if (prose := reading.end()) and not shown:
                    yield prose
            except MODEL_FAILURES as failure:
                self._log.warning("summary_model_failed", reason=failure.reason)
                return
            shown = shown or bool(reading.draft.text)
            fault = fault_of(reading.draft, material)
            if fault is None:
                yield reading.draft
                return
            self._log.warning("summary_refused", fault=fault, characters=len(reading.draft.text))

    async def title(self, question: str, answer: str) -> str | None:
        try:
            said = (await self._model.complete(self._prompts.title(question, answer))).text
        except MODEL_FAILURES as failure:
            self._log.warning("title_model_failed", reason=failure.reason)
            return None
        line = next((line for line in said.splitlines() if line.strip()), "").strip(_QUOTES).rstrip(".。")
        words = content_words(line)
        if not line or len(line) > _TITLE_CHARACTERS or not words & content_words(f"{question}\n{answer}"):
            return None
        return title_from(line)

    async def _text(self, request: ModelRequest) -> AsyncGenerator[str, None]:
        left = _MOST_CHARACTERS
        async with aclosing(self._model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    yield event.text
                    left -= len(event.text)
                    if left <= 0:
                        return


class SummaryReading:
    """Parts a model's prose from its facts while they come."""

    def __init__(self) -> None:
        self._text = ""
        self._told = 0

    def add(self, text: str) -> str:
        """The prose that is certain by now and was not given before: never a line that may yet become the mark."""
        self._text += text
        if found := _MARK.search(self._text):
            return self._up_to(found.start())
        begin = self._text.rfind("\n") + 1
        line = self._text[begin:].lstrip(" *#").upper()
        return self._up_to(begin if FACTS_MARK.startswith(line) else len(self._text))

    def end(self) -> str:
        """The rest of the prose."""
        found = _MARK.search(self._text)
        return self._up_to(found.start() if found else len(self._text))

    @property
    def draft(self) -> Draft:
        found = _MARK.search(self._text)
        if found is None:
            return Draft(self._text.strip())
        facts = (line.strip().lstrip("-*• ").strip() for line in self._text[found.end() :].splitlines())
        return Draft(self._text[: found.start()].strip(), tuple(fact for fact in facts if fact))

    def _up_to(self, end: int) -> str:
        told, self._told = self._told, max(self._told, end)
        return self._text[told:end]
