from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.channels import VariantHits
from superagent_retrieval.domain.explaining import channel_hits
from superagent_retrieval.domain.floors import Calibration
from superagent_retrieval.domain.lifting import Bonuses
from superagent_retrieval.domain.passages import FoundChild
from superagent_retrieval.domain.ranking import Asked, Pool, Ranking, RankingSettings, pooled, selected
from superagent_retrieval.domain.records import KeywordHit, VectorHit
from superagent_retrieval.domain.variants import Variant

NO_BONUSES = Bonuses(0, 0, 0, 0)
# The texts here say nothing of the questions, which is no reason to doubt made-up scores.
SETTINGS = RankingSettings(Calibration(0.5), keyword_doubt=0.0, bonuses=NO_BONUSES)


def pool(
    question: str,
    vector: Sequence[VectorHit],
    keyword: Sequence[KeywordHit],
    parents: Mapping[str, Parent],
    settings: RankingSettings,
) -> Pool:
    hits = VariantHits(Variant("question", question), vector, keyword)
    return pooled(Asked(question, terms_of(question)), [hits], (), parents, settings, terms_of)


def rank(
    question: str,
    vector: Sequence[VectorHit],
    keyword: Sequence[KeywordHit],
    parents: Mapping[str, Parent],
    top_k: int,
    settings: RankingSettings,
) -> Ranking:
    return selected(pool(question, vector, keyword, parents, settings), top_k)


def parent(name: str, document: str = "", position: int = 0, text: str = "", **other: object) -> Parent:
    text = text or f"text of {name}"
    fields = {"title": "", "domain": "hr", "heading_path": (), "start": 0, "end": len(text)} | other
    return Parent(parent_id=name, document_id=document or f"doc {name}", position=position, text=text, **fields)  # type: ignore[arg-type]


def near(parent_id: str, score: float, chunk: str = "", start: int = 0, end: int = 4) -> VectorHit:
    return VectorHit(chunk or f"child of {parent_id}", parent_id, f"doc {parent_id}", "g", start, end, score)


def word(parent_id: str, score: float) -> KeywordHit:
    return KeywordHit(parent_id, f"doc {parent_id}", "g", score)


def known(*names: str) -> dict[str, Parent]:
    return {name: parent(name) for name in names}


def order(ranking: Ranking) -> list[str]:
    return [passage.parent_id for passage in ranking.passages]


def test_both_channels_count_half() -> None:
    ranking = rank(
        "q",
        [near("a", 0.9), near("b", 0.8), near("c", 0.7)],
        [word("b", 20.0), word("d", 10.0)],
        known(*"abcd"),
        5,
        SETTINGS,
    )
    # What shares words at all shares something: d has half of the best's.
    assert order(ranking) == ["b", "a", "d", "c"]
    best = ranking.passages[0]
    assert (best.vector, best.keyword, best.channels) == (0.8, 20.0, ("vector", "keyword"))
    assert best.fused == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("text", "first"),
    [("Annual leave is ten days.", "worded"), ("Three days at sea.", "near"), ("nothing of it", "near")],
)
def test_words_count_less_where_even_their_best_passage_says_few_of_them(text: str, first: str) -> None:
    parents = known("near", "far") | {"worded": parent("worded", text=text)}
    settings = replace(SETTINGS, keyword_doubt=0.5)
    vector, keyword = [near("near", 0.9), near("worded", 0.6), near("far", 0.5)], [word("worded", 20.0)]
    assert order(rank("annual leave days", vector, keyword, parents, 5, settings))[0] == first


def test_words_alone_rank_as_ever_whatever_they_say() -> None:
    settings = replace(SETTINGS, keyword_doubt=1.0)
    found = pool("annual leave", [], [word("a", 9.0), word("b", 6.0)], known(*"ab"), settings)
    assert [each.parent.parent_id for each in found.ordered] == ["a", "b"]


def test_reciprocal_rank_is_a_setting() -> None:
    settings = replace(SETTINGS, fusion="reciprocal_rank")
    ranking = rank("q", [near("a", 0.9), near("b", 0.8)], [word("b", 3.0)], known("a", "b"), 5, settings)
    assert [passage.fused for passage in ranking.passages] == pytest.approx([1 / 62 + 1 / 61, 1 / 61])


def test_one_channel_alone_ranks_by_its_own_scores() -> None:
    assert order(rank("q", [near("a", 0.6), near("b", 0.8)], [], known("a", "b"), 5, SETTINGS)) == ["b", "a"]
    assert order(rank("q", [], [word("a", 9.0), word("b", 8.0)], known("a", "b"), 5, SETTINGS)) == ["a", "b"]
    assert rank("q", [], [], {}, 5, SETTINGS) == Ranking((), {})


