"""Finds evidence: forms of the question, both channels and headings at once, one order, the budget."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from superagent_common.errors import InvalidInput, NotFound, Unavailable
from superagent_common.identity import Principal
from superagent_retrieval.application.channels import Answer, Channels, Timings
from superagent_retrieval.application.paraphrasing import Paraphrasing
from superagent_retrieval.application.reranking import Reranking
from superagent_retrieval.application.spaces import Spaces
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.budget import Budget, Evidence, fit
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import ManagedDomain, OutlineEntry, VisibleDomain, visible_domains
from superagent_retrieval.domain.channels import VariantHits
from superagent_retrieval.domain.floors import Calibration
from superagent_retrieval.domain.headings import Terms, heading_question
from superagent_retrieval.domain.ranking import Asked, Pool, Ranking, RankingSettings, pooled, selected
from superagent_retrieval.domain.records import KeywordHit, SearchFilters
from superagent_retrieval.domain.variants import HINT_CHARACTERS, Variant, normalised, variants
from superagent_retrieval.ports import Catalogue

RetrievalMode = Literal["hybrid", "text_only", "vector_only", "none"]
QUESTION_CHARACTERS = 8_000
HINT_WORDS = 50
"""Of one request; a skill has fewer that tell."""
DEFAULT_TOP_K, MAX_TOP_K = 5, 50
"""RAG-14."""

ExpandTags = Callable[[Iterable[str]], frozenset[str]]
ManagedDomains = Callable[[], Iterable[ManagedDomain]]


@dataclass(frozen=True, slots=True)
class Query:
    """`budget_chars`: 0 means the default, below 0 no budget. hint_words, history_hint: what the question may be about."""

    question: str
    filters: SearchFilters = field(default_factory=SearchFilters)
    top_k: int = 0
    budget_chars: int = 0
    hint_words: tuple[str, ...] = ()
    history_hint: str = ""
    use_outline: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """evidence: best first. mode: which channels answered; `none` when both did and found nothing, for then there is none.
    rerank: see `Reranking`. channels_down: name of each channel that did not answer → why.

    The rest is the working: parents by id are those of all hits that answer, settings those of the model that searched.
    """

    evidence: list[Evidence]
    mode: RetrievalMode
    dropped: dict[str, int]
    unknown_domains: tuple[str, ...]
    timings: Timings
    rerank: str
    channels_down: dict[str, str]
    variants: tuple[Variant, ...]
    pool: Pool
    ranking: Ranking
    parents: Mapping[str, Parent]
    settings: RankingSettings


@dataclass(frozen=True, slots=True)
class _Recalled:
    """What the channels gave for each form of the question, and those that gave nothing, with the reason.

    settings: what the scores mean.
    """

    hits: list[VariantHits]
    headings: Sequence[KeywordHit]
    down: dict[str, str]
    settings: RankingSettings

    def places(self) -> set[tuple[str, str, str]]:
        """Document, generation and parent of each hit."""
        found = {(hit.document_id, hit.generation, hit.parent_id) for each in self.hits for hit in each.vector}
        found |= {(hit.document_id, hit.generation, hit.parent_id) for each in self.hits for hit in each.keyword}
        return found | {(hit.document_id, hit.generation, hit.parent_id) for hit in self.headings}


class Searching:
    """Searches for persons; what a person may not read takes no part in anything."""

    def __init__(
        self,
        spaces: Spaces,
        channels: Channels,
        paraphrasing: Paraphrasing,
        reranking: Reranking,
        catalogue: Catalogue,
        expand_tags: ExpandTags,
        managed_domains: ManagedDomains,
        settings: Callable[[Calibration], RankingSettings],
        terms: Terms,
    ) -> None:
        """settings: for what the cosines of the answering model mean."""
        self._spaces = spaces
        self._channels = channels
        self._paraphrasing = paraphrasing
        self._reranking = reranking
        self._catalogue = catalogue
        self._expand_tags = expand_tags
        self._managed_domains = managed_domains
        self._settings = settings
        self._terms = terms

    def scope(self, principal: Principal) -> AccessScope:
        """What a person may read."""
        return AccessScope(principal.user_id, self._expand_tags(principal.org_tags))

    async def search(self, principal: Principal, query: Query) -> Found:
        """Evidence for a question. Raises Unavailable when neither channel answers."""
        began = time.perf_counter()
        _check(query)
        hint_words = tuple(word[:HINT_CHARACTERS] for word in query.hint_words[:HINT_WORDS])
        forms = variants(query.question, hint_words, query.history_hint[: 2 * HINT_CHARACTERS])
        asked = Asked(
            query.question,
            self._terms(normalised(query.question)),
            self._terms(" ".join(hint_words)) if hint_words else (),
            query.use_outline,
        )
        scope, timings = self.scope(principal), Timings()
        unknown = await self._unknown_domains(principal, query.filters.domains)
        if query.filters.domains and len(unknown) == len(query.filters.domains):
            settings = self._settings(self._spaces.answering.calibration)
            pool = pooled(asked, [VariantHits(each, (), ()) for each in forms], (), {}, settings, self._terms)
            return Found([], "none", {}, unknown, timings, "", {}, forms, pool, selected(pool, 1), {}, settings)
        said_otherwise, without_paraphrases = await self._paraphrasing.of(query.question)
        forms += said_otherwise
        recalled, parents = await self._recall(asked, forms, scope, query.filters, timings)
        if await self._replaced_meanwhile(recalled, parents):
            recalled, parents = await self._recall(asked, forms, scope, query.filters, timings)
        own = time.perf_counter()
        pool = pooled(asked, recalled.hits, recalled.headings, parents, recalled.settings, self._terms)
        pool, rerank = await self._reranking.run(query.question, pool, timings)
        ranking = selected(pool, query.top_k or DEFAULT_TOP_K)
        evidence = fit(ranking.passages, _budget(query.budget_chars))
        now = time.perf_counter()
        timings.own += (now - own) * 1000 - timings.rerank
        timings.total = (now - began) * 1000
        return Found(
            evidence,
            _mode(recalled.down, evidence),
            _dropped(ranking, evidence),
            unknown,
            timings,
            rerank,
            recalled.down | ({"paraphrase": without_paraphrases} if without_paraphrases else {}),
            forms,
            pool,
            ranking,
            parents,
            recalled.settings,
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
        self, asked: Asked, forms: tuple[Variant, ...], scope: AccessScope, filters: SearchFilters, timings: Timings
    ) -> tuple[_Recalled, dict[str, Parent]]:
        """What the channels found, and the parents of it that answer."""
        with self._spaces.pinned() as space:
            near, worded, headed = await asyncio.gather(
                self._channels.near(space, forms, scope, filters, timings),
                self._channels.worded(forms, scope, filters, timings),
                self._headed(asked, scope, filters, timings),
            )
        if near.down and worded.down:
            raise Unavailable("retrieval_unavailable", "The knowledge base does not answer right now.")
        down = {"vector": near.down, "keyword": worded.down, "outline": headed.down}
        recalled = _Recalled(
            [VariantHits(*each) for each in zip(forms, near.hits, worded.hits, strict=True)],
            headed.hits[0],
            {name: why for name, why in down.items() if why},
            self._settings(space.calibration),
        )
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

    async def _headed(
        self, asked: Asked, scope: AccessScope, filters: SearchFilters, timings: Timings
    ) -> Answer[KeywordHit]:
        if not asked.by_heading:
            return Answer([[]])
        return await self._channels.headed(heading_question(asked.question), scope, filters, timings)


def _check(query: Query) -> None:
    if not query.question.strip():
        raise InvalidInput("empty_question", "The question is empty.")
    if len(query.question) > QUESTION_CHARACTERS:
        raise InvalidInput("question_too_long", f"A question has at most {QUESTION_CHARACTERS} characters.")
    if not 0 <= query.top_k <= MAX_TOP_K:
        raise InvalidInput("invalid_top_k", f"top_k is 1 to {MAX_TOP_K}.")


def _budget(characters: int) -> Budget | None:
    if characters < 0:
        return None
    return Budget(total=characters) if characters else Budget()


def _dropped(ranking: Ranking, evidence: list[Evidence]) -> dict[str, int]:
    dropped: dict[str, int] = {str(reason): count for reason, count in ranking.dropped.items()}
    if over := sum(len(passage.parent_ids) for passage in ranking.passages) - sum(
        len(each.passage.parent_ids) for each in evidence
    ):
        dropped["over_budget"] = over
    return dropped


def _mode(down: Mapping[str, str], evidence: Sequence[Evidence]) -> RetrievalMode:
    if "vector" in down:
        return "text_only"
    if "keyword" in down:
        return "vector_only"
    return "hybrid" if evidence else "none"
