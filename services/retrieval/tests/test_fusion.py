from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_retrieval.domain.fusion import best_first, min_max, reciprocal_rank, weighted

scores = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-10, 10, width=32), max_size=8)


def test_reciprocal_rank_is_the_sum_of_one_over_sixty_plus_rank() -> None:
    fused = reciprocal_rank([["a", "b"], ["b", "c"]])
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


def test_weighted_is_the_sum_of_stretched_scores() -> None:
    near, worded = min_max({"a": 0.9, "b": 0.8, "c": 0.7}), min_max({"b": 30.0, "d": 12.0}, lowest=0.0)
    fused = weighted([(near, lambda _: 0.5), (worded, {"b": 0.5, "d": 0.25}.__getitem__)])
    assert fused == pytest.approx({"a": 0.5, "b": 0.25 + 0.5, "c": 0.0, "d": 0.25 * 0.4})


def test_equal_scores_are_stretched_to_one() -> None:
    assert min_max({"a": 3.0, "b": 3.0}) == {"a": 1.0, "b": 1.0}
    assert min_max({"a": 0.0}) == {"a": 1.0}
    assert min_max({}) == {}


def test_no_lists_fuse_to_nothing() -> None:
    assert reciprocal_rank([]) == {}
    assert weighted([({}, lambda _: 1.0)]) == {}


def test_ties_are_in_the_order_of_their_keys() -> None:
    assert best_first({"b": 1.0, "a": 1.0, "c": 2.0}) == ["c", "a", "b"]


@given(st.lists(scores, max_size=4))
def test_the_order_of_the_lists_does_not_matter(channels: list[dict[str, float]]) -> None:
    rankings = [best_first(channel) for channel in channels]
    assert reciprocal_rank(reversed(rankings)) == pytest.approx(reciprocal_rank(rankings))
    halves = [(min_max(channel), lambda _: 0.5) for channel in channels]
    assert weighted(reversed(halves)) == pytest.approx(weighted(halves))


@given(scores)
def test_stretching_keeps_the_order_within_zero_and_one(channel: dict[str, float]) -> None:
    stretched = min_max(channel)
    assert all(0 <= value <= 1 for value in stretched.values())
    for left in channel:
        for right in channel:
            if channel[left] > channel[right]:
                assert stretched[left] >= stretched[right]


@given(scores)
def test_a_single_list_keeps_its_order_either_way(channel: dict[str, float]) -> None:
    assert best_first(reciprocal_rank([best_first(channel)])) == best_first(channel)
