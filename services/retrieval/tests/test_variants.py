from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from superagent_common.traditional import simplified
from superagent_retrieval.domain.variants import HINT_CHARACTERS, normalised, variants


def forms(question: str, words: tuple[str, ...] = (), history: str = "") -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in variants(question, words, history)]


def test_a_plain_question_has_one_form() -> None:
    assert forms("年假有几天？") == [("question", "年假有几天？")]
    assert forms(" How  many days?  ") == [("question", " How  many days?  ")]


def test_another_way_of_writing_is_a_form_of_its_own() -> None:
    assert forms("員工請假規定") == [("question", "員工請假規定"), ("normalised", "员工请假规定")]
    assert forms("ＶＰＮ setup") == [("question", "ＶＰＮ setup"), ("normalised", "VPN setup")]


def test_marks_that_are_no_characters_are_no_other_question() -> None:
    assert forms("a\x00b\u200bc") == [("question", "abc")]
    assert normalised("a\x00b\ud800c\u200b  d") == "abc d"


def test_hints_add_what_the_question_does_not_say() -> None:
    assert forms("Refund for E1", ("refund", "Invoice", "Invoice"), "How do I return goods?") == [
        ("question", "Refund for E1"),
        ("hints", "Refund for E1 Invoice"),
        ("history", "How do I return goods? Refund for E1"),
    ]
    assert forms("Refund", ("refund",), "refund") == [("question", "Refund")]


def test_traditional_characters_become_simplified_ones() -> None:
    assert simplified("頭髮乾燥後") == "头发干燥后"
    assert simplified("plain") == "plain"


@given(st.text(max_size=60), st.lists(st.text(max_size=300), max_size=4), st.text(max_size=500))
def test_there_are_one_to_four_different_forms_and_the_question_is_the_first(
    question: str, words: list[str], history: str
) -> None:
    found = variants(question, words, history)
    assert 1 <= len(found) <= 4
    assert found[0].kind == "question" and question.isprintable() <= (found[0].text == question)
    found[0].text.encode()
    assert len({each.text for each in found}) == len(found)
    assert all(len(each.text) <= len(normalised(question)) + HINT_CHARACTERS + 1 for each in found[1:])


@given(st.text(max_size=80))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalised(text)
    assert normalised(once) == once
    assert len(simplified(text)) == len(text)
