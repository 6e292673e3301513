from __future__ import annotations

import csv

from superagent_ingestion.adapters.parsing.delimited import delimited_blocks
from superagent_ingestion.adapters.parsing.text import text_blocks
from superagent_ingestion.domain.blocks import Block


def _seen(text: str) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, block.text) for block in text_blocks(text)]


def test_hard_wrapped_lines_become_paragraphs_again() -> None:
    text = (
        "Receipts must be handed in to the finance department\n"
        "within thirty days after the journey has ended; what\n"
        "comes later is refused without exception.\n"
        "\n"
        "The finance department answers within five days, or\n"
        "says why it needs more time.\n"
    )
    assert _seen(text) == [
        (
            "paragraph",
            0,
            "Receipts must be handed in to the finance department within thirty days after the journey has ended; "
            "what comes later is refused without exception.",
        ),
        ("paragraph", 0, "The finance department answers within five days, or says why it needs more time."),
    ]


def test_hard_wrapped_chinese_is_joined_without_spaces() -> None:
    line = "员工应当在三十日内将所有票据提交给财务部门并说明出差的"
    assert _seen(f"{line}\n{line}\n{line}\n事由。\n") == [("paragraph", 0, line * 3 + "事由。")]


def test_short_lines_keep_their_breaks() -> None:
    assert _seen("Finance department\nRoom 204\nPhone 555-0100\n") == [
        ("paragraph", 0, "Finance department\nRoom 204\nPhone 555-0100")
    ]


def test_indented_lines_begin_paragraphs() -> None:
    assert _seen("\u3000\u3000第一段。\n\u3000\u3000第二段。\n") == [
        ("paragraph", 0, "第一段。"),
        ("paragraph", 0, "第二段。"),
    ]


def test_chapters_written_in_words_become_headings() -> None:
    text = "BOOK ONE: 1805\n\nCHAPTER I\n\nWell, Prince.\n\n第二章 报销\n正文在此。\n第三章程规定不是标题。\n"
    assert [(kind, level) for kind, level, _ in _seen(text)] == [
        ("heading", 1),
        ("heading", 2),
        ("paragraph", 0),
        ("heading", 2),
        ("paragraph", 0),
    ]


def test_lines_with_bullets_become_a_list() -> None:
    assert text_blocks("- one\n- two\n- three\n") == [Block("list", "- one\n- two\n- three")]


def test_control_characters_and_odd_line_breaks_go() -> None:
    assert _seen("a\x00b\r\n\r\nc\u200bd\u2028e\ufeff") == [("paragraph", 0, "ab"), ("paragraph", 0, "cd\ne")]


def test_delimited_text_becomes_a_table_whatever_the_delimiter() -> None:
    expected = [Block("table", "| name | price |\n| --- | --- |\n| pump, large | 3,50 |\n| valve | 1,20 |")]
    assert delimited_blocks('name,price\n"pump, large","3,50"\nvalve,"1,20"\n') == expected
    assert delimited_blocks("name;price\r\npump, large;3,50\r\nvalve;1,20\r\n") == expected
    assert delimited_blocks("name\tprice\npump, large\t3,50\nvalve\t1,20") == expected


def test_a_short_table_leaves_the_process_its_limit_of_fields() -> None:
    before = csv.field_size_limit()
    delimited_blocks("a,b\n1,2\n")
    assert csv.field_size_limit() >= before
    assert delimited_blocks(f"name,note\npump,{'x' * 200_000}\n")
