"""Ranked lists of parents, and how several become one (RAG-3).

The two channels of one form of the question are comparable and make one list; the lists of several forms and of the
outline are not, and are fused by rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from superagent_retrieval.domain.fusion import RRF_K, best_first, min_max, reciprocal_rank, weighted
from superagent_retrieval.domain.variants import VariantKind

Fusion = Literal["weighted", "reciprocal_rank"]
Channel = Literal["vector", "keyword", "outline"]
ListName = VariantKind | Literal["outline"]


@dataclass(frozen=True, slots=True)
class ChannelScores:
    """What one channel says of parents: raw scores, and how much they count within their list.

    lowest: the score that says nothing; None takes the least there is. weights: of parents that have another weight.
    """

    channel: Channel
    scores: Mapping[str, float]
    weight: float
    lowest: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    def shares(self) -> dict[str, float]:
        return min_max(self.scores, self.lowest)

    def weight_of(self, key: str) -> float:
        return self.weights.get(key, self.weight)


@dataclass(frozen=True, slots=True)
class RankedList:
    """`scores`: of parents, fused from the channels. `weight`: of the list among others."""

    name: ListName
    channels: tuple[ChannelScores, ...]
    scores: Mapping[str, float]
    fusion: Fusion
    weight: float


@dataclass(frozen=True, slots=True)
class Part:
    """A summand. `list` and `channel` say of what; an empty channel is the whole list's place among several.

    rank: from 1. score: raw. share: score between the least (0) and the best (1) of its channel; None by rank fusion.
    value: weight · share, or weight / (60 + rank).
    """

    list: ListName
    channel: Channel | Literal[""]
    rank: int
    score: float
    share: float | None
    weight: float
    value: float


def list_of(name: ListName, channels: Sequence[ChannelScores], fusion: Fusion, weight: float = 1.0) -> RankedList:
    """A list from its channels, by weighted min-max or by rank."""
    if fusion == "weighted":
        scores = weighted((each.shares(), each.weight_of) for each in channels)
    else:
        scores = reciprocal_rank(best_first(each.scores) for each in channels)
    return RankedList(name, tuple(channels), scores, fusion, weight)


def fused(lists: Sequence[RankedList]) -> dict[str, float]:
    """Parents' scores over all lists: a list's own when only one has any, else by rank."""
    filled = [each for each in lists if each.scores]
    if len(filled) == 1:
        return dict(filled[0].scores)
    return reciprocal_rank([best_first(each.scores) for each in filled], weights=[each.weight for each in filled])


def parts(lists: Sequence[RankedList], wanted: Sequence[str]) -> dict[str, tuple[Part, ...]]:
    """The arithmetic behind `fused`, by parent.

    The parts of a list's channels sum up to the score of its own part; those without a channel sum up to the fused score.
    """
    found: dict[str, list[Part]] = {key: [] for key in wanted}
    filled = [each for each in lists if each.scores]
    for each in filled:
        for channel in each.channels:
            _add_channel(found, each, channel)
        for rank, key in enumerate(best_first(each.scores), start=1):
            if key in found:
                alone = len(filled) == 1
                value = each.scores[key] if alone else each.weight / (RRF_K + rank)
                weight = 1.0 if alone else each.weight
                found[key].append(Part(each.name, "", rank, each.scores[key], None, weight, value))
    return {key: tuple(summands) for key, summands in found.items()}


def _add_channel(found: dict[str, list[Part]], of: RankedList, channel: ChannelScores) -> None:
    shares = channel.shares() if of.fusion == "weighted" else {}
    for rank, key in enumerate(best_first(channel.scores), start=1):
        if key in found:
            share = shares.get(key)
            weight = 1.0 if share is None else channel.weight_of(key)
            value = 1.0 / (RRF_K + rank) if share is None else weight * share
            found[key].append(Part(of.name, channel.channel, rank, channel.scores[key], share, weight, value))
