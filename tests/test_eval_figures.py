"""Figures of ranked retrieval and coverage, by values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.retrieval.coverage import covered, grams
from evals.retrieval.measure import Group
from evals.retrieval.metrics import figures, ndcg_at, ranks_of, recall_at, reciprocal_rank

RANKS = st.lists(st.none() | st.integers(1, 20), min_size=1, max_size=12)


def test_a_passage_has_the_rank_of_the_first_result_that_covers_it() -> None:
    results = [frozenset[str](), frozenset({"a", "b"}), frozenset({"a"}), frozenset({"c"})]
    assert ranks_of(["a", "b", "c", "d"], results) == [2, 2, 4, None]


@pytest.mark.parametrize(
    ("ranks", "cut", "recall"), [([1], 1, 1.0), ([2], 1, 0.0), ([5, 6, None, 1], 5, 0.5), ([None], 10, 0.0)]
)
def test_recall_is_the_share_of_right_passages_above_the_cut(ranks: list[int | None], cut: int, recall: float) -> None:
    assert recall_at(ranks, cut) == recall


@pytest.mark.parametrize(
    ("ranks", "expected"), [([1], 1.0), ([4], 0.25), ([None, 3, 2], 0.5), ([11], 0.0), ([10], 0.1)]
)
def test_the_reciprocal_rank_is_that_of_the_first_right_passage_among_ten(
    ranks: list[int | None], expected: float
) -> None:
    assert reciprocal_rank(ranks) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1], 1.0),
        ([2], 1 / math.log2(3)),
        ([3], 0.5),
        ([10], 1 / math.log2(11)),
        ([11], 0.0),
        ([1, 2], 1.0),
        # 1 + 1/2 of 1 + 1/log2(3)
        ([1, 3], 1.5 / (1 + 1 / math.log2(3))),
        ([None, 1], 1 / (1 + 1 / math.log2(3))),
        # One result that covers both is no more than everything.
        ([1, 1], 1.0),
    ],
)
def test_ndcg_discounts_by_the_logarithm_of_the_rank(ranks: list[int | None], expected: float) -> None:
    assert ndcg_at(ranks) == pytest.approx(expected)


def test_figures_are_means_over_questions() -> None:
    found = figures([[1], [2], [None], [7]])
    assert found["recall@1"] == 0.25 and found["recall@5"] == 0.5 and found["recall@10"] == 0.75
    assert found["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 7) / 4)
    assert found["ndcg@10"] == pytest.approx((1 + 1 / math.log2(3) + 1 / 3) / 4)
    with pytest.raises(ValueError, match="no questions"):
        figures([])


@given(RANKS)
def test_every_figure_lies_between_0_and_1_and_a_better_rank_never_lowers_one(ranks: list[int | None]) -> None:
    better = [None if rank is None else max(1, rank - 1) for rank in ranks]
    before, after = figures([ranks]), figures([better])
    for name, value in before.items():
        assert 0 <= value <= after[name] <= 1


def test_half_of_a_passage_covers_it_and_less_does_not() -> None:
    passage = "".join(chr(ord("一") + n) for n in range(200))
    passages = {"long": grams(passage), "short": grams("七七 Q7")}
    assert covered(passages, f"Before.\n{passage[:60]} {passage[60:110]}") == {"long"}
    assert covered(passages, f"Before.\n{passage[:95]}") == frozenset()
    assert covered(passages, "…七七q7…") == {"short"}


def test_a_group_counts_refusals_apart_from_ranks() -> None:
    group = Group(answered=4, kept=3, unanswered=5, refused=2)
    group.ranks["fused"] = [[1], [1], [1], [None]]
    found = group.figures()
    assert found["refusal/kept"] == 0.75 and found["refusal/refused"] == 0.4
    assert found["fused/recall@1"] == 0.75 and "vector/recall@1" not in found
