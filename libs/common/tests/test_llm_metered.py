"""What a call used is known though its endpoint does not say."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from superagent_common.errors import Unavailable
from superagent_common.llm import (
    Begun,
    Finished,
    Message,
    MeteredModel,
    ModelAnswer,
    ModelEvent,
    ModelRequest,
    ModelSpending,
    Price,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
    estimated_tokens,
)

ASKING = ModelRequest((Message("system", "x" * 100), Message("user", "保修多久？")), "answer")
ASKED = round(30 + 4 * 0.95 + 0.3)
PRICE = Price(1_000_000.0, 2_000_000.0)
BROKEN = Unavailable("model_stream_broken", "It broke.")
BEGUN = Begun(Usage("m", ASKED, 0, ASKED, estimated=True))


class Scripted:
    name = "m"

    def __init__(self, *script: ModelEvent | Exception, usage: Usage | None = None) -> None:
        self._script = script
        self._usage = usage

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        for event in self._script:
            if isinstance(event, Exception):
                raise event
            yield event

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return ModelAnswer("two years", (), self._usage, "stop")

    async def close(self) -> None: ...


async def told(*script: ModelEvent | Exception) -> list[ModelEvent]:
    events = []
    try:
        async for event in MeteredModel(Scripted(*script), PRICE).stream(ASKING):
            events.append(event)
    except Unavailable as error:
        assert error is BROKEN
    return events


@pytest.mark.parametrize(
    ("said", "tokens"),
    [
        ((TextDelta("x" * 50), TextDelta("年" * 20)), 34),
        ((ThinkingDelta("x" * 50), TextDelta("x" * 50)), 30),
        ((TextDelta("x" * 10), ToolCall("1", "find", '{"q": 1}')), 7),
    ],
)
async def test_an_endpoint_that_tells_nothing_is_estimated(said: Sequence[ModelEvent], tokens: int) -> None:
    estimate = Usage("m", ASKED, tokens, ASKED + 2 * tokens, estimated=True)
    first, *rest = said
    assert await told(*said, Finished("stop")) == [first, BEGUN, *rest, estimate, Finished("stop")]
    assert await told(*said, BROKEN) == [first, BEGUN, *rest, estimate]


async def test_what_an_endpoint_tells_counts() -> None:
    said = (TextDelta("Two years."), Usage("m", 7, 3, None))
    assert await told(*said, Finished("stop")) == [said[0], BEGUN, said[1], Finished("stop")]
    assert await told(*said, BROKEN) == [said[0], BEGUN, said[1]]


async def test_a_call_that_failed_before_its_first_word_used_nothing() -> None:
    assert await told(BROKEN) == []


async def test_an_answer_that_is_not_streamed_is_estimated_too() -> None:
    known = Usage("m", 7, 3, None)
    assert (await MeteredModel(Scripted(usage=known), PRICE).complete(ASKING)).usage == known
    estimate = (await MeteredModel(Scripted(), None).complete(ASKING)).usage
    assert estimate == Usage("m", ASKED, 3, None, estimated=True)


async def test_every_call_that_began_is_counted_by_its_purpose_also_one_that_is_left() -> None:
    registry = CollectorRegistry()
    spent = ModelSpending(registry)
    script = (TextDelta("Two years."), Usage("m", 7, 3, 5.0), Finished("stop"))
    async for _ in MeteredModel(Scripted(*script), PRICE, spent).stream(ASKING):
        pass
    with pytest.raises(Unavailable):
        async for _ in MeteredModel(Scripted(BROKEN), PRICE, spent).stream(ASKING):
            pass
    title = replace(ASKING, purpose="title")
    await MeteredModel(Scripted(usage=Usage("m", 20, 4, None)), PRICE, spent).complete(title)
    left = MeteredModel(Scripted(TextDelta("x" * 100), *script), PRICE, spent).stream(
        replace(ASKING, purpose="summary")
    )
    assert await anext(left) and await anext(left) == BEGUN
    await left.aclose()

    def tokens(purpose: str) -> tuple[float | None, ...]:
        labels = {"model": "m", "purpose": purpose}
        return tuple(
            registry.get_sample_value("model_tokens_total", {**labels, "direction": each})
            for each in ("input", "output")
        )

    assert (tokens("answer"), tokens("title"), tokens("summary")) == ((7, 3), (20, 4), (ASKED, 30))
    assert registry.get_sample_value("model_cost_total", {"model": "m", "purpose": "answer"}) == 5.0


def test_chinese_has_more_tokens_than_letters() -> None:
    assert estimated_tokens("年" * 100) == pytest.approx(95)
    assert estimated_tokens("a" * 100) == estimated_tokens("é" * 100) == pytest.approx(30)
