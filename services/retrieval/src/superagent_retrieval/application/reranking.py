"""Has the best candidates judged again (RAG-4); whatever goes wrong, the fused order stays."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass

from opentelemetry.trace import SpanKind

from superagent_common.circuit_breaker import CircuitBreaker
from superagent_common.errors import ServiceError, Unavailable, reason_of
from superagent_common.logging import Logger
from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.channels import Timings
from superagent_retrieval.domain.candidates import Candidate
from superagent_retrieval.domain.ranking import Pool, reranked
from superagent_retrieval.ports import Reranker

DONE = "done"
# Of one passage: rerankers read some 500 tokens and cut off the rest.
_PASSAGE_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """candidates: how many are judged. seconds: after so long the fused order stays."""

    candidates: int = 30
    seconds: float = 2.0


class Reranking:
    """`outcome` of a search: empty when there is no reranker, `done`, or why the fused order stayed."""

    def __init__(self, reranker: Reranker | None, settings: RerankSettings, telemetry: Telemetry, log: Logger) -> None:
        self._reranker = reranker
        self._settings = settings
        self._telemetry = telemetry
        self._log = log
        self._breaker = CircuitBreaker(time.monotonic)

    async def run(self, question: str, pool: Pool, timings: Timings) -> tuple[Pool, str]:
        """The pool in its new order, and the outcome."""
        first = pool.ordered[: self._settings.candidates]
        if self._reranker is None or len(first) < 2:
            return pool, ""
        entry = self._breaker.enter()
        if entry is None:
            return pool, "rerank_circuit_open"
        began = time.perf_counter()
        try:
            with self._telemetry.span("rerank", SpanKind.CLIENT, {"gen_ai.request.model": self._reranker.model}):
                async with asyncio.timeout(self._settings.seconds):
                    scores = await self._reranker.scores(question, [_passage(each) for each in first])
            if len(scores) != len(first) or not all(map(math.isfinite, scores)):
                raise Unavailable("rerank_failed", "not one score for each passage")
        except asyncio.CancelledError:
            self._breaker.left(entry)
            raise
        except Exception as error:  # noqa: BLE001 - whatever a reranker raises, there is an order already
            self._breaker.failed(entry)
            outcome = _outcome(error)
            self._log.warning("rerank_failed", reason=reason_of(error))
            return pool, outcome
        finally:
            timings.rerank = (time.perf_counter() - began) * 1000
        self._breaker.succeeded(entry)
        return reranked(pool, scores), DONE


def _outcome(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "rerank_timeout"
    return error.reason if isinstance(error, ServiceError) else "rerank_failed"


def _passage(candidate: Candidate) -> str:
    parent = candidate.parent
    head = " > ".join(filter(None, (parent.title, *parent.heading_path)))
    start = (
        max(0, candidate.children[0].start - 200)
        if len(parent.text) > _PASSAGE_CHARACTERS and candidate.children
        else 0
    )
    return f"{head}\n{parent.text[start : start + _PASSAGE_CHARACTERS]}".strip()
