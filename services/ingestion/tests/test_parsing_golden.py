"""One document, written by hand in several formats, reads the same in all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from services.ingestion.tests.document_samples import (
    docx,
    dumped,
    pdf,
    word_item,
    word_numbering,
    word_paragraph,
    word_table,
)
from services.ingestion.tests.office_samples import epub, message, odf, odf_table
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.blocks import Block, ParsedDocument

GOLDEN = Path(__file__).parent / "golden"
TABLE = [
    ["城市", "每晚上限", "备注"],
    ["北京", "500", "旺季加价"],
    ["上海", "480", "含税"],
    ["成都", "350", "含早餐"],
]


def _expected() -> str:
    return (GOLDEN / "travel.blocks").read_text()


def _parse(path: Path) -> ParsedDocument:
    return parse_document(path, path.name, ParserLimits())


@pytest.mark.parametrize("name", ["travel.md", "travel.html"])
def test_markdown_and_html_give_the_same_blocks(name: str) -> None:
    document = _parse(GOLDEN / name)
    assert dumped(document.blocks) == _expected()
    assert document.title == "差旅管理办法"
    assert document.language == "zh"


def _body_of_html() -> str:
    return (GOLDEN / "travel.html").read_text().partition("<body>")[2].partition("</body>")[0]


def test_open_document_gives_the_same_blocks(tmp_path: Path) -> None:
    path = tmp_path / "travel.odt"
    items = "".join(
        f"<text:list-item><text:p>{text}</text:p>{inner}</text:list-item>"
        for text, inner in (
            ("Scan every receipt.", ""),
            (
                "Fill in the form:",
                "<text:list><text:list-item><text:p>date and place</text:p></text:list-item>"
                "<text:list-item><text:p>amount in CNY</text:p></text:list-item></text:list>",
            ),
            ("Send both to finance.", ""),
        )
    )
    numbered = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/>'
        "</text:list-style>"
    )
    body = (
        '<text:p text:style-name="Title">差旅管理办法</text:p>'
        "<text:p>本办法适用于全体员工。<text:span>出差前</text:span>应当取得部门主管的批准。</text:p>"
        '<text:h text:outline-level="2">住宿标准</text:h><text:p>住宿费按下表报销，超出部分自理。</text:p>'
        + odf_table(TABLE)
        + '<text:h text:outline-level="2">Submitting<text:s/>claims</text:h>'
        "<text:p>Receipts must be handed in within thirty days. Late claims are refused.</text:p>"
        f'<text:list text:style-name="L1">{items}</text:list>'
    )
    named = '<style:style style:name="Title" style:family="paragraph"/>'
    path.write_bytes(odf("text", body, numbered + named))
    document = _parse(path)
    assert dumped(document.blocks) == _expected()
    assert document.title == "差旅管理办法"


def test_rtf_gives_the_same_blocks(tmp_path: Path) -> None:
    document = _parse(GOLDEN / "travel.rtf")
    assert dumped(document.blocks) == _expected()
    assert document.title == "差旅管理办法"


def test_a_book_gives_the_same_blocks(tmp_path: Path) -> None:
    path = tmp_path / "travel.epub"
    first, _, second = _body_of_html().partition("<h2>Submitting")
    path.write_bytes(epub({"b": f"<h2>Submitting{second}", "a": first}, spine=["a", "b"]))
    document = _parse(path)
    assert dumped(document.blocks) == _expected()
    assert document.title == "差旅管理办法"


def test_a_message_gives_the_same_blocks_below_its_subject(tmp_path: Path) -> None:
    path = tmp_path / "travel.eml"
    path.write_bytes(bytes(message("新的差旅制度", "Please see the HTML part.", _body_of_html())))
    document = _parse(path)
    subject, head, *body = document.blocks
    assert subject == Block("heading", "新的差旅制度", 1)
    assert head.text == (
        "From: Anna Lee <anna@example.org>\nTo: finance@example.org\nDate: Mon, 02 Mar 2026 09:30:00 +0800"
    )
    lowered = [replace(block, level=block.level - 1) if block.level else block for block in body]
    assert dumped(tuple(lowered)) == _expected()
    assert document.title == "新的差旅制度"


def test_word_gives_the_same_blocks(tmp_path: Path) -> None:
    path = tmp_path / "travel.docx"
    body = (
        word_paragraph("差旅管理办法", heading=1)
        + word_paragraph("本办法适用于全体员工。出差前应当取得部门主管的批准。")
        + word_paragraph("住宿标准", heading=2)
        + word_paragraph("住宿费按下表报销，超出部分自理。")
        + word_table(TABLE)
        + word_paragraph("Submitting claims", heading=2)
        + word_paragraph("Receipts must be handed in within thirty days. Late claims are refused.")
        + word_item("Scan every receipt.")
        + word_item("Fill in the form:")
        + word_item("date and place", level=1)
        + word_item("amount in CNY", level=1)
        + word_item("Send both to finance.")
    )
    path.write_bytes(docx(body, extra={"word/numbering.xml": word_numbering()}))
    document = _parse(path)
    assert dumped(document.blocks) == _expected()
    assert document.title == "差旅管理办法"
    assert document.pages is None


def test_pdf_gives_the_same_blocks_with_their_pages(tmp_path: Path) -> None:
    path = tmp_path / "travel.pdf"
    table = [
        (72 + 130 * column, 200 + 18 * row, 11, cell)
        for row, cells in enumerate(TABLE)
        for column, cell in enumerate(cells)
    ]
    first = [
        (72, 80, 22, "差旅管理办法"),
        (72, 120, 11, "本办法适用于全体员工。出差前应当取得"),
        (72, 136, 11, "部门主管的批准。"),
        (72, 160, 15, "住宿标准"),
        (72, 180, 11, "住宿费按下表报销，超出部分自理。"),
        *table,
    ]
    second = [
        (72, 80, 15, "Submitting claims"),
        (72, 104, 11, "Receipts must be handed in within thirty days."),
        (72, 120, 11, "Late claims are refused."),
    ]
    path.write_bytes(pdf([first, second]))
    document = _parse(path)
    assert dumped(document.blocks) == _expected().partition("list: ")[0]
    assert [block.page for block in document.blocks] == [1, 1, 1, 1, 1, 2, 2]
    assert (document.pages, document.title) == (2, "差旅管理办法")
