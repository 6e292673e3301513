"""Citations, evidence and answers without a model: pure functions."""

from hypothesis import given
from hypothesis import strategies as st

from superagent_agent_executor.domain.evidence import Finding, Passage, number_evidence, passages_by_number, worst_mode
from superagent_agent_executor.domain.extract import best_quotes, extractive_answer
from superagent_agent_executor.domain.follow_ups import clean, suggest
from superagent_agent_executor.domain.plan import SubQuestion


def passage(name: str, text: str = "text", **more: object) -> Passage:
    return Passage(f"parent-{name}", f"document-{name}", f"Title {name}", "ops", text, **more)  # type: ignore[arg-type]


def question(index: int = 1, text: str = "What is it?") -> SubQuestion:
    return SubQuestion(index, text)


def test_a_passage_found_twice_keeps_its_first_number() -> None:
    found = [
        Finding(question(1), (passage("a"), passage("b")), "hybrid"),
        Finding(question(2), (passage("b"), passage("c")), "text_only"),
    ]
    numbered = number_evidence(found)
    assert [[each.citation_id for each in finding.passages] for finding in numbered] == [[1, 2], [2, 3]]
    assert sorted(passages_by_number(numbered)) == [1, 2, 3]
    assert worst_mode(numbered) == "text_only"
    assert worst_mode([Finding(question())]) == "none"


FAQ = "问:X3 的保修期是多久?\n答:整机保修两年,电池保修六个月。\n\n问:忘记管理密码怎么办?\n答:长按 SET 键 8 秒。"
HOTELS = "交通\n\n高铁二等座可以全额报销。\n\n住宿\n\n| 城市 | 每晚上限 |\n| --- | --- |\n| 北京 | 650 元 |\n| 其他 | 350 元 |"


def test_a_question_is_quoted_with_its_answer() -> None:
    assert best_quotes("忘记密码怎么办", [passage("a", FAQ, citation_id=4)]) == [
        ("问:忘记管理密码怎么办? 答:长按 SET 键 8 秒。", 4)
    ]


def test_a_chinese_question_is_quoted_with_its_answer() -> None:
    found = passage("a", "发票丢了怎么办？\n须提供付款记录和情况说明。", citation_id=1)
    assert best_quotes("发票丢了", [found]) == [("发票丢了怎么办？ 须提供付款记录和情况说明。", 1)]


def test_a_table_row_is_quoted_with_its_header_and_found_by_its_heading() -> None:
    (text, number), *_ = best_quotes("北京的住宿标准", [passage("a", HOTELS, citation_id=1)])
    assert (text, number) == ("城市: 北京; 每晚上限: 650 元", 1)


def test_a_long_line_is_cut_to_whole_sentences_around_what_was_asked() -> None:
    filler = "This sentence says nothing of use to anybody here. " * 20
    (text, _), *_ = best_quotes(
        "Where is the badge office?", [passage("a", f"{filler}The badge office is in B2. {filler}")]
    )
    assert text.startswith("The badge office is in B2.")
    assert len(text) <= 400 and text.endswith(".")


@given(st.text(max_size=300), st.lists(st.text(min_size=1, max_size=300), max_size=4))
def test_every_quote_comes_from_the_evidence_and_is_cited(asked: str, texts: list[str]) -> None:
    passages = [passage(str(index), text, citation_id=index + 1) for index, text in enumerate(texts)]
    quotes = best_quotes(asked, passages)
    assert len(quotes) <= 3
    for text, number in quotes:
        letters = [character for character in text if character.isalnum()]
        source = [character for character in passages[number - 1].text if character.isalnum()]
        assert not set(letters) - set(source)


def test_only_the_empty_sub_question_says_that_nothing_was_found() -> None:
    answer = "".join(
        text
        for text, _ in extractive_answer(
            [Finding(question(1, "保修期多久"), (passage("a", FAQ, citation_id=1),)), Finding(question(2, "火星食堂"))],
            "zh",
        )
    )
    first, second = answer.split("2. **火星食堂**")
    assert "整机保修两年" in first and "没有检索到" not in first
    assert "当前文档中没有检索到足够证据" in second


def test_follow_ups_ask_for_what_was_not_asked() -> None:
    near = [passage("a", heading_path=("Travel", "Hotels")), passage("b", heading_path=("Travel", "Meals"))]
    assert suggest(near, "What about hotels?", "en") == (
        "What else does the section “Meals” say?",
        "What else is covered in “Title a”?",
        "What else is covered in “Title b”?",
    )


def test_a_models_suggestions_are_cleaned() -> None:
    assert clean([" a\n b ", "a b", 7, "", "x" * 201, "c", "d", "e"]) == ("a b", "c", "d")
