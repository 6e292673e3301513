"""PDF with a text layer → blocks, by the layout analysis of liteparse."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from liteparse import LayoutBlock, LiteParse, ParsedPage, ParseError, TextItem

from superagent_ingestion.adapters.parsing.cleaning import clean, one_line, without_spaces_between_han
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.pdf_headings import with_headings
from superagent_ingestion.adapters.parsing.pdf_pages import PdfBlock, PdfPage
from superagent_ingestion.adapters.parsing.pdf_scans import recognised_pages
from superagent_ingestion.adapters.parsing.recognition import Confidence, Recogniser
from superagent_ingestion.adapters.parsing.running_lines import without_running_lines
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.chunking.sentences import sentence_starts
from superagent_ingestion.domain.rejection import DocumentRejected

# Pages in memory at once: a page with its glyphs takes about 300 kB.
_BATCH = 100
_LONGEST_HEADING = 200
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~<>$])")
# An asterisk of the author's own comes escaped.
_EMPHASIS = re.compile(r"(?<![\\*])(\*{1,3})(?=\S)(.+?)(?<=[^\s\\])\1(?!\*)", re.DOTALL)
_FORMULA = re.compile(r"\$[^$\n]+\$")
_FORMULA_PLACE = re.compile("\ue000(\\d+)\ue001")
_UNMAPPED = re.compile("[\x00-\x08\x0e-\x1f\ufffd]")
_ENDS_OPEN = re.compile(r"[\w,;，、；\-–—(（]$")
_CONTINUES = re.compile(r"^(?:[a-z]|[\u3400-\u9fff])")
_HAN_END = re.compile(r"[\u3400-\u9fff，、；]$")
_SMALLEST_TYPE = 4.0
# A page with so much text, in characters, is no scan; looking closer costs as much as reading it.
_MUCH_TEXT = 200
# How exactly the size of recognised type is known.
_RECOGNISED_DOUBT = 0.15
_SMALLEST_PDF = b"""%PDF-1.0
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
"""


@dataclass(frozen=True, slots=True)
class _Measure:
    """How to tell the size of type, and by which share it may be wrong."""

    size_of: Callable[[TextItem], float]
    doubt: float


@dataclass(frozen=True, slots=True)
class PdfContent:
    """textless: pages that say nothing. recognised: pages that only the recogniser could read."""

    blocks: list[Block]
    pages: int
    textless: int
    recognised: Confidence


def pdf_content(path: Path, limits: ParserLimits, recogniser: Recogniser | None) -> PdfContent:
    """What the PDF says, without running headers and footers. Without a text layer and a recogniser it says nothing.

    Raises DocumentRejected: encrypted, too_large (pages) or unreadable.
    """
    parser = LiteParse(
        ocr_enabled=False,
        output_format="markdown",
        image_mode="off",
        extract_links=False,
        extract_blocks=True,
        # Its own removal takes first lines that differ in a number from page to page: of forms, that is their text.
        keep_headers_footers=True,
        continue_on_page_error=True,
        max_pages=limits.pages,
        num_workers=1,
        quiet=True,
    )
    pages: list[PdfPage] = []
    total = 0
    measure: _Measure | None = None
    recognised, confidence = {}, Confidence()
    try:
        # By content: a path would be judged by its suffix.
        for batch in parser.parse_batches(path.read_bytes(), _BATCH):
            total = batch.total_pages
            if total > limits.pages:
                raise DocumentRejected("too_large", f"The PDF has {total:,} pages; at most {limits.pages:,} are read.")
            measure = measure or _measure_for(batch.result.pages)
            pages.extend(_page(page, measure) for page in batch.result.pages)
        if recogniser is not None:
            candidates = [page for page in pages if page.length < _MUCH_TEXT]
            scans, confidence = recognised_pages(path, candidates, recogniser, limits)
            recognised = {page.number: page for page in scans}
    except ParseError as error:
        if "password" in str(error):
            raise DocumentRejected(
                "encrypted", "The PDF needs a password to be opened; save it without one first."
            ) from error
        raise DocumentRejected("unreadable", "The PDF is damaged: it cannot be opened.") from error
    pages = without_running_lines([recognised.get(page.number, page) for page in pages])
    textless = sum(not page.blocks for page in pages)
    typed = [entry for page in pages if page.number not in recognised for entry in page.blocks]
    read = [entry for page in pages if page.number in recognised for entry in page.blocks]
    blocks = with_headings(typed, doubt=measure.doubt if measure else 0.0)
    blocks += with_headings(read, doubt=_RECOGNISED_DOUBT)
    blocks.sort(key=lambda block: block.page or 0)
    return PdfContent(list(_joined(blocks)), total, textless, confidence)


def _page(page: ParsedPage, measure: _Measure) -> PdfPage:
    items = [item for item in page.text_items if not item.rotation]
    blocks = [
        PdfBlock(block, *_extent(found, page), _size(found, items, measure))
        for found in page.blocks or ()
        for block in _blocks(found, page.page_num)
    ]
    if not blocks:
        parts = (one_line(part) for part in re.split(r"\n\s*\n", _unmarked(page.text)))
        blocks = [PdfBlock(Block("paragraph", part, page=page.page_num), 0.5, 0.5, 0.0) for part in parts if part]
    return PdfPage(page.page_num, page.page_label, blocks)


def _extent(found: LayoutBlock, page: ParsedPage) -> tuple[float, float]:
    """Where a block begins and ends, as shares of the page's height."""
    if found.bbox is None or not page.height:
        return 0.5, 0.5
    return found.bbox.y / page.height, (found.bbox.y + found.bbox.height) / page.height


