from __future__ import annotations

from pathlib import Path

import pytest

from services.ingestion.tests.document_samples import pdf, text_page
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.pdf import pdf_content
from superagent_ingestion.adapters.parsing.pdf_headings import with_headings
from superagent_ingestion.adapters.parsing.pdf_pages import PdfBlock, PdfPage
from superagent_ingestion.adapters.parsing.running_lines import without_running_lines
from superagent_ingestion.domain.blocks import Block

BODY = ("The committee met on Monday and heard", "the report of the finance department.")


def _at(block: Block, top: float, size: float) -> PdfBlock:
    return PdfBlock(block, top, top + 0.02, size)


def _page(number: int) -> list[tuple[float, float, float, str]]:
    body = [(72, 300 + 16 * n, 11, line) for n, line in enumerate(BODY)]
    return [(72, 40, 9, "Minutes of the committee"), *body, (290, 810, 9, f"Page {number} of 4")]


def _pages(*tops_and_texts: tuple[float, str]) -> list[PdfPage]:
    return [
        PdfPage(
            number,
            None,
            [_at(Block("paragraph", text.replace("#", str(number))), top, 10) for top, text in tops_and_texts],
        )
        for number in (1, 2, 3, 4)
    ]


def _texts(pages: list[PdfPage]) -> list[list[str]]:
    return [[entry.block.text for entry in page.blocks] for page in pages]


def test_headers_and_page_numbers_go_and_pages_stay(tmp_path: Path) -> None:
    path = tmp_path / "minutes.pdf"
    path.write_bytes(pdf([_page(number) for number in range(1, 5)]))
    found = pdf_content(path, ParserLimits(), None)
    blocks, pages = found.blocks, found.pages
    assert pages == 4
    assert [(block.page, block.text) for block in blocks] == [(page, " ".join(BODY)) for page in range(1, 5)]


def test_chinese_lines_are_joined_without_spaces(tmp_path: Path) -> None:
    path = tmp_path / "zh.pdf"
    path.write_bytes(pdf([[(72, 120, 11, "员工应当在三十日内提交所有"), (72, 136, 11, "票据，逾期不予报销。")]]))
    blocks = pdf_content(path, ParserLimits(), None).blocks
    assert [block.text for block in blocks] == ["员工应当在三十日内提交所有票据，逾期不予报销。"]


def test_what_repeats_in_the_middle_of_a_page_stays() -> None:
    assert _texts(without_running_lines(_pages((0.05, "Header"), (0.5, "Again"), (0.95, "- # -")))) == [["Again"]] * 4


def test_a_line_that_stands_on_two_pages_only_stays() -> None:
    pages = _pages((0.05, "Once"), (0.5, "text"))[:2]
    assert _texts(without_running_lines(pages)) == [["Once", "text"]] * 2


def test_the_first_lines_of_many_forms_are_text(tmp_path: Path) -> None:
    path = tmp_path / "invoices.pdf"
    forms = [(f"Invoice {number * number + 4711}", f"Total {97 * number} EUR, due soon") for number in range(1, 7)]
    path.write_bytes(pdf([[*text_page(*form), (280, 815, 9, f"Page {n} of 6")] for n, form in enumerate(forms, 1)]))
    blocks = pdf_content(path, ParserLimits(), None).blocks
    assert [(block.page, block.text) for block in blocks] == [(n, " ".join(form)) for n, form in enumerate(forms, 1)]


def test_lines_that_count_something_else_than_pages_stay() -> None:
    pages = [
        PdfPage(
            n, None, [_at(Block("paragraph", f"Order {n * n}"), 0.05, 10), _at(Block("paragraph", "text"), 0.5, 10)]
        )
        for n in range(1, 7)
    ]
    assert _texts(without_running_lines(pages)) == [[f"Order {n * n}", "text"] for n in range(1, 7)]


