"""A search with its working: each channel's hits, and for each candidate the sum that placed it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from superagent_retrieval.domain.budget import Evidence
from superagent_retrieval.domain.candidates import Candidate, Parent
from superagent_retrieval.domain.fusion import best_first
from superagent_retrieval.domain.lists import Channel, Part, parts
from superagent_retrieval.domain.ranking import Pool, Ranking, Reason


@dataclass(frozen=True, slots=True)
class ChannelHit:
    """rank from 1, parents by their best child. variant: index of the form. dropped: None if it counts."""

    channel: Channel
    variant: int
    rank: int
    parent: Parent
    score: float
    dropped: str | None


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate with its working. citation: number of the evidence that it is part of, None with a reason in `dropped`."""

    candidate: Candidate
    parts: tuple[Part, ...]
    citation: int | None
    dropped: Reason | None


def channel_hits(pool: Pool, parents: Mapping[str, Parent]) -> Iterator[ChannelHit]:
    """Channel by channel, best first.

    Hits of no answering generation are left out: a person may not (any more) read what they say.
    """
    for number, result in enumerate(pool.channels):
        yield from _hits("vector", number, result.all_vector, result.vector_dropped, parents)
        yield from _hits("keyword", number, result.all_keyword, result.keyword_dropped, parents)
    for each in pool.lists:
        if each.name == "outline":
            yield from _hits("outline", 0, each.channels[0].scores, {}, parents)


def placed(pool: Pool, ranking: Ranking, evidence: Sequence[Evidence]) -> list[Placed]:
    """All candidates, best first, then those that were set aside."""
    citations = {
        parent_id: number for number, each in enumerate(evidence, start=1) for parent_id in each.passage.parent_ids
    }
    candidates = (*pool.ordered, *pool.aside)
    working = parts(pool.lists, [each.parent.parent_id for each in candidates])
    return [
        Placed(
            each,
            working[each.parent.parent_id],
            citations.get(each.parent.parent_id),
            None if each.parent.parent_id in citations else ranking.left_out.get(each.parent.parent_id, "over_budget"),
        )
        for each in candidates
    ]


def _hits(
    channel: Channel,
    variant: int,
    scores: Mapping[str, float],
    dropped: Mapping[str, str],
    parents: Mapping[str, Parent],
) -> Iterator[ChannelHit]:
    for rank, key in enumerate(best_first(scores), start=1):
        if key in parents:
            yield ChannelHit(channel, variant, rank, parents[key], scores[key], dropped.get(key))
