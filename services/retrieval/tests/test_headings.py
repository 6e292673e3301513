from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.domain.headings import heading_question, heading_reference, heading_share, references


@pytest.mark.parametrize(
    ("question", "part", "number"),
    [
        ("What does chapter 3 say?", "chapter", "3"),
        ("第三章讲了什么", "chapter", "3"),
        ("第 12 条怎么规定", "article", "12"),
        ("第二十三节", "section", "23"),
        ("3.2节的内容", "section", "3.2"),
        ("Summarise Section IV", "section", "4"),
        ("附录B", "appendix", "b"),
        ("Appendix c, please", "appendix", "c"),
    ],
)
def test_numbered_parts_that_a_question_names(question: str, part: str, number: str) -> None:
    assert [(found.part, found.number) for found in references(question)] == [(part, number)]


@pytest.mark.parametrize(
    "question", ["年假有几天", "version 3.2.1 of the tool", "a part of it", "partition 3", "chapter and verse"]
)
def test_questions_that_name_no_part(question: str) -> None:
    assert references(question) == ()


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("第三章 请假", "chapter 3"),
        ("3.2 Leave", "section 3.2"),
        ("三、请假", "第三节"),
        ("IV. Scope", "section 4"),
        ("Chapter 10: Money", "第十章"),
    ],
)
def test_headings_are_found_by_their_number_however_it_is_written(heading: str, question: str) -> None:
    assert heading_share((heading,), frozenset(), references(question), terms_of) == 2.0
    assert heading_reference("Leave") is None


def test_another_number_or_another_part_is_another_heading() -> None:
    for heading, question in (("第三章 请假", "第四章"), ("第三章 请假", "第三节"), ("3.2 Leave", "section 3")):
        assert heading_share((heading,), frozenset(), references(question), terms_of) == 0.0


def test_a_heading_fits_by_the_share_of_its_words_that_the_question_holds() -> None:
    asked = frozenset(terms_of("How many days of annual leave do we have?"))
    assert heading_share(("Handbook", "Annual leave"), asked, (), terms_of) == 1.0
    assert heading_share(("Leave of absence abroad",), asked, (), terms_of) == 0.0
    assert heading_share(("Sick leave",), asked, (), terms_of) == 0.5
    assert heading_share((), asked, (), terms_of) == 0.0


def test_references_are_searched_in_every_way_of_writing() -> None:
    assert heading_question("第3章") == "第3章 chapter 3 3 第3章 第三章"
    assert heading_question("annual leave") == "annual leave"


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3))
def test_any_text_is_a_question_and_any_text_a_heading(question: str, path: list[str]) -> None:
    share = heading_share(path, frozenset(terms_of(question)), references(question), terms_of)
    assert share == 0 or 0.5 <= share <= 1 or share == 2