def test_a_parent_is_as_good_as_its_best_child() -> None:
    hits = [near("a", 0.6, "a1"), near("b", 0.7, "b1"), near("a", 0.9, "a2", 5, 9), near("a", 0.4, "a3")]
    ranking = rank("q", hits, [], known("a", "b"), 5, SETTINGS)
    assert order(ranking) == ["a", "b"]
    assert ranking.passages[0].children == (FoundChild("a2", 5, 9, 0.9), FoundChild("a1", 0, 4, 0.6))
    assert ranking.passages[0].anchor == (5, 9)


def test_the_same_hit_of_several_variants_counts_once_with_its_best_score() -> None:
    ranking = rank(
        "q",
        [near("a", 0.6), near("a", 0.8), near("a", 0.7)],
        [word("a", 1.0), word("a", 2.0)],
        known("a"),
        5,
        SETTINGS,
    )
    (passage,) = ranking.passages
    assert (passage.vector, passage.keyword, len(passage.children)) == (0.8, 2.0, 1)


def test_hits_below_their_channels_floor_are_left_out() -> None:
    ranking = rank(
        "q",
        [near("a", 0.51), near("b", 0.49)],
        [word("c", 10.0), word("d", 3.5), word("e", 3.4)],
        known(*"abcde"),
        5,
        SETTINGS,
    )
    assert sorted(order(ranking)) == ["a", "c", "d"]
    assert ranking.dropped == {"below_floor": 2}


def test_a_passage_in_another_script_than_the_question_has_a_floor_of_its_own() -> None:
    settings = RankingSettings(Calibration(0.78, 0.7))
    parents = {
        "en": parent("en", text="Employees have ten days of leave."),
        "zh": parent("zh", text="员工每年享有十天年假。"),
        "mixed": parent("mixed", text="年假 leave 十天 days"),
        "far": parent("far", text="服务器机房"),
    }
    hits = [near("en", 0.75), near("zh", 0.74), near("mixed", 0.73), near("far", 0.69)]
    assert order(rank("How many days of leave?", hits, [], parents, 5, settings)) == ["zh", "mixed"]
    assert order(rank("年假有几天？", hits, [], parents, 5, settings)) == ["en", "mixed"]
    assert order(rank("2024 / 10", hits, [], parents, 5, settings)) == ["en", "zh", "mixed"]
    strict = RankingSettings(Calibration(0.78))
    assert order(rank("年假有几天？", hits, [], parents, 5, strict)) == []


def test_a_parent_below_one_floor_may_stand_by_the_other_channel() -> None:
    ranking = rank("q", [near("a", 0.1)], [word("a", 5.0)], known("a"), 5, SETTINGS)
    (passage,) = ranking.passages
    assert (passage.channels, passage.children, ranking.dropped) == (("keyword",), (), {})


def test_hits_of_inactive_generations_are_left_out_and_set_no_floor() -> None:
    ranking = rank("q", [near("old", 0.99)], [word("old", 100.0), word("new", 5.0)], known("new"), 5, SETTINGS)
    assert order(ranking) == ["new"]
    assert ranking.dropped == {"inactive_generation": 1}


def test_ties_are_in_the_order_of_ids() -> None:
    ranking = rank("q", [near(name, 0.8) for name in "cab"], [], known(*"abc"), 5, SETTINGS)
    assert order(ranking) == ["a", "b", "c"]


def test_a_passage_with_the_questions_identifier_goes_to_the_top() -> None:
    parents = known("a", "b") | {"c": parent("c", text="raise E1042 here"), "d": parent("d", title="About e1042")}
    hits = [near("a", 0.9), near("b", 0.8), near("c", 0.7), near("d", 0.6)]
    ranking = rank("what is E1042?", hits, [], parents, 5, SETTINGS)
    assert order(ranking) == ["c", "d", "a", "b"]
    assert ranking.passages[0].exact == ("e1042",)
    assert ranking.passages[0].channels == ("vector", "exact")


def test_more_identifiers_are_better_than_fewer() -> None:
    parents = {"a": parent("a", text="E1042 only"), "b": parent("b", text="E1042 and E2000")}
    ranking = rank("E1042 or E2000", [near("a", 0.9), near("b", 0.6)], [], parents, 5, SETTINGS)
    assert order(ranking) == ["b", "a"]


def test_an_identifier_anchors_a_passage_that_only_words_found() -> None:
    ranking = rank("E1042", [], [word("a", 1.0)], {"a": parent("a", text="long ago E1042 came")}, 5, SETTINGS)
    assert ranking.passages[0].anchor == (9, 9)


