from __future__ import annotations

from pathlib import Path

from services.ingestion.tests.document_samples import docx, word_paragraph
from services.ingestion.tests.office_samples import odf
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.html import html_blocks
from superagent_ingestion.adapters.parsing.implied_headings import with_implied_headings
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.blocks import Block

TEXT = "<p>Receipts must be handed in within thirty days, or the claim is refused.</p>"


def _headings(blocks: list[Block]) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in blocks if block.kind == "heading"]


def _paragraphs(*texts: str) -> list[Block]:
    return [Block("paragraph", text) for text in texts]


def test_bold_lines_are_the_headings_of_a_page_without_any() -> None:
    page = (
        f"<p style='font-weight:bold'>PART I</p>{TEXT}<div><b>Item 1.&#160;Limits</b></div>{TEXT}{TEXT}"
        f"<p><span style='font-weight: 700'>Exceptions</span></p>{TEXT}<p><b>Not</b> all of it bold</p>{TEXT}"
        f"<p style='font-weight:bold'><span style='font-weight:normal'>Not bold at all</span>{TEXT}"
    )
    assert _headings(html_blocks(page)[0]) == [(1, "PART I"), (2, "Item 1. Limits"), (3, "Exceptions")]


def test_bold_lines_stay_text_beside_real_headings() -> None:
    assert _headings(html_blocks(f"<h2>Limits</h2>{TEXT}<p><b>Mind this</b></p>{TEXT}")[0]) == [(2, "Limits")]


def test_bold_means_nothing_where_everything_is() -> None:
    assert _headings(html_blocks("<b><p>One line</p><p>Another</p><p>A third</p></b>")[0]) == []


def test_chinese_numbers_make_headings_and_levels() -> None:
    blocks = _paragraphs(
        "第一章 总则", "正文。", "一、适用范围", "正文。", "（一）出差", "正文。", "正文。", "一、句子。"
    )
    filler = _paragraphs(*["这里是很长的正文，说明差旅的规定。"] * 6)
    assert _headings(with_implied_headings(blocks + filler, set())) == [
        (1, "第一章 总则"),
        (2, "一、适用范围"),
        (3, "（一）出差"),
    ]


def test_english_sentences_that_name_a_section_are_none() -> None:
    blocks = _paragraphs("Section 5 says so", *["Some text."] * 9)
    assert _headings(with_implied_headings(blocks, set())) == []
    assert _headings(with_implied_headings(blocks, {0})) == [(1, "Section 5 says so")]


def test_bold_lines_head_a_word_file_without_styles(tmp_path: Path) -> None:
    def bold(text: str, value: str = "") -> str:
        return f"<w:p><w:r><w:rPr><w:b{value}/></w:rPr><w:t>{text}</w:t></w:r></w:p>"

    path = tmp_path / "a.docx"
    text = word_paragraph("Receipts must be handed in within thirty days.")
    path.write_bytes(docx(bold("Limits") + text * 4 + bold("Exceptions") + text * 4 + bold("plain", ' w:val="0"')))
    document = parse_document(path, path.name, ParserLimits())
    assert _headings(list(document.blocks)) == [(1, "Limits"), (2, "Exceptions")]


def test_bold_lines_head_an_rtf_file_without_styles(tmp_path: Path) -> None:
    path = tmp_path / "a.rtf"
    text = r"\pard\plain Receipts must be handed in within thirty days, {\b not} later.\par" * 4
    body = rf"\pard{{\b Limits}}\par{text}\pard\b Exceptions\b0\par{text}\pard{{\b plain}} and bold\par"
    path.write_text(r"{\rtf1\ansi " + body + "}")
    document = parse_document(path, path.name, ParserLimits())
    assert _headings(list(document.blocks)) == [(1, "Limits"), (2, "Exceptions")]


def test_bold_lines_head_an_open_document_without_styles(tmp_path: Path) -> None:
    path = tmp_path / "a.odt"
    text = "<text:p>Receipts must be handed in within thirty days.</text:p>" * 4
    named = {"B": "bold", "N": "normal"}
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties fo:font-weight="{weight}" '
        'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"/></style:style>'
        for name, weight in named.items()
    )
    body = (
        f'<text:p text:style-name="B">Limits</text:p>{text}'
        f'<text:p><text:span text:style-name="B">Exceptions</text:span></text:p>{text}'
        '<text:p text:style-name="B">Bold <text:span text:style-name="N">and plain</text:span></text:p>'
    )
    path.write_bytes(odf("text", body, styles))
    document = parse_document(path, path.name, ParserLimits())
    assert _headings(list(document.blocks)) == [(1, "Limits"), (2, "Exceptions")]
