"""From what engines found to the passages to answer from; no I/O, the same answer every time.

`pooled` drops, fuses and lifts; then a reranker may have its say (`reranked`); `selected` spreads over sources, cuts and
joins neighbours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from superagent_retrieval.domain.candidates import (
    Candidate,
    Parent,
    children_of_parents,
    diversified,
    in_order,
    without_copies,
)
from superagent_retrieval.domain.channels import ChannelResult, VariantHits, channel_result
from superagent_retrieval.domain.coverage import searchable, share_said
from superagent_retrieval.domain.floors import Calibration, related
from superagent_retrieval.domain.fusion import best_first, highest
from superagent_retrieval.domain.headings import Terms, references
from superagent_retrieval.domain.identifiers import identifiers
from superagent_retrieval.domain.lifting import Bonuses, Wanted, with_bonuses, with_identifiers
from superagent_retrieval.domain.lists import ChannelScores, Fusion, RankedList, fused, list_of
from superagent_retrieval.domain.outlines import holds_part, outline_scores
from superagent_retrieval.domain.passages import Passage, passages
from superagent_retrieval.domain.records import KeywordHit, VectorHit

Reason = Literal[
    "inactive_generation",
    "below_floor",
    "only_hinted",
    "unrelated",
    "same_text",
    "same_source",
    "over_top_k",
    "over_budget",
]

# A question of so few words says too little to find anything by them alone.
_SHORT_TERMS = 3
# What only a hint found must be nearly near enough to the question itself.
_HINTED_LENIENCE = 0.03
_WHOLE_HEADING = 1.0
_NAMED_HEADING = 2.0


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """keyword_floor: share of the best BM25 (RAG-1). fusion, vector_weight: RAG-3, defaults of the measured sets.

    keyword_doubt: the share of its weight that the keyword channel loses where its best passage says none of the words
    searched for; half of them, half of that: stretching makes its best a 1 even then. (nDCG@10 of XQuAD English .984 →
    .987, Chinese .979 → .980, SQuAD2 as before; more of it, and Chinese and SQuAD2 lose.)
    foreign_shift: the share of the keyword channel's weight that the vector channel has besides its own for passages in
    the other script, which hardly share words with a question. hint_weight, paraphrase_weight, outline_weight: of those
    lists beside the question's own, which has 1; by ranks alone, a list with a tenth of the weight moves a passage by some
    two places. per_source: RAG-6.
    """

    calibration: Calibration
    keyword_floor: float = 0.35
    fusion: Fusion = "weighted"
    vector_weight: float = 0.5
    keyword_doubt: float = 0.5
    foreign_shift: float = 0.5
    hint_weight: float = 0.1
    paraphrase_weight: float = 0.5
    outline_weight: float = 1.0
    per_source: int = 2
    bonuses: Bonuses = field(default_factory=Bonuses)

    def __post_init__(self) -> None:
        shares = (
            self.keyword_floor,
            self.vector_weight,
            self.keyword_doubt,
            self.foreign_shift,
            self.hint_weight,
            self.paraphrase_weight,
            self.outline_weight,
        )
        if not all(0 <= share <= 1 for share in shares) or self.per_source < 1:
            raise ValueError(f"ranking settings out of range: {self}")


@dataclass(frozen=True, slots=True)
class Asked:
    """`terms`: the question's searchable words. `hint_terms`: those of the hint words."""

    question: str
    terms: tuple[str, ...] = ()
    hint_terms: tuple[str, ...] = ()
    use_outline: bool = False

    @property
    def by_heading(self) -> bool:
        """Whether headings are a list of their own."""
        return self.use_outline or bool(references(self.question))

    @property
    def is_short(self) -> bool:
        return len(self.terms) <= _SHORT_TERMS


