from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_retrieval.domain.budget import CUT_MARK, Budget, fit, window
from superagent_retrieval.domain.passages import Passage
from superagent_retrieval.domain.sentences import sentence_spans

CHINESE = "第一条规定如下。员工每年享有十天年假！超过十年者十五天？附则另行通知。"
ENGLISH = "Dr. Smith came at 5 p.m. today. He left (early.) Nobody saw version 2.1 of it! Really?"


def passage(text: str, anchor: tuple[int, int] = (0, 0), parents: int = 1) -> Passage:
    ids = tuple(f"{text[:5]}/{number}" for number in range(parents))
    return Passage(ids[0], ids, "document", "", "hr", (), None, None, text, (), 0.9, None, 1.0, (), anchor)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_sentences_of_both_languages() -> None:
    assert sentences(CHINESE) == [
        "第一条规定如下。",
        "员工每年享有十天年假！",
        "超过十年者十五天？",
        "附则另行通知。",
    ]
    assert sentences(ENGLISH) == [
        "Dr. Smith came at 5 p.m. today. ",
        "He left (early.) ",
        "Nobody saw version 2.1 of it! ",
        "Really?",
    ]
    assert sentences("他说：“好。”然后走了。\n| a | b |\n\n| c | d |") == [
        "他说：“好。”",
        "然后走了。\n",
        "| a | b |\n\n",
        "| c | d |",
    ]
    assert sentences("") == [""]


@given(st.text(alphabet="ab 。.!?\n”)", max_size=80))
def test_sentences_are_the_whole_text(text: str) -> None:
    assert "".join(sentences(text)) == text


def test_a_text_that_fits_is_whole() -> None:
    whole = window(CHINESE, len(CHINESE), (3, 5))
    assert (whole.text, whole.start, whole.end, whole.cut) == (CHINESE, 0, len(CHINESE), False)


def test_a_cut_keeps_whole_sentences_around_the_matching_child_and_is_marked() -> None:
    at = CHINESE.index("超过")
    kept = window(CHINESE, 24, (at, at + 3))
    assert kept.text == "…超过十年者十五天？附则另行通知。"
    assert kept.cut and CHINESE[kept.start : kept.end] == kept.text[1:]


def test_without_a_matching_child_a_cut_keeps_the_beginning() -> None:
    assert window(CHINESE, 24, (0, 0)).text == "第一条规定如下。员工每年享有十天年假！…"


def test_what_follows_and_what_precedes_fill_the_room() -> None:
    text = "aa. bb. cc. dd. ee."
    assert window(text, 15, (8, 11)).text == "…bb. cc. dd.…"


def test_a_child_longer_than_the_room_keeps_its_beginning() -> None:
    at = CHINESE.index("员工")
    assert window(CHINESE, 14, (at, len(CHINESE))).text == "…员工每年享有十天年假！…"


def test_a_sentence_longer_than_the_room_is_cut_between_words() -> None:
    kept = window("consider the lilies of the field, how they grow and spin not", 22, (13, 20))
    assert kept.text == "…lilies of the field,…"
    assert window("员工每年享有十天年假并可延期", 8, (4, 8)).text == "…享有十天年假…"


@given(
    st.text(alphabet="ab 。.!?\n中文", min_size=1, max_size=120),
    st.integers(3, 60),
    st.integers(0, 119),
    st.integers(0, 60),
)
def test_a_window_fits_is_part_of_the_text_and_touches_its_anchor(
    text: str, limit: int, start: int, length: int
) -> None:
    anchor = (min(start, len(text) - 1), min(start + length, len(text)))
    kept = window(text, limit, anchor)
    assert len(kept.text) <= limit
    assert kept.text.removeprefix(CUT_MARK).removesuffix(CUT_MARK) == text[kept.start : kept.end]
    assert kept.cut == (len(kept.text) > len(text[kept.start : kept.end]))
    if not kept.cut:
        assert text[kept.start : kept.end].strip() == text.strip()
    if text[anchor[0] :].strip() and not text[anchor[0]].isspace():
        assert kept.start <= anchor[0] < kept.end


def test_evidence_keeps_its_order_within_the_total() -> None:
    texts = ["a" * 99 + ".", "b" * 99 + ".", "c" * 99 + "."]
    evidence = fit([passage(text) for text in texts], Budget(total=250, per_parent=200))
    assert [each.window.text for each in evidence] == texts[:2]


def test_a_long_parent_is_cut_to_its_share_and_two_parents_have_two() -> None:
    text = "One sentence here. " * 40
    single, double = fit([passage(text), passage(text, parents=2)], Budget(total=1_000, per_parent=200))
    assert 180 <= len(single.window.text) <= 200
    assert 380 <= len(double.window.text) <= 400
    assert single.window.cut and double.window.cut


def test_what_is_left_is_filled_if_it_says_something() -> None:
    text = "One sentence here. " * 40
    budget = Budget(total=400, per_parent=250)
    assert len(fit([passage(text), passage(text), passage(text)], budget)) == 2


def test_a_small_passage_still_fits_behind_one_that_does_not() -> None:
    evidence = fit([passage("a" * 150), passage("b" * 300), passage("c" * 40)], Budget(total=200, per_parent=150))
    assert [each.window.text[0] for each in evidence] == ["a", "c"]


def test_the_best_passage_always_has_a_part() -> None:
    (only,) = fit([passage("Some words that are far too long.")], Budget(total=10, per_parent=10))
    assert only.window.text == "Some…"


def test_no_budget_keeps_everything() -> None:
    texts = ["long " * 5_000, "short"]
    assert [each.window.text for each in fit([passage(text) for text in texts], None)] == texts


def test_no_passages_are_no_evidence() -> None:
    assert fit([], Budget()) == []


def test_a_budget_without_room_is_refused() -> None:
    with pytest.raises(ValueError):
        Budget(total=0)


@given(st.lists(st.integers(1, 400), max_size=8), st.integers(1, 900), st.integers(1, 300))
def test_the_total_is_never_exceeded(lengths: list[int], total: int, per_parent: int) -> None:
    texts = [("word. " * 80)[:length] for length in lengths]
    evidence = fit([passage(text) for text in texts], Budget(total, per_parent))
    assert sum(len(each.window.text) for each in evidence) <= max(total, 2 * len(CUT_MARK) + 1)
    assert bool(evidence) is bool(lengths)
