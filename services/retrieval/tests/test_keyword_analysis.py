from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_retrieval.adapters.keyword_analysis import MAX_QUERY_TERMS, analyse_passage, analyse_query


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("税收政策", "税收 收政 政策"),
        ("税", ""),
        ("The travellers were travelling", "the travel were travel"),
        ("Ｆｕｌｌ　１２３", "full 123"),
        ("café naïve", "cafe naiv"),
        ("set max_connections=100", "set max connect max_connections 100"),
        ("10.0.3.1:80", "10 0 3 1 80 10.0.3.1:80"),
        ("Tokyo's don't", "tokyo don"),
        ("1,250,000 and 1,25", "1250000 and 1 25"),
        ("版本v2.1发布", "版本 v2 1 v2.1 发布"),
        ("日本の首都", "日本 本の の首 首都"),
        ("😀 … \x00 \ud800 _", ""),
    ],
)
def test_a_passage_becomes_terms(text: str, words: str) -> None:
    assert analyse_passage(text).words == words


def test_a_passage_keeps_repetitions_and_lists_each_character_once() -> None:
    terms = analyse_passage("茶茶茶 tea tea")
    assert terms.words == "茶茶 茶茶 tea tea"
    assert terms.characters == "茶"


def test_question_words_count_only_where_there_is_nothing_else() -> None:
    assert analyse_query("What is the capital of France?").words == ("capit", "franc")
    assert analyse_query("what is the").words == ("what", "is", "the")
    assert analyse_query("年假有多少天？").words == ("年假", "假有")
    assert analyse_query("什么").words == ("什么",)


def test_single_characters_of_a_question_are_apart() -> None:
    terms = analyse_query("税 rate")
    assert (terms.words, terms.characters) == (("rate",), ("税",))


def test_a_long_query_is_bounded() -> None:
    terms = analyse_query(" ".join(f"word{number}" for number in range(5_000)))
    assert len(terms.words) == MAX_QUERY_TERMS
    assert terms.words[0] == "word0"


def test_an_overlong_run_is_cut() -> None:
    assert all(len(word) <= 64 for word in analyse_passage("x" * 500 + " " + "a_" * 500).words.split())


@given(st.text(max_size=200))
def test_any_text_becomes_terms_that_any_engine_can_take(text: str) -> None:
    terms, asked = analyse_passage(text), analyse_query(text)
    for term in (*terms.words.split(), *terms.characters.split(), *asked.words, *asked.characters):
        assert term == term.strip() != ""
        assert 0 < len(term.encode()) <= 256
        assert term.split() == [term]
    assert len(set(asked.words)) == len(asked.words)


@given(st.text(max_size=100))
def test_what_is_asked_for_is_in_the_same_text(text: str) -> None:
    terms, asked = analyse_passage(text), analyse_query(text)
    if "的" not in text and "什么" not in text:
        assert set(asked.characters) <= set(terms.characters.split())
        assert set(asked.words) <= set(terms.words.split())