@dataclass(frozen=True, slots=True)
class Pool:
    """Everything that may be answered from, best first, and how it came about.

    channels: what each channel found for each form of the question. left_out: parents that are not in `ordered`; those
    of them that got as far as fusion are `aside`.
    """

    ordered: tuple[Candidate, ...]
    aside: tuple[Candidate, ...]
    lists: tuple[RankedList, ...]
    channels: tuple[ChannelResult, ...]
    left_out: Mapping[str, Reason]
    per_source: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """passages: best first, texts whole. left_out: why each parent that was found is in none of them."""

    passages: tuple[Passage, ...]
    left_out: Mapping[str, Reason]

    @property
    def dropped(self) -> dict[Reason, int]:
        return dict(Counter(self.left_out.values()))


def pooled(
    asked: Asked,
    found: Sequence[VariantHits],
    headings: Sequence[KeywordHit],
    parents: Mapping[str, Parent],
    settings: RankingSettings,
    terms: Terms,
) -> Pool:
    """Candidates from the hits of each form of the question, the question itself first, and from those of headings.

    A channel that did not answer has no hits. parents: those of the hits that belong to an active generation; a hit
    without one is dropped. terms: the keyword engines' analysis.
    """
    results = [
        channel_result(each, asked.question, parents, settings.calibration, settings.keyword_floor) for each in found
    ]
    named = references(asked.question)
    wanted = Wanted(asked.terms, asked.hint_terms, named, identifiers(asked.question))
    left_out: dict[str, Reason] = {}
    for result in results:
        for key, reason in result.dropped.items():
            left_out.setdefault(key, reason)

    lists = [
        _list(result, settings, asked, parents, terms) for result in results if result.variant.kind != "paraphrase"
    ]
    lists = [_without_merely_hinted(each, results, asked, settings, left_out) for each in lists]
    if said_otherwise := [result for result in results if result.variant.kind == "paraphrase"]:
        lists.append(_paraphrased(said_otherwise, settings))
    outline: dict[str, float] = {}
    if asked.by_heading:
        keys = dict.fromkeys((*(hit.parent_id for hit in headings), *(key for each in lists for key in each.scores)))
        outline = outline_scores(asked.question, asked.terms, [parents[key] for key in keys if key in parents], terms)
        channel = ChannelScores("outline", outline, 1.0)
        # Who names a chapter wants it before anything else.
        weight = settings.outline_weight * (2.0 if named else 1.0)
        lists.append(list_of("outline", [channel], "reciprocal_rank", weight))

    scores = fused(lists)
    keyword = highest([each.keyword for each in results])
    children = _children(results)
    candidates = [
        Candidate(parents[key], children.get(key, ()), keyword.get(key), score, outline=outline.get(key))
        for key, score in scores.items()
    ]
    if wanted.identifiers:
        candidates = [with_identifiers(each, wanted.identifiers) for each in candidates]
    best = max(scores.values(), default=0.0)
    ordered = in_order(with_bonuses(in_order(candidates), best, wanted, settings.bonuses, terms))
    for key in scores:
        left_out.pop(key, None)

    heading = max(outline.values(), default=0.0)
    certain = (
        heading >= _WHOLE_HEADING
        or any(candidate.exact for candidate in ordered)
        or holds_part([each.parent for each in ordered], named)
    )
    # Of what the person asked, whatever the floor.
    cosines = highest([each.all_vector for each in results if not each.variant.says_more])
    in_line = [candidate.parent for candidate in ordered]
    is_related = certain or related(
        asked.question, asked.terms, cosines, in_line, parents.values(), settings.calibration
    )
    kept = without_copies(ordered) if is_related else []
    kept_ids = {candidate.parent.parent_id for candidate in kept}
    aside = [candidate for candidate in ordered if candidate.parent.parent_id not in kept_ids]
    why: Reason = "same_text" if is_related else "unrelated"
    left_out |= dict.fromkeys((candidate.parent.parent_id for candidate in aside), why)
    # Who asks for one chapter wants all of it.
    per_source = max(1, len(kept)) if heading >= _NAMED_HEADING else settings.per_source
    return Pool(tuple(kept), tuple(aside), tuple(lists), tuple(results), left_out, per_source)


