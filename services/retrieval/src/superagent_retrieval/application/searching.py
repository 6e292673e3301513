"""Finds evidence: both channels at once, neither waits for nor fails the other."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from opentelemetry.trace import SpanKind

from superagent_common.circuit_breaker import CircuitBreaker
from superagent_common.errors import InvalidInput, NotFound, Unavailable, reason_of
from superagent_common.identity import Principal
from superagent_common.logging import Logger
from superagent_common.telemetry import Telemetry
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.budget import Budget, Evidence, fit
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import ManagedDomain, OutlineEntry, VisibleDomain, visible_domains
from superagent_retrieval.domain.ranking import Ranking, RankingSettings, rank
from superagent_retrieval.domain.records import KeywordHit, SearchFilters, VectorHit
from superagent_retrieval.ports import Catalogue, Embedder, KeywordIndex, VectorIndex

RetrievalMode = Literal["hybrid", "text_only", "vector_only", "none"]
QUESTION_CHARACTERS = 8_000
DEFAULT_TOP_K, MAX_TOP_K = 5, 50
"""RAG-14."""

T = TypeVar("T")
ExpandTags = Callable[[Iterable[str]], frozenset[str]]
ManagedDomains = Callable[[], Iterable[ManagedDomain]]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """candidates: hits a channel recalls (RAG-14). channel_seconds: after so long a channel is left behind."""

    ranking: RankingSettings
    candidates: int = 50
    channel_seconds: float = 5.0


@dataclass(frozen=True, slots=True)
class Query:
    """`budget_chars`: 0 means the default, below 0 no budget."""

    question: str
    filters: SearchFilters = field(default_factory=SearchFilters)
    top_k: int = 0
    budget_chars: int = 0


@dataclass(slots=True)
class Timings:
    """Milliseconds."""

    embed: float = 0.0
    vector: float = 0.0
    keyword: float = 0.0
    own: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """evidence: best first. titles: by parent id, of every hit that answers."""

    evidence: list[Evidence]
    mode: RetrievalMode
    dropped: dict[str, int]
    unknown_domains: tuple[str, ...]
    timings: Timings
    ranking: Ranking
    titles: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Answer(Generic[T]):
    """What a channel gave; `down` when it did not answer."""

    hits: list[T]
    down: bool


@dataclass(frozen=True, slots=True)
class _Recalled:
    """What both channels gave."""

    vector: _Answer[VectorHit]
    keyword: _Answer[KeywordHit]

    def places(self) -> set[tuple[str, str, str]]:
        """Document, generation and parent of each hit."""
        return {(hit.document_id, hit.generation, hit.parent_id) for hit in self.vector.hits} | {
            (hit.document_id, hit.generation, hit.parent_id) for hit in self.keyword.hits
        }


class Searching:
    """Searches for persons; what a person may not read takes no part in anything."""

    def __init__(
        self,
        vectors: VectorIndex,
        keywords: KeywordIndex,
        embedder: Embedder,
        catalogue: Catalogue,
        expand_tags: ExpandTags,
        managed_domains: ManagedDomains,
        settings: SearchSettings,
        telemetry: Telemetry,
        log: Logger,
    ) -> None:
        self._vectors = vectors
        self._keywords = keywords
        self._embedder = embedder
        self._catalogue = catalogue
        self._expand_tags = expand_tags
        self._managed_domains = managed_domains
        self._settings = settings
        self._telemetry = telemetry
        self._log = log
        self._vector_breaker = CircuitBreaker(time.monotonic)
        self._keyword_breaker = CircuitBreaker(time.monotonic)

    def scope(self, principal: Principal) -> AccessScope:
        """What a person may read."""
        return AccessScope(principal.user_id, self._expand_tags(principal.org_tags))

    async def search(self, principal: Principal, query: Query) -> Found:
        """Evidence for a question. Raises Unavailable when neither channel answers."""
        began = time.perf_counter()
        question = _checked(query)
        top_k = query.top_k or DEFAULT_TOP_K
        scope, timings = self.scope(principal), Timings()
        unknown = await self._unknown_domains(principal, query.filters.domains)
        if query.filters.domains and len(unknown) == len(query.filters.domains):
            empty = rank(question, (), (), {}, top_k, self._settings.ranking)
            return Found([], "none", {}, unknown, timings, empty)
        recalled, parents = await self._recall(question, scope, query.filters, timings)
        if await self._replaced_meanwhile(recalled, parents):
            recalled, parents = await self._recall(question, scope, query.filters, timings)
        own = time.perf_counter()
        vector, keyword = recalled.vector, recalled.keyword
        ranking = rank(question, vector.hits, keyword.hits, parents, top_k, self._settings.ranking)
        evidence = fit(ranking.passages, _budget(query.budget_chars))
        now = time.perf_counter()
        timings.own += (now - own) * 1000
        timings.total = (now - began) * 1000
        dropped = Counter(ranking.dropped)
        dropped["over_budget"] = len(ranking.passages) - len(evidence)
        return Found(
            evidence,
            _mode(vector.down, keyword.down) if evidence else "none",
            {reason: count for reason, count in dropped.items() if count},
            unknown,
            timings,
            ranking,
            {key: parent.title for key, parent in parents.items()},
        )

    async def outline(self, principal: Principal, document_id: str) -> tuple[OutlineEntry, ...]:
        """The section tree of a readable document."""
        entries = await self._catalogue.outline(document_id, self.scope(principal))
        if entries is None:
            raise NotFound("unknown_document", "There is no such document.")
        return entries

    async def domains(self, principal: Principal) -> list[VisibleDomain]:
        """The domains that are there for a person, by code."""
        scope = self.scope(principal)
        readable = await self._catalogue.domains(scope)
        return visible_domains(readable, self._managed_domains(), scope, is_administrator=principal.is_admin)

    async def _unknown_domains(self, principal: Principal, domains: tuple[str, ...]) -> tuple[str, ...]:
        if not domains:
            return ()
        known = {domain.code for domain in await self.domains(principal)}
        return tuple(code for code in domains if code not in known)

    async def _recall(
        self, question: str, scope: AccessScope, filters: SearchFilters, timings: Timings
    ) -> tuple[_Recalled, dict[str, Parent]]:
        """What both channels found, and the parents of it that answer."""
        recalled = _Recalled(
            *await asyncio.gather(
                self._vector_hits(question, scope, filters, timings),
                self._keyword_hits(question, scope, filters, timings),
            )
        )
        if recalled.vector.down and recalled.keyword.down:
            raise Unavailable("retrieval_unavailable", "The knowledge base does not answer right now.")
        began = time.perf_counter()
        parents = await self._catalogue.parents(list({parent for _, _, parent in recalled.places()}), scope)
        timings.own = (time.perf_counter() - began) * 1000
        return recalled, parents

    async def _replaced_meanwhile(self, recalled: _Recalled, parents: Mapping[str, Parent]) -> bool:
        """Whether a document got a new generation after the engines had answered from the one before."""
        places = recalled.places()
        lost = {document_id for document_id, _, parent_id in places if parent_id not in parents}
        if not lost:
            return False
        answering = await self._catalogue.generations(list(lost))
        return not answering.items() <= {(document_id, generation) for document_id, generation, _ in places}

    async def _vector_hits(
        self, question: str, scope: AccessScope, filters: SearchFilters, timings: Timings
    ) -> _Answer[VectorHit]:
        async def find() -> list[VectorHit]:
            began = time.perf_counter()
            with self._telemetry.span("embed query", SpanKind.CLIENT, {"gen_ai.request.model": self._embedder.model}):
                vector = await self._embedder.embed_query(question)
            embedded = time.perf_counter()
            with self._telemetry.span("vector search", SpanKind.CLIENT, {"db.system": "qdrant"}):
                hits = await self._vectors.search(vector, scope, filters, self._settings.candidates)
            timings.embed, timings.vector = (embedded - began) * 1000, (time.perf_counter() - embedded) * 1000
            return hits

        return await self._guarded("vector", self._vector_breaker, find)

    async def _keyword_hits(
        self, question: str, scope: AccessScope, filters: SearchFilters, timings: Timings
    ) -> _Answer[KeywordHit]:
        async def find() -> list[KeywordHit]:
            began = time.perf_counter()
            with self._telemetry.span("keyword search", SpanKind.CLIENT, {"db.system": "opensearch"}):
                hits = await self._keywords.search(question, scope, filters, self._settings.candidates)
            timings.keyword = (time.perf_counter() - began) * 1000
            return hits

        return await self._guarded("keyword", self._keyword_breaker, find)

    async def _guarded(
        self, channel: str, breaker: CircuitBreaker, find: Callable[[], Awaitable[list[T]]]
    ) -> _Answer[T]:
        """A channel with its own deadline and breaker (EXEC-5)."""
        entry = breaker.enter()
        if entry is None:
            return _Answer([], True)
        try:
            async with asyncio.timeout(self._settings.channel_seconds):
                hits = await find()
        except asyncio.CancelledError:
            breaker.left(entry)
            raise
        except Exception as error:  # noqa: BLE001 - whatever an engine raises, the other channel answers
            breaker.failed(entry)
            self._log.warning("channel_failed", channel=channel, reason=reason_of(error))
            return _Answer([], True)
        breaker.succeeded(entry)
        return _Answer(hits, False)


def _checked(query: Query) -> str:
    if not query.question.strip():
        raise InvalidInput("empty_question", "The question is empty.")
    if len(query.question) > QUESTION_CHARACTERS:
        raise InvalidInput("question_too_long", f"A question has at most {QUESTION_CHARACTERS} characters.")
    if not 0 <= query.top_k <= MAX_TOP_K:
        raise InvalidInput("invalid_top_k", f"top_k is 1 to {MAX_TOP_K}.")
    return query.question


def _budget(characters: int) -> Budget | None:
    if characters < 0:
        return None
    return Budget(total=characters) if characters else Budget()


def _mode(vector_down: bool, keyword_down: bool) -> RetrievalMode:
    if vector_down:
        return "text_only"
    return "vector_only" if keyword_down else "hybrid"
