"""Figures of ranked retrieval. Every one lies between 0 and 1, and more is better.

A question has one or more right passages. Its `ranks` say where in the list each of them was found, from 1; None: not at
all. One result may cover several right passages, which then have the same rank.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence, Set

Ranks = Sequence[int | None]

CUTS = (1, 5, 10)
DEPTH = 10
"""How many results are looked at."""


def ranks_of(gold: Sequence[Hashable], results: Sequence[Set[Hashable]]) -> list[int | None]:
    """Of each right passage, the rank of the first result that covers it; `results` hold what each one covers."""
    return [next((rank for rank, covered in enumerate(results, 1) if key in covered), None) for key in gold]


def recall_at(ranks: Ranks, cut: int) -> float:
    """Share of the right passages among the first `cut` results."""
    return sum(rank is not None and rank <= cut for rank in ranks) / len(ranks)


def reciprocal_rank(ranks: Ranks, cut: int = DEPTH) -> float:
    """1 / rank of the first right passage; 0 when none is among the first `cut`."""
    found = [rank for rank in ranks if rank is not None and rank <= cut]
    return 1 / min(found) if found else 0.0


def ndcg_at(ranks: Ranks, cut: int = DEPTH) -> float:
    """Normalised discounted cumulative gain, each right passage a gain of 1; 1 is also the most for shared ranks."""
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank is not None and rank <= cut)
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(len(ranks), cut) + 1))
    return min(1.0, gain / ideal)


def figures(questions: Sequence[Ranks]) -> dict[str, float]:
    """Means over questions: recall@1, recall@5, recall@10, mrr, ndcg@10. Raises ValueError without questions."""
    if not questions:
        raise ValueError("no questions, no figures")
    measures = {f"recall@{cut}": [recall_at(ranks, cut) for ranks in questions] for cut in CUTS}
    measures["mrr"] = [reciprocal_rank(ranks) for ranks in questions]
    measures[f"ndcg@{DEPTH}"] = [ndcg_at(ranks) for ranks in questions]
    return {name: sum(values) / len(values) for name, values in measures.items()}
