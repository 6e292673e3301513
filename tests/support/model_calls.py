"""What tests of model calls share: a question, the events of its answer, and models that close themselves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import SecretStr

from superagent_common.llm import (
    LanguageModel,
    Message,
    ModelEvent,
    ModelRequest,
    OpenAICompatibleModel,
    Purpose,
    TextDelta,
)

KEY = "sk-very-secret-key-0123456789"


def asking(text: str = "how long is the leave?", purpose: Purpose = "answer", **fields: Any) -> ModelRequest:
    return ModelRequest((Message("system", "You answer briefly."), Message("user", text)), purpose, **fields)


async def events_of(model: LanguageModel, request: ModelRequest) -> list[ModelEvent]:
    async with aclosing(model.stream(request)) as events:
        return [event async for event in events]


def text_of(events: Sequence[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


class RecordedSpans:
    """A tracer of its own and what it recorded."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = provider.get_tracer("tests")

    @property
    def finished(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()


ModelAt = Callable[..., OpenAICompatibleModel]
"""`model_at(base_url, name="m", **fields of OpenAICompatibleModel)`."""


@asynccontextmanager
async def models_that_close(spans: RecordedSpans) -> AsyncIterator[ModelAt]:
    made: list[OpenAICompatibleModel] = []

    def model_at(base_url: str, name: str = "m", **fields: Any) -> OpenAICompatibleModel:
        model = OpenAICompatibleModel(name, base_url, SecretStr(KEY), tracer=spans.tracer, **fields)
        made.append(model)
        return model

    yield model_at
    for model in made:
        await model.close()
