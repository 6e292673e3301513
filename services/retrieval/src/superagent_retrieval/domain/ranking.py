"""The whole way from what two engines found to the passages to answer from; no I/O, the same answer every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from superagent_retrieval.domain.candidates import (
    Candidate,
    Parent,
    children_of_parents,
    diversified,
    in_order,
)
from superagent_retrieval.domain.fusion import best_first, reciprocal_rank, weighted
from superagent_retrieval.domain.identifiers import identifiers, position_of
from superagent_retrieval.domain.passages import Passage, passages
from superagent_retrieval.domain.records import KeywordHit, VectorHit
from superagent_retrieval.domain.scripts import script_of

Channel = Literal["vector", "keyword"]
Reason = Literal["inactive_generation", "below_floor", "same_source", "over_top_k", "over_budget"]


@dataclass(frozen=True, slots=True)
class RankingSettings:
    """vector_floor: the least cosine, calibrated per embedding model. keyword_floor: share of the best BM25 (RAG-1).

    cross_script_floor: the least cosine where question and passage are not in one script; None is vector_floor.
    fusion, vector_weight: RAG-3, defaults of the measured sets. per_source: RAG-6.
    """

    vector_floor: float
    cross_script_floor: float | None = None
    keyword_floor: float = 0.35
    fusion: Literal["weighted", "reciprocal_rank"] = "weighted"
    vector_weight: float = 0.5
    per_source: int = 2

    def __post_init__(self) -> None:
        shares = 0 <= self.keyword_floor <= 1 and 0 <= self.vector_weight <= 1
        cosines = all(-1 <= floor <= 1 for floor in (self.vector_floor, self.cross_script_floor or 0.0))
        if not shares or not cosines or self.per_source < 1:
            raise ValueError(f"ranking settings out of range: {self}")


@dataclass(frozen=True, slots=True)
class ChannelHit:
    """What one channel found, for explaining: rank from 1, parents by their best child; dropped is None if it counts."""

    channel: Channel
    rank: int
    parent_id: str
    document_id: str
    score: float
    dropped: Reason | None


@dataclass(frozen=True, slots=True)
class Ranking:
    """passages: best first, texts whole. hits: of both channels. dropped: how many parents were left out, and why."""

    passages: tuple[Passage, ...]
    hits: tuple[ChannelHit, ...]
    dropped: Mapping[Reason, int]


def rank(
    question: str,
    vector_hits: Sequence[VectorHit],
    keyword_hits: Sequence[KeywordHit],
    parents: Mapping[str, Parent],
    top_k: int,
    settings: RankingSettings,
) -> Ranking:
    """Drops, fuses, lifts, spreads, cuts to `top_k` parents and joins neighbours.

    A channel that did not answer has no hits. parents: those of the hits that belong to an active generation; a hit
    without one is dropped. `top_k` is at least 1.
    """
    children = children_of_parents(vector_hits)
    vector = {parent_id: found[0].score for parent_id, found in children.items()}
    keyword: dict[str, float] = {}
    for hit in keyword_hits:
        keyword[hit.parent_id] = max(hit.score, keyword.get(hit.parent_id, hit.score))
    keyword_floor = settings.keyword_floor * max((keyword[key] for key in keyword if key in parents), default=0.0)
    vector_floors = _vector_floors(question, vector, parents, settings)
    vector_dropped = _dropped(vector, vector_floors, parents)
    keyword_dropped = _dropped(keyword, dict.fromkeys(keyword, keyword_floor), parents)

    vector_left = {key: score for key, score in vector.items() if key not in vector_dropped}
    keyword_left = {key: score for key, score in keyword.items() if key not in keyword_dropped}
    fused = _fused(vector_left, keyword_left, settings)
    wanted = identifiers(question)
    ordered = in_order(
        _lifted(
            Candidate(
                parent=parents[key],
                children=tuple(hit for hit in children.get(key, ()) if hit.score >= vector_floors[key]),
                keyword=keyword_left.get(key),
                fused=score,
            ),
            wanted,
        )
        for key, score in fused.items()
    )
    chosen = diversified(ordered, settings.per_source)[:top_k]

    dropped: Counter[Reason] = Counter()
    for key in (vector_dropped.keys() | keyword_dropped.keys()) - fused.keys():
        dropped[vector_dropped.get(key) or keyword_dropped[key]] += 1
    kept = {candidate.parent.parent_id for candidate in chosen}
    crowded_out = sum(candidate.parent.parent_id not in kept for candidate in ordered[:top_k])
    dropped["same_source"] += crowded_out
    dropped["over_top_k"] += len(ordered) - len(chosen) - crowded_out

    documents = {hit.parent_id: hit.document_id for hit in vector_hits}
    documents |= {hit.parent_id: hit.document_id for hit in keyword_hits}
    return Ranking(
        passages=tuple(passages(chosen)),
        hits=(
            *_explained("vector", vector, vector_dropped, documents),
            *_explained("keyword", keyword, keyword_dropped, documents),
        ),
        dropped={reason: count for reason, count in dropped.items() if count},
    )


def _vector_floors(
    question: str, scores: Mapping[str, float], parents: Mapping[str, Parent], settings: RankingSettings
) -> dict[str, float]:
    floors = dict.fromkeys(scores, settings.vector_floor)
    lenient = settings.cross_script_floor
    if lenient is not None:
        asked = script_of(question)
        for key, score in scores.items():
            # Looking at the text is needed only where it decides.
            if lenient <= score < settings.vector_floor and key in parents:
                written = script_of(parents[key].text)
                floors[key] = settings.vector_floor if written == asked != "mixed" else lenient
    return floors


def _dropped(
    scores: Mapping[str, float], floors: Mapping[str, float], parents: Mapping[str, Parent]
) -> dict[str, Reason]:
    dropped: dict[str, Reason] = {}
    for key, score in scores.items():
        if key not in parents:
            dropped[key] = "inactive_generation"
        elif score < floors[key]:
            dropped[key] = "below_floor"
    return dropped


def _fused(vector: Mapping[str, float], keyword: Mapping[str, float], settings: RankingSettings) -> dict[str, float]:
    if settings.fusion == "reciprocal_rank":
        return reciprocal_rank((best_first(vector), best_first(keyword)))
    return weighted(((vector, settings.vector_weight), (keyword, 1 - settings.vector_weight)))


def _lifted(candidate: Candidate, wanted: Sequence[str]) -> Candidate:
    """The candidate with those of the wanted identifiers that its headings or text hold (RAG-5)."""
    if not wanted:
        return candidate
    parent = candidate.parent
    text, headings = parent.text.lower(), "\n".join((parent.title, *parent.heading_path)).lower()
    in_text = {name: position_of(name, text) for name in wanted}
    return replace(
        candidate,
        exact=tuple(name for name in wanted if in_text[name] >= 0 or position_of(name, headings) >= 0),
        exact_at=min((at for at in in_text.values() if at >= 0), default=None),
    )


def _explained(
    channel: Channel, scores: Mapping[str, float], dropped: Mapping[str, Reason], documents: Mapping[str, str]
) -> Iterable[ChannelHit]:
    for position, key in enumerate(best_first(scores), start=1):
        yield ChannelHit(channel, position, key, documents[key], scores[key], dropped.get(key))