def reranked(pool: Pool, scores: Sequence[float]) -> Pool:
    """The pool with its first candidates, as many as there are scores, in the order of these; ties as they were."""
    first = [replace(each, rerank=score) for each, score in zip(pool.ordered, scores, strict=False)]
    return replace(pool, ordered=tuple(in_order((*first, *pool.ordered[len(scores) :]))))


def selected(pool: Pool, top_k: int) -> Ranking:
    """At most `top_k` (at least 1) parents, spread over sources, adjacent ones joined."""
    chosen = list(islice(diversified(pool.ordered, pool.per_source), top_k))
    kept = {candidate.parent.parent_id for candidate in chosen}
    left_out = dict(pool.left_out)
    for position, candidate in enumerate(pool.ordered):
        if candidate.parent.parent_id not in kept:
            left_out[candidate.parent.parent_id] = "same_source" if position < top_k else "over_top_k"
    return Ranking(tuple(passages(chosen)), left_out)


def _list(
    result: ChannelResult, settings: RankingSettings, asked: Asked, parents: Mapping[str, Parent], terms: Terms
) -> RankedList:
    # To a question of few words the hints say what it is about.
    weight = settings.hint_weight if result.variant.says_more and not asked.is_short else 1.0
    keyword = 1 - settings.vector_weight
    shift = settings.foreign_shift * keyword
    trust = 1 - settings.keyword_doubt * (1 - _said_by_best(result, asked, parents, terms))
    channels = [
        ChannelScores(
            "vector",
            result.vector,
            settings.vector_weight,
            weights=dict.fromkeys(result.foreign, settings.vector_weight + shift),
        ),
        # Who shares no word has BM25 0, so that is what nothing is, and not the least that was found.
        ChannelScores(
            "keyword", result.keyword, trust * keyword, 0.0, dict.fromkeys(result.foreign, trust * (keyword - shift))
        ),
    ]
    return list_of(result.variant.kind, channels, settings.fusion, weight)


def _said_by_best(result: ChannelResult, asked: Asked, parents: Mapping[str, Parent], terms: Terms) -> float:
    """The share of the words searched for that the best passage by words says, 0 … 1."""
    if not result.keyword:
        return 0.0
    words = terms(result.variant.text) if result.variant.says_more else asked.terms
    return share_said(words, searchable(parents[best_first(result.keyword)[0]]))


def _paraphrased(results: Sequence[ChannelResult], settings: RankingSettings) -> RankedList:
    """One list of all paraphrases: what several of them find is what was meant."""
    channels = []
    for result in results:
        channels += [ChannelScores("vector", result.vector, 1.0), ChannelScores("keyword", result.keyword, 1.0)]
    return list_of("paraphrase", channels, "reciprocal_rank", settings.paraphrase_weight)


def _without_merely_hinted(
    of: RankedList,
    results: Sequence[ChannelResult],
    asked: Asked,
    settings: RankingSettings,
    left_out: dict[str, Reason],
) -> RankedList:
    """The list of a form with hints without what has nothing to do with the question itself."""
    result = next(each for each in results if each.variant.kind == of.name)
    if not result.variant.says_more or asked.is_short:
        return of
    own = [each for each in results if not each.variant.says_more]
    least = settings.calibration.vector_floor - _HINTED_LENIENCE
    supported = {key for each in own for key in each.keyword}
    supported |= {key for each in own for key, score in each.all_vector.items() if score >= least}
    if hinted := {key for key in of.scores if key not in supported}:
        left_out |= dict.fromkeys(hinted, "only_hinted")
        channels = [
            replace(each, scores={key: score for key, score in each.scores.items() if key not in hinted})
            for each in of.channels
        ]
        return list_of(of.name, channels, of.fusion, of.weight)
    return of


def _children(results: Sequence[ChannelResult]) -> Mapping[str, tuple[VectorHit, ...]]:
    """By parent, each child once with its best score, best first."""
    if len(results) == 1:
        return results[0].children
    return children_of_parents(hit for each in results for hits in each.children.values() for hit in hits)
