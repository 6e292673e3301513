"""What both channels found for one form of the question, with each hit above or below its floor (RAG-1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from superagent_retrieval.domain.across import is_foreign
from superagent_retrieval.domain.candidates import Parent, children_of_parents
from superagent_retrieval.domain.floors import Calibration, vector_floors
from superagent_retrieval.domain.records import KeywordHit, VectorHit
from superagent_retrieval.domain.scripts import script_of
from superagent_retrieval.domain.variants import Variant

FloorReason = Literal["inactive_generation", "below_floor"]


@dataclass(frozen=True, slots=True)
class VariantHits:
    """Hits in any order; none where a channel did not answer."""

    variant: Variant
    vector: Sequence[VectorHit]
    keyword: Sequence[KeywordHit]


@dataclass(frozen=True, slots=True)
class ChannelResult:
    """By parent: what counts of each channel (`vector`, `keyword`), and all that each found.

    children: those above the floor, best first. foreign: parents in the other script than the question, found with the
    turned question. dropped: parents that no channel kept.
    """

    variant: Variant
    vector: Mapping[str, float]
    keyword: Mapping[str, float]
    all_vector: Mapping[str, float]
    all_keyword: Mapping[str, float]
    vector_dropped: Mapping[str, FloorReason]
    keyword_dropped: Mapping[str, FloorReason]
    children: Mapping[str, tuple[VectorHit, ...]]
    documents: Mapping[str, str]
    foreign: frozenset[str] = frozenset()

    @property
    def dropped(self) -> dict[str, FloorReason]:
        both = {**self.keyword_dropped, **self.vector_dropped}
        return {key: reason for key, reason in both.items() if key not in self.vector and key not in self.keyword}


def channel_result(
    hits: VariantHits, question: str, parents: Mapping[str, Parent], calibration: Calibration, keyword_floor: float
) -> ChannelResult:
    """A parent is as good as its best child; a hit of no active generation sets no floor."""
    foreign = _foreign(hits.vector, question, parents)
    children = children_of_parents(hit for hit in hits.vector if hit.turned == (hit.parent_id in foreign))
    vector = {parent_id: found[0].score for parent_id, found in children.items()}
    keyword: dict[str, float] = {}
    for hit in hits.keyword:
        keyword[hit.parent_id] = max(hit.score, keyword.get(hit.parent_id, hit.score))
    best = max((score for key, score in keyword.items() if key in parents), default=0.0)
    floors = vector_floors(question, vector, parents, calibration)
    vector_dropped = _dropped(vector, floors, parents)
    keyword_dropped = _dropped(keyword, dict.fromkeys(keyword, keyword_floor * best), parents)
    documents = {hit.parent_id: hit.document_id for hit in hits.vector}
    documents |= {hit.parent_id: hit.document_id for hit in hits.keyword}
    return ChannelResult(
        hits.variant,
        {key: score for key, score in vector.items() if key not in vector_dropped},
        {key: score for key, score in keyword.items() if key not in keyword_dropped},
        vector,
        keyword,
        vector_dropped,
        keyword_dropped,
        {
            key: tuple(hit for hit in found if hit.score >= floors[key])
            for key, found in children.items()
            if key not in vector_dropped
        },
        documents,
        foreign,
    )


def _foreign(hits: Sequence[VectorHit], question: str, parents: Mapping[str, Parent]) -> frozenset[str]:
    """Of the parents that the turned question found, those in the other script: of a document in two languages it finds
    others, too."""
    turned = {hit.parent_id for hit in hits if hit.turned and hit.parent_id in parents}
    if not turned:
        return frozenset()
    asked = script_of(question)
    return frozenset(key for key in turned if is_foreign(asked, script_of(parents[key].text)))


def _dropped(
    scores: Mapping[str, float], floors: Mapping[str, float], parents: Mapping[str, Parent]
) -> dict[str, FloorReason]:
    dropped: dict[str, FloorReason] = {}
    for key, score in scores.items():
        if key not in parents:
            dropped[key] = "inactive_generation"
        elif score < floors[key]:
            dropped[key] = "below_floor"
    return dropped
