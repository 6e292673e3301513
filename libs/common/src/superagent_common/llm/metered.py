"""What a call used, also when its endpoint does not say."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from superagent_common.llm.port import (
    MODEL_FAILURES,
    Begun,
    Finished,
    LanguageModel,
    ModelAnswer,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
)
from superagent_common.llm.price import Price
from superagent_common.llm.spending import Spent, nobody_counts

_PER_CHINESE, _PER_OTHER = 0.95, 0.3
"""GWY-5: tokens of a character."""
_CHINESE = re.compile("[\u3400-\u9fff\uf900-\ufaff]")


class MeteredModel:
    """Adds an estimated `Usage` to a call whose endpoint tells none: one that ends without, or breaks off in mid-answer.

    With its first words a stream tells, as `Begun`, what it costs to leave it there. `spent` hears of every call that the
    model began to answer. A `LanguageModel`.
    """

    def __init__(self, model: LanguageModel, price: Price | None, spent: Spent = nobody_counts) -> None:
        self.name = model.name
        self._model = model
        self._price = price
        self._spent = spent

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        heard = 0.0
        begun = False
        used: Usage | None = None
        try:
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    match event:
                        case TextDelta(text) | ThinkingDelta(text):
                            heard += estimated_tokens(text)
                        case ToolCall(_, name, arguments):
                            heard += estimated_tokens(name) + estimated_tokens(arguments)
                        case Usage():
                            used = event
                        case Finished() if used is None:
                            used = self._estimate(request, heard)
                            yield used
                    yield event
                    if heard and not begun:
                        begun = True
                        yield Begun(self._estimate(request, 0.0))
        except MODEL_FAILURES:
            if begun and used is None:
                used = self._estimate(request, heard)
                yield used
            raise
        finally:
            if begun or used:
                self._spent(request.purpose, used or self._estimate(request, heard))

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        answer = await self._model.complete(request)
        used = answer.usage
        if used is None:
            calls = (f"{call.name}{call.arguments}" for call in answer.tool_calls)
            used = self._estimate(request, estimated_tokens("".join((answer.text, *calls))))
        self._spent(request.purpose, used)
        return replace(answer, usage=used)

    async def close(self) -> None:
        await self._model.close()

    def _estimate(self, request: ModelRequest, said: float) -> Usage:
        asked = round(sum(estimated_tokens(message.content) for message in request.messages))
        cost = None if self._price is None else self._price.cost(asked, round(said))
        return Usage(self.name, asked, round(said), cost, estimated=True)


def estimated_tokens(text: str) -> float:
    """About as many tokens as a text has, in whatever tokenizer."""
    if text.isascii():
        return len(text) * _PER_OTHER
    chinese = len(_CHINESE.findall(text))
    return chinese * _PER_CHINESE + (len(text) - chinese) * _PER_OTHER
