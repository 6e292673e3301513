"""Several forms of a question, headings, copies, bonuses and reranking in one pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retrieval.tests.test_ranking import SETTINGS, known, near, parent, word
from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.domain.budget import Budget, fit
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.channels import VariantHits
from superagent_retrieval.domain.explaining import placed
from superagent_retrieval.domain.floors import Calibration, RelatedFloors
from superagent_retrieval.domain.lifting import Bonuses
from superagent_retrieval.domain.ranking import Asked, Pool, RankingSettings, pooled, reranked, selected
from superagent_retrieval.domain.records import KeywordHit, VectorHit
from superagent_retrieval.domain.variants import Variant, VariantKind

LONG = "How many days of annual leave does everybody have?"


def hits(kind: VariantKind, vector: Sequence[VectorHit] = (), keyword: Sequence[KeywordHit] = ()) -> VariantHits:
    return VariantHits(Variant(kind, kind), vector, keyword)


def pool(
    question: str,
    found: Sequence[VariantHits],
    parents: dict[str, Parent],
    settings: RankingSettings = SETTINGS,
    headings: Sequence[KeywordHit] = (),
    hint_words: str = "",
    use_outline: bool = False,
) -> Pool:
    asked = Asked(question, terms_of(question), terms_of(hint_words) if hint_words else (), use_outline)
    return pooled(asked, found, headings, parents, settings, terms_of)


def ids(of: Pool) -> list[str]:
    return [candidate.parent.parent_id for candidate in of.ordered]


def test_another_way_of_writing_brings_candidates_of_its_own() -> None:
    found = [hits("question", [near("a", 0.9)]), hits("normalised", [near("b", 0.8)], [word("b", 2.0)])]
    assert ids(pool(LONG, found, known("a", "b"))) == ["a", "b"]


def test_a_hint_moves_what_the_question_found_but_brings_nothing_unrelated() -> None:
    found = [hits("question", [near("a", 0.9), near("b", 0.89)]), hits("history", [near("c", 0.95), near("b", 0.9)])]
    merged = pool(LONG, found, known("a", "b", "c"), replace(SETTINGS, hint_weight=1.0))
    assert ids(merged) == ["b", "a"]
    assert merged.left_out == {"c": "only_hinted"}


def test_a_hint_may_bring_what_is_nearly_near_enough() -> None:
    found = [hits("question", [near("a", 0.9), near("c", 0.48)]), hits("history", [near("c", 0.95)])]
    assert ids(pool(LONG, found, known("a", "c"))) == ["a", "c"]


def test_a_question_of_few_words_is_completed_by_its_hint() -> None:
    found = [hits("question"), hits("history", [near("c", 0.95)])]
    assert ids(pool("And how long?", found, known("c"))) == ["c"]


HANDBOOK = {
    "p0": parent("p0", "D", 0, "Welcome.", heading_path=("Chapter 1 Welcome",), title="Handbook"),
    "p1": parent("p1", "D", 1, "Ten days.", heading_path=("Chapter 3 Leave", "3.1 Annual"), title="Handbook"),
    "p2": parent("p2", "D", 2, "Call in.", heading_path=("Chapter 3 Leave", "3.2 Sick"), title="Handbook"),
    "p3": parent("p3", "D", 3, "On paper.", heading_path=("Chapter 3 Leave", "3.3 Unpaid"), title="Handbook"),
    "q": parent("q", "E", 0, "Chapter 3 of the story.", title="Story"),
}


def test_a_chapter_that_is_named_comes_whole_and_in_reading_order() -> None:
    found = [hits("question", [near("q", 0.9)], [word("q", 5.0)])]
    headings = [word(name, 2.0) for name in ("p3", "p2", "p1", "p0")]
    asked = pool("What does chapter 3 of the handbook say?", found, HANDBOOK, headings=headings)
    assert ids(asked) == ["p1", "p2", "p3", "q"]
    assert asked.ordered[0].outline == pytest.approx(2.5, abs=1e-3)
    assert {key for passage in selected(asked, 4).passages for key in passage.parent_ids} == {"q", "p1", "p2", "p3"}


def test_headings_are_a_list_of_their_own_when_the_outline_is_asked() -> None:
    found = [hits("question", [near("q", 0.9), near("p2", 0.6)])]
    question = "which section is about sick days"
    assert ids(pool(question, found, HANDBOOK)) == ["q", "p2"]
    assert ids(pool(question, found, HANDBOOK, headings=[word("p2", 1.0)], use_outline=True)) == ["p2", "q"]


def test_a_heading_that_fits_is_evidence_though_its_text_is_far() -> None:
    settings = replace(SETTINGS, calibration=Calibration(0.5, None, RelatedFloors(0.9, 0.9, 0.9)))
    found = [hits("question", [near("p1", 0.6)])]
    assert ids(pool("what is in chapter 3", found, HANDBOOK, settings, [word("p1", 1.0)])) == ["p1"]
    assert ids(pool("what is in here", found, HANDBOOK, settings)) == []


def test_a_text_that_holds_the_part_a_question_names_is_evidence_though_it_is_far() -> None:
    settings = replace(SETTINGS, calibration=Calibration(0.5, None, RelatedFloors(0.9, 0.9, 0.9)))
    parents = {"a": parent("a", text="第一章 总则\n本手册适用于全体员工。\n第二章 休假\n每年五天。")}
    found = [hits("question", [near("a", 0.6)])]
    assert ids(pool("第2章讲了什么", found, parents, settings)) == ["a"]
    assert ids(pool("第3章讲了什么", found, parents, settings)) == []


def test_the_same_text_twice_is_one_passage() -> None:
    parents = {"a": parent("a", text="Same."), "b": parent("b", text="Same."), "c": parent("c")}
    merged = pool("q", [hits("question", [near("a", 0.8), near("b", 0.9), near("c", 0.7)])], parents)
    assert ids(merged) == ["b", "c"]
    assert selected(merged, 5).dropped == {"same_text": 1}


def test_bonuses_are_shown_and_counted() -> None:
    settings = replace(SETTINGS, bonuses=Bonuses(heading=0.1, hint_words=0.2, all_words=0.3, close_words=0.4))
    parents = {
        "a": parent("a", text="Nothing of it."),
        "b": parent("b", text="Annual leave: ten days, says the manual.", heading_path=("Annual leave",)),
    }
    found = [hits("question", [near("a", 0.9), near("b", 0.8), near("z", 0.1)])]
    merged = pool("annual leave days", found, parents, settings, hint_words="manual")
    best = next(each for each in merged.ordered if each.parent.parent_id == "b")
    assert {bonus.name: bonus.value for bonus in best.bonuses} == pytest.approx(
        {"heading": 0.05, "all_words": 0.15, "close_words": 0.2, "hint_words": 0.1}
    )
    assert best.fused == pytest.approx(0.5)


def test_reranking_reorders_what_was_judged_and_leaves_the_rest_behind() -> None:
    first = pool("q", [hits("question", [near(name, 0.9 - n / 10) for n, name in enumerate("abcd")])], known(*"abcd"))
    again = reranked(first, [0.1, 0.1, 0.8])
    assert ids(again) == ["c", "a", "b", "d"]
    assert [each.rerank for each in again.ordered] == [0.8, 0.1, 0.1, None]
    assert selected(again, 4).passages[0].rerank == 0.8


def test_an_identifier_stays_on_top_whatever_the_reranker_says() -> None:
    parents = {**known("a"), "b": parent("b", text="raise E1042")}
    first = pool("what is E1042", [hits("question", [near("a", 0.9), near("b", 0.6)])], parents)
    assert ids(reranked(first, [0.0, 1.0])) == ["b", "a"]


names = st.sampled_from([f"{document}{position}" for document in "abc" for position in range(4)])
cosines = st.sampled_from([0.3, 0.48, 0.5, 0.7, 0.9])
channel = st.lists(st.tuples(names, cosines), max_size=10)


@given(
    st.lists(st.tuples(channel, channel), min_size=1, max_size=3),
    channel,
    st.integers(1, 6),
    st.booleans(),
    st.integers(1, 200),
    st.sampled_from(["weighted", "reciprocal_rank"]),
)
def test_every_parent_is_answered_or_accounted_for_and_the_sums_are_right(
    forms: list[tuple[list[tuple[str, float]], list[tuple[str, float]]]],
    headings: list[tuple[str, float]],
    top_k: int,
    use_outline: bool,
    characters: int,
    fusion: str,
) -> None:
    parents = {
        f"{document}{position}": parent(
            f"{document}{position}", document, position, heading_path=(f"days {position % 2}",)
        )
        for document in "ab"
        for position in range(4)
    }
    settings = RankingSettings(Calibration(0.5), fusion=fusion)  # type: ignore[arg-type]
    kinds: tuple[VariantKind, ...] = ("question", "normalised", "history")
    found = [
        hits(kind, [near(*v) for v in vector], [word(*k) for k in keyword])
        for kind, (vector, keyword) in zip(kinds, forms, strict=False)
    ]
    merged = pool(LONG, found, parents, settings, [word(*each) for each in headings], use_outline=use_outline)
    ranking = selected(merged, top_k)
    answered = [parent_id for passage in ranking.passages for parent_id in passage.parent_ids]
    assert len(answered) == len(set(answered)) <= top_k
    assert set(answered) <= parents.keys()
    everything = {name for vector, keyword in forms for name, _ in (*vector, *keyword)}
    assert everything <= set(answered) | ranking.left_out.keys()
    assert not set(answered) & ranking.left_out.keys()
    evidence = fit(ranking.passages, Budget(characters, 100))
    for each in placed(merged, ranking, evidence):
        assert (each.citation is None) == (each.dropped is not None)
        own = sum(part.value for part in each.parts if not part.channel)
        assert own + sum(bonus.value for bonus in each.candidate.bonuses) == pytest.approx(each.candidate.fused)


def test_the_more_of_the_questions_words_a_passage_says_the_higher_it_goes() -> None:
    parents = {
        "half": parent("half", text="days of leave"),
        "all": parent("all", text="days of annual leave, everybody has it"),
    }
    found = [hits("question", [near("half", 0.9), near("all", 0.9)])]
    settings = replace(SETTINGS, bonuses=Bonuses(0, 0, 0.1, 0))
    first, second = pool("annual leave days everybody", found, parents, settings).ordered
    assert (first.parent.parent_id, second.parent.parent_id) == ("all", "half")
    assert [bonus.value for bonus in first.bonuses] == pytest.approx([0.05])
    assert [bonus.value for bonus in second.bonuses] == pytest.approx([0.05 / 4])


def test_a_passage_that_has_the_questions_words_close_together_goes_up() -> None:
    parents = {
        "apart": parent("apart", text="Leave the keys. Annual meetings last two days."),
        "close": parent("close", text="Annual leave is counted in days."),
    }
    found = [hits("question", [near("apart", 0.9), near("close", 0.9)])]
    settings = replace(SETTINGS, bonuses=Bonuses(0, 0, 0, 0.1))
    first, second = pool("annual leave days", found, parents, settings).ordered
    assert (first.parent.parent_id, second.parent.parent_id) == ("close", "apart")
    assert ([bonus.value for bonus in first.bonuses], second.bonuses) == (pytest.approx([0.05]), ())
