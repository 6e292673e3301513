"""PDF with a text layer → blocks, by the layout analysis of liteparse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from liteparse import LayoutBlock, LiteParse, ParsedPage, ParseError

from superagent_ingestion.adapters.parsing.cleaning import clean, one_line, without_spaces_between_han
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.running_lines import PageText, without_running_lines
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

# Pages in memory at once; liteparse ranks heading sizes within a batch, so most documents should be one batch.
_BATCH = 500
_LONGEST_HEADING = 200
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~<>$])")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=\S)(.+?)(?<=\S)\1(?![\w*])")
_FORMULA = re.compile(r"(\$[^$\n]+\$)")
_UNMAPPED = re.compile("[\x00-\x08\x0e-\x1f\ufffd]")
_ENDS_OPEN = re.compile(r"[\w,;，、；\-–—(（]$")
_CONTINUES = re.compile(r"^(?:[a-z]|[\u3400-\u9fff])")
_HAN_END = re.compile(r"[\u3400-\u9fff，、；]$")
_SMALLEST_PDF = b"""%PDF-1.0
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
"""


def pdf_blocks(path: Path, limits: ParserLimits) -> tuple[list[Block], int]:
    """Blocks and the number of pages. Running headers and footers are left out.

    Raises DocumentRejected: encrypted, too_large (pages) or unreadable. A PDF without a text layer gives no blocks.
    """
    parser = LiteParse(
        ocr_enabled=False,
        output_format="markdown",
        image_mode="off",
        extract_links=False,
        extract_blocks=True,
        continue_on_page_error=True,
        max_pages=limits.pages,
        num_workers=1,
        quiet=True,
    )
    pages: list[PageText] = []
    total = 0
    try:
        for batch in parser.parse_batches(path, _BATCH):
            total = batch.total_pages
            if total > limits.pages:
                raise DocumentRejected("too_large", f"The PDF has {total:,} pages; at most {limits.pages:,} are read.")
            pages.extend(_page(page) for page in batch.result.pages)
    except ParseError as error:
        if "password" in str(error):
            raise DocumentRejected(
                "encrypted", "The PDF needs a password to be opened; save it without one first."
            ) from error
        raise DocumentRejected("unreadable", "The PDF is damaged: it cannot be opened.") from error
    return [block for page in without_running_lines(pages) for block in _joined(page.blocks)], total


def _page(page: ParsedPage) -> PageText:
    blocks: list[Block] = []
    tops: list[float] = []
    for found in page.blocks or ():
        for block in _blocks(found, page.page_num):
            blocks.append(block)
            tops.append(found.bbox.y / page.height if found.bbox and page.height else 0.5)
    if not blocks and page.text.strip():
        text = _unmarked(page.text)
        parts = (one_line(part) for part in re.split(r"\n\s*\n", text))
        blocks = [Block("paragraph", part, page=page.page_num) for part in parts if part]
        tops = [0.5] * len(blocks)
    return PageText(page.page_num, page.page_label, blocks, tops)


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
    """List items become one list; a paragraph that stops in mid-sentence goes on in the next one (columns, fonts)."""
    waiting: Block | None = None
    for block in blocks:
        if waiting is None:
            waiting = block
        elif waiting.kind == block.kind == "list":
            waiting = Block("list", f"{waiting.text}\n{block.text}", page=block.page)
        elif block.kind == "paragraph" and _goes_on(waiting, block.text):
            waiting = Block("paragraph", _join(waiting.text, block.text), page=block.page)
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


def _join(before: str, after: str) -> str:
    return without_spaces_between_han(f"{before} {after}")


def _unmarked(text: str) -> str:
    """Without the Markdown that liteparse puts around emphasis and before special characters; formulas stay TeX."""
    parts = _FORMULA.split(text)
    parts[::2] = (_ESCAPED.sub(r"\1", _EMPHASIS.sub(r"\2", part)) for part in parts[::2])
    return without_spaces_between_han(clean("".join(parts)))


def _is_unreadable(text: str) -> bool:
    """Glyphs of a font that does not say which characters they are."""
    return len(_UNMAPPED.findall(text)) > 0.1 * len(text)


def wake() -> None:
    """Loads PDFium, which otherwise happens with the first document."""
    try:
        LiteParse(ocr_enabled=False, quiet=True).parse(_SMALLEST_PDF)
    except ParseError as error:
        raise RuntimeError("liteparse cannot read the smallest PDF") from error
