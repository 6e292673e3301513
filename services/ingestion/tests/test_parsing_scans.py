"""Scans and pictures of text: which pages go to the recogniser, and what becomes of what it finds."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from services.ingestion.tests.document_samples import pdf, png, scan, text_page
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.equipment import Equipment, ocr_is_installed
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.process import ParserProcess
from superagent_ingestion.adapters.parsing.rapid_ocr import RapidOcr
from superagent_ingestion.adapters.parsing.reading import Tools
from superagent_ingestion.adapters.parsing.recognition import Line, Recognised, regions
from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.rejection import DocumentRejected

LIMITS = ParserLimits()
SCAN = (Path(__file__).parent / "golden" / "scan.png").read_bytes()
needs_ocr = pytest.mark.skipif(
    not ocr_is_installed(), reason="the extra “ocr” is not installed, so no text is recognised"
)


def line(text: str, left: float, top: float, size: float = 20, confidence: float = 0.9) -> Line:
    return Line(text, confidence, left, top, left + len(text) * size / 2, top + size, size)


class ScriptedRecogniser:
    """Finds the given lines on one picture after the other."""

    name = "scripted 1"

    def __init__(self, *pages: Sequence[Line]) -> None:
        self._pages = list(pages)
        self.pictures: list[bytes] = []

    def read(self, picture: bytes) -> Recognised:
        self.pictures.append(picture)
        return Recognised(self._pages[len(self.pictures) - 1], 1000)


def _parse(folder: Path, name: str, content: bytes, tools: Tools, limits: ParserLimits = LIMITS) -> ParsedDocument:
    path = folder / "stored-object"
    path.write_bytes(content)
    return parse_document(path, name, limits, tools)


def test_only_pages_without_text_are_recognised_and_keep_their_numbers(tmp_path: Path) -> None:
    recogniser = ScriptedRecogniser(
        [line("Chapter of the second page", 100, 80, size=40), line("It was scanned.", 100, 300)],
        [line("And so was the fourth.", 100, 300, confidence=0.5)],
    )
    content = scan(SCAN, pages=4, text={1: "The first page is typed.", 3: "The third page is typed."})
    document = _parse(tmp_path, "mixed.pdf", content, Tools(recogniser))
    assert document.blocks == (
        Block("paragraph", "The first page is typed.", page=1),
        Block("heading", "Chapter of the second page", 1, 2),
        Block("paragraph", "It was scanned.", page=2),
        Block("paragraph", "The third page is typed.", page=3),
        Block("paragraph", "And so was the fourth.", page=4),
    )
    assert [picture[:8] for picture in recogniser.pictures] == [b"\x89PNG\r\n\x1a\n"] * 2
    assert (document.pages, document.ocr_pages, document.pages_without_text) == (4, 2, 0)
    assert document.ocr_confidence == round(100 * (41 * 0.9 + 22 * 0.5) / 63)
    assert document.parser.endswith(" and scripted 1")


def test_typed_pages_and_blank_ones_never_reach_the_recogniser(tmp_path: Path) -> None:
    recogniser = ScriptedRecogniser()
    content = pdf([text_page("This page has been typed and says a sentence."), []])
    document = _parse(tmp_path, "a.pdf", content, Tools(recogniser))
    assert recogniser.pictures == []
    assert (document.ocr_pages, document.ocr_confidence, document.pages_without_text) == (0, None, 1)


def test_a_page_that_says_little_stays_as_it_was_typed_when_no_more_is_recognised(tmp_path: Path) -> None:
    recogniser = ScriptedRecogniser([line("Tyqed", 100, 80)])
    document = _parse(tmp_path, "a.pdf", pdf([text_page("Typed")]), Tools(recogniser))
    assert [block.text for block in document.blocks] == ["Typed"]
    assert (len(recogniser.pictures), document.ocr_pages) == (1, 0)


def test_without_a_recogniser_a_scan_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DocumentRejected) as caught:
        _parse(tmp_path, "scan.pdf", scan(SCAN), Tools())
    assert caught.value.reason == "no_text"
    assert "the extra “ocr”" in caught.value.message


def test_without_a_recogniser_the_pages_of_a_document_that_are_scans_are_counted(tmp_path: Path) -> None:
    document = _parse(tmp_path, "mixed.pdf", scan(SCAN, pages=3, text={2: "Typed."}), Tools())
    assert (document.pages_without_text, document.ocr_pages, document.ocr_confidence) == (2, 0, None)


def test_a_scan_on_which_nothing_is_recognised_has_no_text(tmp_path: Path) -> None:
    with pytest.raises(DocumentRejected) as caught:
        _parse(tmp_path, "scan.pdf", scan(SCAN), Tools(ScriptedRecogniser([])))
    assert (caught.value.reason, caught.value.message) == (
        "no_text",
        "The file holds no text, and none was recognised in its pictures.",
    )


def test_more_scanned_pages_than_allowed_are_refused_before_any_is_read(tmp_path: Path) -> None:
    recogniser = ScriptedRecogniser()
    with pytest.raises(DocumentRejected) as caught:
        _parse(tmp_path, "scan.pdf", scan(SCAN, pages=4), Tools(recogniser), replace(LIMITS, ocr_pages=3))
    assert caught.value.reason == "too_large"
    assert caught.value.message == "4 pages of the PDF are scans; the text of at most 3 is recognised."
    assert recogniser.pictures == []


def test_a_picture_without_a_recogniser_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DocumentRejected) as caught:
        _parse(tmp_path, "photo.png", png(), Tools())
    assert caught.value.reason == "unsupported_format"
    assert "PNG picture" in caught.value.message
    assert "the extra “ocr”" in caught.value.message


def test_columns_are_read_one_after_the_other_between_lines_across() -> None:
    left = [line(f"left column line {n} of text", 50, 200 + 30 * n) for n in range(5)]
    right = [line(f"right column line {n} of text", 450, 200 + 30 * n) for n in range(5)]
    title = line("A title that runs across both of the columns of the page", 100, 80)
    foot = line("A footnote that runs across both of the columns of the page", 100, 600)
    texts = [region.block.text for region in regions([foot, *right, *left, title], 1)]
    assert texts == [
        title.text,
        " ".join(item.text for item in left),
        " ".join(item.text for item in right),
        foot.text,
    ]


def test_rows_of_short_cells_are_read_across() -> None:
    cells = [line(text, x, 100 + 60 * row) for row in range(5) for x, text in ((50, f"city{row}"), (300, f"{row}00"))]
    assert [region.block.text for region in regions(cells, 1)] == [f"city{row} {row}00" for row in range(5)]


def test_paragraphs_end_at_gaps_and_chinese_lines_are_joined_without_spaces() -> None:
    lines = [line("出差前应当取得", 50, 100), line("部门主管的批准。", 50, 126), line("住宿费按标准报销。", 50, 180)]
    assert [region.block.text for region in regions(lines, 1)] == [
        "出差前应当取得部门主管的批准。",
        "住宿费按标准报销。",
    ]


def test_bullets_become_list_items() -> None:
    assert [region.block for region in regions([line("• Scan it.", 50, 100), line("• Send it.", 50, 126)], 3)] == [
        Block("list", "- Scan it.", page=3),
        Block("list", "- Send it.", page=3),
    ]


@needs_ocr
async def test_a_scan_in_both_languages_is_read_in_the_parser_process(tmp_path: Path) -> None:
    path = tmp_path / "object"
    path.write_bytes(scan(SCAN, pages=2, text={1: "The first page is typed."}))
    parser = ParserProcess(replace(LIMITS, ocr_seconds=300), Equipment(ocr=True))
    try:
        document = await parser.parse(path, "scan.pdf")
        assert parser.pid is None, "a process that holds the models is not kept"
    finally:
        await parser.aclose()
    assert [(block.kind, block.text) for block in document.blocks[1:]] == _WHAT_THE_SCAN_SAYS
    assert {block.page for block in document.blocks[1:]} == {2}
    assert document.ocr_pages == 1
    assert document.ocr_confidence is not None and document.ocr_confidence > 90


@needs_ocr
@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_picture_is_read_however_it_is_turned(tmp_path: Path, quarters: int) -> None:
    document = _parse(tmp_path, "scan.png", _turned(SCAN, quarters), Tools(RapidOcr(lambda: None)))
    assert [(block.kind, block.text) for block in document.blocks] == _WHAT_THE_SCAN_SAYS
    assert (document.media_type, document.pages, document.title) == ("image/png", 1, "差旅管理办法")


@needs_ocr
@pytest.mark.parametrize("kind", ["jpeg", "tiff", "bmp", "webp"])
def test_pictures_of_other_kinds_are_opened(tmp_path: Path, kind: str) -> None:
    recogniser = ScriptedRecogniser(*[[line(f"page {n}", 50, 100)] for n in (1, 2)])
    document = _parse(tmp_path, "scan", _saved_as(kind), Tools(recogniser))
    pages = 2 if kind == "tiff" else 1
    assert [(block.text, block.page) for block in document.blocks] == [(f"page {n}", n) for n in range(1, pages + 1)]


@needs_ocr
@pytest.mark.parametrize(
    ("content", "limits", "reason"),
    [
        (SCAN[:2000], LIMITS, "unreadable"),
        (SCAN, replace(LIMITS, picture_pixels=1000), "too_large"),
    ],
)
def test_damaged_and_enormous_pictures_are_refused(
    tmp_path: Path, content: bytes, limits: ParserLimits, reason: str
) -> None:
    with pytest.raises(DocumentRejected) as caught:
        _parse(tmp_path, "scan.png", content, Tools(ScriptedRecogniser([])), limits)
    assert caught.value.reason == reason


_WHAT_THE_SCAN_SAYS = [
    ("heading", "差旅管理办法"),
    ("paragraph", "本办法适用于全体员工。出差前应当取得部门主管的批准，住宿费按标准报销，超出部分由本人自理。"),
    ("heading", "Submitting claims"),
    ("paragraph", "Receipts must be handed in within thirty days of the journey. Late claims are refused."),
]


def _turned(picture: bytes, quarters: int) -> bytes:
    return _edited(picture, "png", lambda image: image.rotate(90 * quarters, expand=True))


def _saved_as(kind: str) -> bytes:
    more = {"save_all": True, "append_images": [_opened(SCAN)]} if kind == "tiff" else {}
    return _edited(SCAN, kind, lambda image: image, **more)


def _opened(picture: bytes) -> Any:
    # Comes with the extra.
    from PIL import Image

    return Image.open(io.BytesIO(picture)).convert("L")


def _edited(picture: bytes, kind: str, edit: Callable[[Any], Any], **more: object) -> bytes:
    buffer = io.BytesIO()
    edit(_opened(picture)).save(buffer, kind, **more)
    return buffer.getvalue()
