"""Two ways to make one ranking of several (RAG-3). Both are sums, so a missing entry adds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

RRF_K = 60  # Cormack, Clarke, Büttcher 2009


def reciprocal_rank(
    rankings: Iterable[Sequence[str]], k: int = RRF_K, weights: Sequence[float] | None = None
) -> dict[str, float]:
    """Σ weight / (k + rank) over the rankings, rank from 1. For lists whose scores cannot be compared.

    weights: one for each ranking, all 1 by default.
    """
    fused: dict[str, float] = {}
    for index, ranking in enumerate(rankings):
        weight = 1.0 if weights is None else weights[index]
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + weight / (k + rank)
    return fused


def weighted(channels: Iterable[tuple[Mapping[str, float], Callable[[str], float]]]) -> dict[str, float]:
    """Σ weight(key) · share. For lists whose shares (see `min_max`) mean the same at each end."""
    fused: dict[str, float] = {}
    for shares, weight in channels:
        for key, share in shares.items():
            fused[key] = fused.get(key, 0.0) + weight(key) * share
    return fused


def min_max(scores: Mapping[str, float], lowest: float | None = None) -> dict[str, float]:
    """Scores stretched to 0 … 1; all 1 when they are equal.

    lowest: what 0 stands for, not above any of them; None is the least of them.
    """
    if not scores:
        return {}
    low, high = min(scores.values()) if lowest is None else lowest, max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


def highest(several: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Each key's highest score."""
    if len(several) == 1:
        return several[0]
    scores: dict[str, float] = {}
    for each in several:
        for key, score in each.items():
            scores[key] = max(score, scores.get(key, score))
    return scores


def best_first(scores: Mapping[str, float]) -> list[str]:
    """Keys by falling score, ties by key, so that the same scores always give the same order."""
    return sorted(scores, key=lambda key: (-scores[key], key))