def _measure_for(pages: Sequence[ParsedPage]) -> _Measure:
    """Some PDFs set every face at size 1 and scale the page; then only the height of the glyphs tells."""
    sizes = [item.font_size or 0 for page in pages for item in page.text_items]
    in_points = sum(size > _SMALLEST_TYPE for size in sizes) > 0.9 * len(sizes)
    return _Measure(lambda item: item.font_size or 0.0, 0.06) if in_points else _Measure(lambda item: item.height, 0.13)


def _size(found: LayoutBlock, items: Sequence[TextItem], measure: _Measure) -> float:
    """The size that most characters of the block have."""
    if found.bbox is None or found.kind not in ("heading", "paragraph", "list_item", "code"):
        return 0.0
    left, top = found.bbox.x - 1, found.bbox.y - 1
    right, bottom = left + found.bbox.width + 2, top + found.bbox.height + 2
    sizes: Counter[float] = Counter()
    for item in items:
        if top <= item.y + item.height / 2 <= bottom and left <= item.x + item.width / 2 <= right:
            sizes[round(measure.size_of(item), 1)] += len(item.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def _blocks(found: LayoutBlock, page: int) -> Iterator[Block]:
    if found.kind == "table":
        rows = [*([found.header] if found.header else []), *(found.rows or [])]
        block = table_block([[_unmarked(cell.text) for cell in row] for row in rows], page)
        if block is not None:
            yield block
        return
    lines = found.lines if found.lines is not None else [found.text or ""]
    if _is_unreadable("".join(lines)):
        return
    # One line of code is most often a name in a typewriter face, or prose in a font that looks like one.
    if found.kind == "code" and len(lines) > 1:
        yield Block("code", clean("\n".join(lines)).strip("\n"), page=page)
        return
    text = one_line(_unmarked("\n".join(lines)))
    if not text:
        return
    match found.kind:
        case "heading" if len(text) <= _LONGEST_HEADING:
            yield Block("heading", text, min(max(found.level or 1, 1), 6), page)
        case "list_item":
            marker = f"{found.marker} " if found.ordered and found.marker else "- "
            yield Block("list", "  " * (found.level or 0) + marker + text, page=page)
        case _:
            yield Block("paragraph", text, page=page)


def _joined(blocks: Sequence[Block]) -> Iterator[Block]:
    """List items become one list; a paragraph that stops in mid-sentence goes on in the next one (columns, fonts).

    Over the end of a page only the broken sentence is joined, so that every page keeps what is on it.
    """
    waiting: Block | None = None
    for block in blocks:
        if waiting is None:
            waiting = block
        elif waiting.kind == block.kind == "list" and waiting.page == block.page:
            waiting = replace(waiting, text=f"{waiting.text}\n{block.text}")
        elif block.kind == "paragraph" and _goes_on(waiting, block.text):
            end = len(block.text) if waiting.page == block.page else _first_sentence_end(block.text)
            waiting = Block("paragraph", _join(waiting.text, block.text[:end].rstrip()), page=waiting.page)
            if end < len(block.text):
                yield waiting
                waiting = replace(block, text=block.text[end:])
        else:
            yield waiting
            waiting = block
    if waiting is not None:
        yield waiting


def _goes_on(before: Block, text: str) -> bool:
    if before.kind == "heading":
        return text[0].islower() and before.level > 1
    if before.kind != "paragraph" or not _ENDS_OPEN.search(before.text) or not _CONTINUES.search(text):
        return False
    return text[0].islower() or bool(_HAN_END.search(before.text) and len(before.text) > 20)


def _first_sentence_end(text: str) -> int:
    return (*sentence_starts(text, 0, len(text)), len(text))[1]


def _join(before: str, after: str) -> str:
    return without_spaces_between_han(f"{before} {after}")


def _unmarked(text: str) -> str:
    """Without the Markdown that liteparse puts around emphasis and before special characters; formulas stay TeX."""
    formulas: list[str] = []

    def place(formula: re.Match[str]) -> str:
        formulas.append(formula.group())
        return f"\ue000{len(formulas) - 1}\ue001"

    plain = _ESCAPED.sub(r"\1", _EMPHASIS.sub(r"\2", _FORMULA.sub(place, text)))
    restored = _FORMULA_PLACE.sub(lambda found: formulas[int(found.group(1))] if formulas else "", plain)
    return without_spaces_between_han(clean(restored))


def _is_unreadable(text: str) -> bool:
    """Glyphs of a font that does not say which characters they are."""
    return len(_UNMAPPED.findall(text)) > 0.1 * len(text)


def wake() -> None:
    """Loads PDFium, which otherwise happens with the first document."""
    try:
        LiteParse(ocr_enabled=False, quiet=True).parse(_SMALLEST_PDF)
    except ParseError as error:
        raise RuntimeError("liteparse cannot read the smallest PDF") from error
