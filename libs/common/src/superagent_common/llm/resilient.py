"""Primary and backup model as one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace

from superagent_common.circuit_breaker import CircuitBreaker, Entry
from superagent_common.errors import ServiceError, Unavailable
from superagent_common.llm.failures import REJECTED_REQUEST
from superagent_common.llm.port import (
    MODEL_FAILURES,
    QUEUE_FULL,
    SAID_NOTHING,
    Begun,
    Degraded,
    Finished,
    LanguageModel,
    ModelAnswer,
    ModelEvent,
    ModelRequest,
    Queued,
    TextDelta,
    TierName,
    ToolCall,
    Usage,
)

_NO_ANSWER = (Queued, Begun, Usage, Finished)
_SAYS_NOTHING_OF_THE_ENDPOINT = (REJECTED_REQUEST, QUEUE_FULL)


@dataclass(frozen=True, slots=True)
class _Tier:
    name: TierName
    model: LanguageModel
    breaker: CircuitBreaker


class ResilientModel:
    """Asks the primary, and the backup when the primary fails before its first token. A `LanguageModel`.

    A primary that gives an answer without words, reasoning or tool calls has failed (`model_said_nothing`) where there
    is a backup to ask; else the answer is given as it is, and whoever asked may ask otherwise. Blanks before the first
    word are no part of an answer, nor are calls of tools where none were offered.

    When the backup answers, a stream begins with `Degraded`, and `ModelAnswer.degraded` is set. When both fail, the
    last failure is raised; Unavailable(model_circuit_open) when neither may be asked now.
    """

    def __init__(self, primary: LanguageModel, backup: LanguageModel | None, *, monotonic: Callable[[], float]) -> None:
        self.name = primary.name
        self._tiers = [_Tier("primary", primary, CircuitBreaker(monotonic))]
        if backup is not None:
            self._tiers.append(_Tier("backup", backup, CircuitBreaker(monotonic)))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        failure: ServiceError = _circuit_open()
        for tier in self._tiers:
            entry = tier.breaker.enter()
            if entry is None:
                continue
            answering = False
            unsaid: list[ModelEvent] = []
            try:
                with _settling(tier.breaker, entry):
                    async with aclosing(tier.model.stream(request)) as events:
                        async for event in events:
                            if _is_no_part(event, request, answering):
                                continue
                            if not answering and not isinstance(event, _NO_ANSWER):
                                answering = True
                                tier.breaker.answering(entry)
                                if tier.name != "primary":
                                    yield _degraded(tier, failure)
                                for begun in unsaid:
                                    yield begun
                            if answering or isinstance(event, Queued):
                                yield event
                            else:
                                unsaid.append(event)
                    if not answering and tier is not self._tiers[-1]:
                        raise _said_nothing()
                for event in unsaid if not answering else ():
                    yield event
                return
            except MODEL_FAILURES as error:
                if answering:
                    raise
                failure = error
        raise failure

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        failure: ServiceError = _circuit_open()
        for tier in self._tiers:
            entry = tier.breaker.enter()
            if entry is None:
                continue
            try:
                with _settling(tier.breaker, entry):
                    answer = await tier.model.complete(request)
                    if not request.tools:
                        answer = replace(answer, tool_calls=())
                    if not (answer.text.strip() or answer.tool_calls) and tier is not self._tiers[-1]:
                        raise _said_nothing()
            except MODEL_FAILURES as error:
                failure = error
                continue
            return answer if tier.name == "primary" else replace(answer, degraded=_degraded(tier, failure))
        raise failure

    async def close(self) -> None:
        for tier in self._tiers:
            await tier.model.close()


@contextmanager
def _settling(breaker: CircuitBreaker, entry: Entry) -> Iterator[None]:
    """Tells the breaker how the call inside went."""
    try:
        yield
    except MODEL_FAILURES as error:
        if error.reason in _SAYS_NOTHING_OF_THE_ENDPOINT:
            breaker.left(entry)
        else:
            breaker.failed(entry)
        raise
    except BaseException:
        breaker.left(entry)
        raise
    breaker.succeeded(entry)


def _is_no_part(event: ModelEvent, request: ModelRequest, answering: bool) -> bool:
    if isinstance(event, TextDelta):
        return not (answering or event.text.strip())
    return isinstance(event, ToolCall) and not request.tools


def _degraded(tier: _Tier, failure: ServiceError) -> Degraded:
    return Degraded(tier.name, tier.model.name, failure.reason)


def _said_nothing() -> Unavailable:
    return Unavailable(SAID_NOTHING, "The model gave an empty answer.")


def _circuit_open() -> Unavailable:
    return Unavailable("model_circuit_open", "the model failed several times in a row and is left alone for a while")
