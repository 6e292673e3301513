"""Has a question said in other words (RAG-16); whatever goes wrong, it is searched as it is."""

from __future__ import annotations

import asyncio
import time

from opentelemetry.trace import SpanKind

from superagent_common.circuit_breaker import CircuitBreaker
from superagent_common.errors import ServiceError, reason_of
from superagent_common.logging import Logger
from superagent_common.telemetry import Telemetry
from superagent_retrieval.domain.variants import Variant, paraphrases
from superagent_retrieval.ports import Paraphraser


class Paraphrasing:
    """Asks the paraphraser, if there is one, for at most `seconds`."""

    def __init__(self, paraphraser: Paraphraser | None, seconds: float, telemetry: Telemetry, log: Logger) -> None:
        self._paraphraser = paraphraser
        self._seconds = seconds
        self._telemetry = telemetry
        self._log = log
        self._breaker = CircuitBreaker(time.monotonic)

    async def of(self, question: str) -> tuple[tuple[Variant, ...], str]:
        """Forms of the question, and why there are none; empty when there are, or nobody is asked."""
        if self._paraphraser is None:
            return (), ""
        entry = self._breaker.enter()
        if entry is None:
            return (), "circuit_open"
        try:
            with self._telemetry.span("paraphrase", SpanKind.CLIENT, {"gen_ai.request.model": self._paraphraser.model}):
                async with asyncio.timeout(self._seconds):
                    said = await self._paraphraser.paraphrases(question)
        except asyncio.CancelledError:
            self._breaker.left(entry)
            raise
        except Exception as error:  # noqa: BLE001 - whatever a paraphraser raises, there is a question already
            self._breaker.failed(entry)
            self._log.warning("paraphrase_failed", reason=reason_of(error))
            return (), _why(error)
        self._breaker.succeeded(entry)
        return paraphrases(question, said), ""


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    return error.reason if isinstance(error, ServiceError) else "paraphrase_failed"
