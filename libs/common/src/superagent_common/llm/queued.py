"""A model behind its provider's gate."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from opentelemetry.trace import Tracer

from superagent_common.llm.metered import estimated_tokens
from superagent_common.llm.port import (
    LanguageModel,
    ModelAnswer,
    ModelEvent,
    ModelRequest,
    Queued,
    Usage,
)
from superagent_common.llm.provider_gate import Place, ProviderGate

TELL_SECONDS = 1.0
"""How often whoever waits is told of a new place."""
_REPLY_TOKENS = 2_000.0
"""For requests that do not limit their answer (GWY-5)."""


class QueuedModel:
    """Waits for its turn at the provider. A `LanguageModel`.

    `person` names who asks, so that people take turns; empty for nobody in particular. While a stream waits it yields
    `Queued`, `complete` just waits; either wait is a span. Raises Exhausted(model_queue_full) besides the failures of
    the model itself.
    """

    def __init__(self, model: LanguageModel, gate: ProviderGate, person: Callable[[], str], tracer: Tracer) -> None:
        self.name = model.name
        self._tracer = tracer
        self._model = model
        self._gate = gate
        self._person = person

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        place = self._claim(request)
        used: float | None = None
        try:
            async with aclosing(self._positions(place)) as positions:
                async for position in positions:
                    yield Queued(position, self.name)
            async with aclosing(self._model.stream(request)) as events:
                async for event in events:
                    if isinstance(event, Usage):
                        used = event.input_tokens + event.output_tokens
                    yield event
        finally:
            place.leave(used)

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        place = self._claim(request)
        used: float | None = None
        try:
            async with aclosing(self._positions(place)) as positions:
                async for _ in positions:
                    pass
            answer = await self._model.complete(request)
            if answer.usage:
                used = answer.usage.input_tokens + answer.usage.output_tokens
            return answer
        finally:
            place.leave(used)

    async def close(self) -> None:
        await self._model.close()

    async def _positions(self, place: Place) -> AsyncGenerator[int, None]:
        """Each place in the queue that differs from the one before, until it may go; nothing when that is at once."""
        told = place.position
        if not told:
            return
        attributes: dict[str, str | int] = {"gen_ai.request.model": self.name, "superagent.model.queue_position": told}
        # Not the current span: a generator may not keep one across its yields.
        span = self._tracer.start_span(f"queue {self.name}", attributes=attributes)
        try:
            yield told
            while position := place.position:
                if position != told:
                    told = position
                    yield position
                await place.wait(TELL_SECONDS)
        finally:
            span.end()

    def _claim(self, request: ModelRequest) -> Place:
        return self._gate.claim(self._person(), _estimate(request) if self._gate.counts_tokens else 0.0)


def _estimate(request: ModelRequest) -> float:
    """Tokens that a call may take: its prompt's, and an answer of full length."""
    prompt = sum(estimated_tokens(message.content) for message in request.messages)
    reply = _REPLY_TOKENS if request.max_output_tokens is None else request.max_output_tokens
    return prompt + reply