def test_a_source_has_two_parents_before_others_had_their_turn() -> None:
    # Positions apart, so that they are not joined.
    parents = {f"a{n}": parent(f"a{n}", "A", n * 2) for n in range(5)} | {"b": parent("b"), "c": parent("c")}
    hits = [near(f"a{n}", 0.95 - n / 100) for n in range(5)] + [near("b", 0.6), near("c", 0.55)]
    assert order(rank("q", hits, [], parents, 7, SETTINGS)) == ["a0", "a1", "b", "c", "a2", "a3", "a4"]
    cut = rank("q", hits, [], parents, 4, SETTINGS)
    assert order(cut) == ["a0", "a1", "b", "c"]
    assert cut.dropped == {"same_source": 2, "over_top_k": 1}


def test_neighbours_of_one_section_become_one_passage() -> None:
    parents = {
        "p1": parent("p1", "D", 1, "First.", start=10, end=16, heading_path=("H",), page_from=3, page_to=3),
        "p2": parent("p2", "D", 2, "| head |\nSecond.", start=16, end=23, heading_path=("H",), page_from=3, page_to=4),
        "p3": parent("p3", "D", 3, "Third.", start=23, end=29, heading_path=("Other",)),
        "q2": parent("q2", "E", 2, "Elsewhere.", heading_path=("H",)),
    }
    hits = [near("q2", 0.8), near("p2", 0.9, "c2", 9, 15), near("p1", 0.7, "c1", 0, 5), near("p3", 0.6, "c3", 0, 6)]
    ranking = rank("q", hits, [word("p1", 4.0)], parents, 4, replace(SETTINGS, per_source=5))
    joined = next(passage for passage in ranking.passages if len(passage.parent_ids) > 1)
    assert (joined.parent_ids, joined.parent_id) == (("p1", "p2"), "p1")
    assert joined.text == "First.Second."
    assert (joined.page_from, joined.page_to, joined.heading_path) == (3, 4, ("H",))
    assert (joined.vector, joined.keyword) == (0.9, 4.0)
    assert {child.chunk_id: joined.text[child.start : child.end] for child in joined.children} == {
        "c1": "First",
        "c2": "Second",
    }
    assert {passage.parent_ids for passage in ranking.passages} == {("p1", "p2"), ("p3",), ("q2",)}


def test_a_table_header_stays_where_a_passage_begins() -> None:
    lone = parent("p2", "D", 2, "| head |\nrow", start=16, end=19)
    (passage,) = rank("q", [near("p2", 0.9, "c", 9, 12)], [], {"p2": lone}, 5, SETTINGS).passages
    assert (passage.text, passage.anchor) == ("| head |\nrow", (9, 12))


def test_every_hit_is_explained() -> None:
    parents = known("a", "b")
    found = pool("q", [near("a", 0.9), near("b", 0.4), near("x", 0.8)], [word("b", 2.0)], parents, SETTINGS)
    hits = channel_hits(found, parents)
    assert [(hit.channel, hit.rank, hit.parent.parent_id, hit.score, hit.dropped) for hit in hits] == [
        ("vector", 1, "a", 0.9, None),
        ("vector", 3, "b", 0.4, "below_floor"),
        ("keyword", 1, "b", 2.0, None),
    ]
    assert selected(found, 1).dropped == {"inactive_generation": 1, "over_top_k": 1}


@pytest.mark.parametrize(
    "wrong",
    [{"keyword_floor": -0.1}, {"vector_weight": 1.1}, {"keyword_doubt": 1.1}, {"hint_weight": 2.0}, {"per_source": 0}],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        RankingSettings(Calibration(0.5), **wrong)  # type: ignore[arg-type]


parent_ids = st.sampled_from([f"{document}{position}" for document in "abc" for position in range(4)])
cosines = st.sampled_from([0.3, 0.5, 0.7, 0.9])


@given(
    st.lists(st.tuples(parent_ids, cosines), max_size=12),
    st.lists(st.tuples(parent_ids, cosines), max_size=12),
    st.integers(1, 6),
    st.sampled_from(["weighted", "reciprocal_rank"]),
)
def test_every_parent_is_answered_or_accounted_for_whatever_the_order_of_hits(
    vector: list[tuple[str, float]], keyword: list[tuple[str, float]], top_k: int, fusion: str
) -> None:
    parents = {
        f"{document}{position}": parent(f"{document}{position}", document, position)
        for document, position in itertools.product("ab", range(4))
    }
    settings = RankingSettings(Calibration(0.5), fusion=fusion)  # type: ignore[arg-type]
    vector_hits, keyword_hits = [near(*each) for each in vector], [word(*each) for each in keyword]
    ranking = rank("q", vector_hits, keyword_hits, parents, top_k, settings)
    answered = [parent_id for passage in ranking.passages for parent_id in passage.parent_ids]
    assert len(answered) == len(set(answered)) <= top_k
    assert set(answered) <= parents.keys()
    found = {parent_id for parent_id, _ in (*vector, *keyword)}
    assert len(answered) + sum(ranking.dropped.values()) == len(found)
    assert rank("q", vector_hits[::-1], keyword_hits[::-1], parents, top_k, settings).passages == ranking.passages
