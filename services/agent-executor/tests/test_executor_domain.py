"""Citations, evidence and answers without a model: pure functions."""

from hypothesis import given
from hypothesis import strategies as st

from superagent_agent_executor.domain.evidence import Finding, Passage, number_evidence, passages_by_number, worst_mode
from superagent_agent_executor.domain.extract import best_quotes, extractive_answer
from superagent_agent_executor.domain.follow_ups import clean, suggest
from superagent_agent_executor.domain.plan import SubQuestion
from superagent_agent_executor.domain.quotable import QUOTE_WIDTH, width


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
    assert worst_mode([Finding(question(1), (passage("a"),), "hybrid"), Finding(question(2))]) == "hybrid"
    assert (
        worst_mode([Finding(question(1), (passage("a"),), "hybrid"), Finding(question(2), (), "text_only")])
        == "text_only"
    )


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
    assert len(text) <= QUOTE_WIDTH and text.endswith(".")


STEPS = """# 备份
**要点：**
恢复前要做的事：
- 先开变更单
- 通知所有者；
* 然后运行 `storectl restore`。

![图](a.png)
1. ^ 某网站. 备份的历史. 2006-10-15.
备份保留 35 天。…

为什么要开变更单？**
因为恢复会占满带宽。
"""


def test_an_introduction_is_quoted_with_its_list_and_without_debris() -> None:
    found = passage("a", STEPS, citation_id=1)
    assert best_quotes("恢复前要做的事", [found])[0] == (
        "恢复前要做的事： 先开变更单；通知所有者； 然后运行 `storectl restore`。",
        1,
    )
    assert best_quotes("备份保留几天", [found])[0] == ("备份保留 35 天。", 1)
    assert best_quotes("为什么开变更单", [found])[0] == ("为什么要开变更单？ 因为恢复会占满带宽。", 1)


def test_the_best_quote_comes_first_and_the_others_in_reading_order() -> None:
    lines = ["Backups run at night.", "Backups of the bucket run weekly.", "Restore a bucket from backups with care."]
    quotes = best_quotes("restore a bucket from backups", [passage("a", "\n".join(lines), citation_id=1)])
    assert quotes[0][0] == lines[2]
    texts = [text for text, _ in quotes[1:]]
    assert texts == [line for line in lines[:2] if line in texts]


def test_when_little_of_the_question_is_there_only_one_quote_is_shown() -> None:
    other = passage("a", "Der Mond ist hell.\nDas Meer ist tief.\nDie Zeit ist knapp.", citation_id=1)
    assert len(best_quotes("warranty period of the door lock", [other])) == 1


def test_a_sentence_beyond_all_measure_ends_with_a_clause() -> None:
    (text, _), *_ = best_quotes("保修", [passage("a", "保修期内可以免费维修，" * 60 + "。", citation_id=1)])
    assert width(text) <= QUOTE_WIDTH and text.endswith("免费维修…")


def test_a_passage_of_headings_alone_is_still_quoted() -> None:
    assert best_quotes("warranty", [passage("a", "Warranty", citation_id=3)]) == [("Warranty", 3)]


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


def test_follow_ups_take_the_questions_that_the_evidence_asks_in_the_answers_language() -> None:
    faq = passage("a", FAQ + "\n3. 指纹识别失败怎么办？\nHow long does the battery last?", heading_path=("Title a",))
    assert suggest([faq], "X3 忘记管理密码了怎么办", "zh") == (
        "X3 的保修期是多久?",
        "指纹识别失败怎么办？",
        "《Title a》还讲了哪些内容？",
    )
    assert suggest([faq], "How is it?", "en")[0] == "How long does the battery last?"


def test_follow_ups_ask_for_what_was_not_asked() -> None:
    near = [passage("a", heading_path=("Travel", "Hotels")), passage("b", heading_path=("Travel", "Meals"))]
    assert suggest(near, "What about hotels?", "en") == (
        "What else does the section “Meals” say?",
        "What else is covered in “Title a”?",
        "What else is covered in “Title b”?",
    )


def test_a_models_suggestions_are_cleaned() -> None:
    assert clean([" a\n b ", "a b", 7, "", "x" * 201, "c", "d", "e"]) == ("a b", "c", "d")


def test_traditional_and_simplified_characters_quote_each_other() -> None:
    lines = "系统默认开放 9000 端口。\n\n備份保留 35 天。\n\n窗口由值班经理决定。"
    found = [passage("a", lines, citation_id=1)]
    assert best_quotes("备份保留几天", found)[0] == ("備份保留 35 天。", 1)
    assert best_quotes("系統默認開放哪個端口", found)[0] == ("系统默认开放 9000 端口。", 1)
