from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_retrieval.domain.lists import ChannelScores, RankedList, fused, list_of, parts

scores = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 50, width=32), max_size=6)
fusions = st.sampled_from(["weighted", "reciprocal_rank"])


@st.composite
def ranked_lists(draw: st.DrawFn) -> list[RankedList]:
    names = ("question", "hints", "history")[: draw(st.integers(1, 3))]
    return [
        list_of(
            name,  # type: ignore[arg-type]
            [ChannelScores("vector", draw(scores), 0.5), ChannelScores("keyword", draw(scores), 0.5)],
            draw(fusions),
            draw(st.sampled_from([0.1, 0.5, 1.0])),
        )
        for name in names
    ]


@given(ranked_lists())
def test_the_parts_that_are_shown_sum_up_to_the_score(lists: list[RankedList]) -> None:
    total = fused(lists)
    working = parts(lists, list(total))
    for key, score in total.items():
        of_lists = [part for part in working[key] if not part.channel]
        assert sum(part.value for part in of_lists) == pytest.approx(score)
        for whole in of_lists:
            summands = [part.value for part in working[key] if part.channel and part.list == whole.list]
            assert sum(summands) == pytest.approx(whole.score)


@given(ranked_lists())
def test_everything_in_a_list_is_in_the_fusion_and_nothing_else(lists: list[RankedList]) -> None:
    assert fused(lists).keys() == {key for each in lists for key in each.scores}


def test_a_single_list_keeps_its_scores() -> None:
    only = list_of("question", [ChannelScores("vector", {"a": 0.9, "b": 0.8}, 0.5)], "weighted")
    assert fused([only, list_of("outline", [ChannelScores("outline", {}, 1.0)], "reciprocal_rank")]) == {
        "a": 0.5,
        "b": 0.0,
    }


def test_lists_are_fused_by_rank_and_weight() -> None:
    first = list_of("question", [ChannelScores("vector", {"a": 9.0, "b": 1.0}, 1.0)], "weighted")
    second = list_of("history", [ChannelScores("vector", {"b": 0.1}, 1.0)], "weighted", 0.5)
    assert fused([first, second]) == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 0.5 / 61})