@pytest.mark.parametrize(
    "header",
    [
        "{chapter}. Rules, printed 3 May 2026",
        "Rules – {printed}",
        "© ACME 2014 {roman}",
    ],
)
def test_lines_that_count_pages_or_chapters_go(header: str) -> None:
    romans = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii"]
    pages = [
        PdfPage(
            n,
            None,
            [
                _at(Block("paragraph", header.format(chapter=n // 4, printed=n + 10, roman=romans[n - 1])), 0.05, 10),
                _at(Block("paragraph", "text"), 0.5, 10),
            ],
        )
        for n in range(1, 9)
    ]
    assert _texts(without_running_lines(pages)) == [["text"]] * 8


def test_chapter_names_beside_page_numbers_go_though_they_change() -> None:
    pages = [
        PdfPage(
            n,
            None,
            [
                _at(Block("heading", f"{n} Chapter {chr(64 + n)}", 4), 0.05, 10),
                _at(Block("paragraph", "text"), 0.5, 10),
            ],
        )
        for n in range(1, 7)
    ]
    assert _texts(without_running_lines(pages)) == [["text"]] * 6


def test_short_chinese_headings_are_found_by_their_size() -> None:
    found = [
        _at(Block("paragraph", "差旅管理办法"), 0.1, 22),
        _at(Block("paragraph", "住宿标准"), 0.2, 15),
        _at(Block("paragraph", "住宿费按标准报销。" * 9), 0.3, 11),
        _at(Block("paragraph", "大字写成的一句话。"), 0.4, 15),
        _at(Block("paragraph", "交通标准"), 0.5, 15.4),
    ]
    levels = [(block.kind, block.level) for block in with_headings(found, doubt=0.06)]
    assert levels == [("heading", 1), ("heading", 2), ("paragraph", 0), ("paragraph", 0), ("heading", 2)]


def test_numbers_order_headings_of_one_size() -> None:
    found = [_at(Block("heading", text, 6), 0.1, 12) for text in ("1 Scope", "1.1 Terms", "1.1.1 Person", "2 Duties")]
    assert [block.level for block in with_headings(found, doubt=0.06)] == [1, 2, 3, 1]


def test_a_heading_of_two_lines_is_one_and_numbered_ones_are_two() -> None:
    found = [
        _at(Block("heading", "Securing and protecting", 1), 0.1, 20),
        _at(Block("heading", "IBM data", 1), 0.125, 20),
        _at(Block("paragraph", "text " * 40), 0.2, 10),
        _at(Block("heading", "1 Scope", 2), 0.3, 14),
        _at(Block("heading", "2 Terms", 2), 0.325, 14),
        _at(Block("heading", "Apart", 2), 0.6, 14),
    ]
    headings = [block.text for block in with_headings(found, doubt=0.06) if block.kind == "heading"]
    assert headings == ["Securing and protecting IBM data", "1 Scope", "2 Terms", "Apart"]


def test_addresses_are_no_headings() -> None:
    found = [
        _at(Block("heading", "anna@example.org", 1), 0.1, 20),
        _at(Block("heading", "www.example.org", 1), 0.2, 20),
        _at(Block("heading", "Mail at night", 1), 0.3, 20),
    ]
    kinds = [block.kind for block in with_headings(found, doubt=0.06)]
    assert kinds == ["paragraph", "paragraph", "heading"]


def test_a_sentence_over_the_end_of_a_page_is_joined_and_the_rest_keeps_its_page(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    first = [
        (72, 90, 11, "Receipts must be handed in within thirty"),
        (72, 106, 11, "days after the journey has ended and with"),
    ]
    second = [(72, 90, 11, "all papers. Late claims are refused without"), (72, 106, 11, "any exception.")]
    path.write_bytes(pdf([first, second]))
    blocks = pdf_content(path, ParserLimits(), None).blocks
    assert [(block.page, block.text) for block in blocks] == [
        (1, "Receipts must be handed in within thirty days after the journey has ended and with all papers."),
        (2, "Late claims are refused without any exception."),
    ]


def test_asterisks_of_the_author_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf([[(72, 90, 11, "Compute 2*3*4 and ask a user with *ALLOBJ or *SECADM rights.")]]))
    blocks = pdf_content(path, ParserLimits(), None).blocks
    assert blocks[0].text == "Compute 2*3*4 and ask a user with *ALLOBJ or *SECADM rights."
