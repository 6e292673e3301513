"""Asks the engines: each channel has its own deadline and breaker, none waits for or fails another (RAG-1, EXEC-5)."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal, TypeVar

from opentelemetry.trace import SpanKind

from superagent_common.circuit_breaker import CircuitBreaker
from superagent_common.errors import ServiceError, Unavailable, reason_of
from superagent_common.logging import Logger
from superagent_common.telemetry import Telemetry
from superagent_retrieval.application.spaces import Space
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.across import LANGUAGES
from superagent_retrieval.domain.records import KeywordHit, SearchFilters, VectorHit
from superagent_retrieval.domain.scripts import script_of
from superagent_retrieval.domain.variants import Variant
from superagent_retrieval.ports import KeywordIndex

ChannelName = Literal["vector", "keyword", "outline"]
Hit = TypeVar("Hit", VectorHit, KeywordHit)


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """candidates: hits a channel recalls for a form of the question (RAG-14); hinted_candidates: for one with hints, and for
    the turned question, where the model's calibration says how questions are turned.

    vector_seconds, keyword_seconds: after so long the channel is left behind; embedding the question is part of the first.
    """

    candidates: int = 50
    hinted_candidates: int = 25
    vector_seconds: float = 5.0
    keyword_seconds: float = 5.0


@dataclass(slots=True)
class Timings:
    """Milliseconds. own: parents, fusion and budget."""

    embed: float = 0.0
    vector: float = 0.0
    keyword: float = 0.0
    outline: float = 0.0
    rerank: float = 0.0
    own: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer(Generic[Hit]):
    """What a channel gave, by form of the question; `down` says why it did not answer, "" when it did."""

    hits: Sequence[Sequence[Hit]]
    down: str = ""


class Channels:
    """Both engines and the embedder, behind deadlines and breakers. That of the vector channel belongs to its space."""

    def __init__(
        self,
        keywords: KeywordIndex,
        settings: ChannelSettings,
        telemetry: Telemetry,
        log: Logger,
    ) -> None:
        self._keywords = keywords
        self._settings = settings
        self._telemetry = telemetry
        self._log = log
        self._worded_breaker, self._headed_breaker = CircuitBreaker(time.monotonic), CircuitBreaker(time.monotonic)

    async def near(
        self, space: Space, variants: Sequence[Variant], scope: AccessScope, filters: SearchFilters, timings: Timings
    ) -> Answer[VectorHit]:
        """The nearest children of each variant in a space."""

        async def find() -> list[list[VectorHit]]:
            began = time.perf_counter()
            with self._telemetry.span("embed query", SpanKind.CLIENT, {"gen_ai.request.model": space.embedder.model}):
                embedded = await asyncio.gather(*(space.embedder.embed_query(each.text) for each in variants))
            searching = time.perf_counter()
            with self._telemetry.span("vector search", SpanKind.CLIENT, {"db.system": "qdrant"}):
                hits = await asyncio.gather(
                    *(
                        self._nearest(space, each, vector, scope, filters)
                        for each, vector in zip(variants, embedded, strict=True)
                    )
                )
            timings.embed = (searching - began) * 1000
            timings.vector = (time.perf_counter() - searching) * 1000
            return hits

        return await self._guarded("vector", space.breaker, self._settings.vector_seconds, len(variants), find)

    async def worded(
        self, variants: Sequence[Variant], scope: AccessScope, filters: SearchFilters, timings: Timings
    ) -> Answer[KeywordHit]:
        """The parents that share words with each variant."""

        async def find() -> list[list[KeywordHit]]:
            began = time.perf_counter()
            with self._telemetry.span("keyword search", SpanKind.CLIENT, {"db.system": "opensearch"}):
                hits = await asyncio.gather(
                    *(self._keywords.search(each.text, scope, filters, self._candidates(each)) for each in variants)
                )
            timings.keyword = (time.perf_counter() - began) * 1000
            return hits

        return await self._guarded("keyword", self._worded_breaker, self._settings.keyword_seconds, len(variants), find)

    async def headed(
        self, question: str, scope: AccessScope, filters: SearchFilters, timings: Timings
    ) -> Answer[KeywordHit]:
        """The parents whose headings share words with the question: one list."""

        async def find() -> list[list[KeywordHit]]:
            began = time.perf_counter()
            with self._telemetry.span("heading search", SpanKind.CLIENT, {"db.system": "opensearch"}):
                hits = await self._keywords.headings(question, scope, filters, self._settings.candidates)
            timings.outline = (time.perf_counter() - began) * 1000
            return [hits]

        return await self._guarded("outline", self._headed_breaker, self._settings.keyword_seconds, 1, find)

    async def _nearest(
        self, space: Space, variant: Variant, vector: Sequence[float], scope: AccessScope, filters: SearchFilters
    ) -> list[VectorHit]:
        near, foreign = await asyncio.gather(
            space.index.search(vector, scope, filters, self._candidates(variant)),
            self._foreign(space, variant, vector, scope, filters),
        )
        return [*near, *foreign]

    async def _foreign(
        self, space: Space, variant: Variant, vector: Sequence[float], scope: AccessScope, filters: SearchFilters
    ) -> list[VectorHit]:
        """Of documents in the other script; none for a form with hints, which say more in the question's own."""
        script = script_of(variant.text)
        across = space.calibration.across
        turn = across.of(script) if across and not variant.says_more else None
        languages = [each for each in LANGUAGES[script] if not filters.languages or each in filters.languages]
        if turn is None or not languages:
            return []
        turned, only = turn.turned(vector), replace(filters, languages=tuple(languages))
        hits = await space.index.search(turned.vector, scope, only, self._settings.hinted_candidates)
        return [hit.found_turned(turned.score(hit.score)) for hit in hits]

    def _candidates(self, variant: Variant) -> int:
        return self._settings.hinted_candidates if variant.says_more else self._settings.candidates

    async def _guarded(
        self,
        channel: ChannelName,
        breaker: CircuitBreaker,
        seconds: float,
        forms: int,
        find: Callable[[], Awaitable[list[list[Hit]]]],
    ) -> Answer[Hit]:
        nothing: list[list[Hit]] = [[] for _ in range(forms)]
        entry = breaker.enter()
        if entry is None:
            return Answer(nothing, "circuit_open")
        try:
            async with asyncio.timeout(seconds):
                hits = await find()
            if not all(math.isfinite(hit.score) for found in hits for hit in found):
                raise Unavailable("engine_answer_invalid", "An engine gave a score that is no number.")
        except asyncio.CancelledError:
            breaker.left(entry)
            raise
        except Exception as error:  # noqa: BLE001 - whatever an engine raises, the other channel answers
            breaker.failed(entry)
            self._log.warning("channel_failed", channel=channel, reason=reason_of(error))
            return Answer(nothing, _why(error))
        breaker.succeeded(entry)
        return Answer(hits)


def _why(error: Exception) -> str:
    """For people: what an engine's own exception is called stays in the log."""
    if isinstance(error, TimeoutError):
        return "timeout"
    return error.reason if isinstance(error, ServiceError) else "engine_failed"
