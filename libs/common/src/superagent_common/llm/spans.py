"""One span per model call, after OpenTelemetry's GenAI semantic conventions."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self

from opentelemetry.trace import Span, SpanKind, Tracer, set_span_in_context

from superagent_common.llm.port import FinishReason, ModelRequest, Usage
from superagent_common.telemetry import PROPAGATOR, fail


class ModelCallSpan:
    """Context manager around one call; never becomes the current span, so a generator may yield inside it.

    Holds no prompt and no answer. A call that its caller left is marked `superagent.model.cancelled`, not failed.
    """

    def __init__(
        self,
        tracer: Tracer,
        request: ModelRequest,
        *,
        model: str,
        stream: bool,
        provider: str,
        address: tuple[str, int] | None = None,
    ) -> None:
        """`address`: host and port of the endpoint, where they are known."""
        attributes: dict[str, str | int | float | bool] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "gen_ai.request.stream": stream,
            "gen_ai.output.type": "text" if request.response_schema is None else "json",
            "superagent.model.purpose": request.purpose,
        }
        if address is not None:
            attributes["server.address"], attributes["server.port"] = address
        if request.prompt:
            attributes["superagent.prompt"] = request.prompt
        if request.max_output_tokens is not None:
            attributes["gen_ai.request.max_tokens"] = request.max_output_tokens
        if request.temperature is not None:
            attributes["gen_ai.request.temperature"] = request.temperature
        self._span: Span = tracer.start_span(f"chat {model}", kind=SpanKind.CLIENT, attributes=attributes)
        self._started = time.monotonic()
        self._began = False

    def inject(self, headers: dict[str, str]) -> None:
        """Adds the W3C trace context of this call."""
        PROPAGATOR.inject(headers, context=set_span_in_context(self._span))

    def began(self) -> None:
        """The model speaks; only the first time counts."""
        if self._began:
            return
        self._began = True
        self._span.set_attribute("gen_ai.response.time_to_first_chunk", time.monotonic() - self._started)

    def finished(self, reason: FinishReason, usage: Usage | None, response_model: str | None) -> None:
        self._span.set_attribute("gen_ai.response.finish_reasons", (reason,))
        if isinstance(response_model, str):
            self._span.set_attribute("gen_ai.response.model", response_model)
        if usage is None:
            return
        self._span.set_attribute("gen_ai.usage.input_tokens", usage.input_tokens)
        self._span.set_attribute("gen_ai.usage.output_tokens", usage.output_tokens)
        if usage.cost is not None:
            self._span.set_attribute("superagent.model.cost", usage.cost)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, (GeneratorExit, asyncio.CancelledError)):
            self._span.set_attribute("superagent.model.cancelled", True)
        elif error is not None:
            fail(self._span, error)
        self._span.end()
