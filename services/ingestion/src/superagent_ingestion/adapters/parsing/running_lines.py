"""Headers, footers and page numbers that repeat on the pages of a PDF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from superagent_ingestion.adapters.parsing.pdf_pages import PdfPage
from superagent_ingestion.domain.blocks import Block

_EDGE_BLOCKS = 2
_TOP, _BOTTOM = 0.15, 0.8
_LONGEST = 150
_SEEN = 3
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"[-–—|·•\s]*(?:page|seite|p\.|第)?\s*(?:\d{1,5}|[ivxlc]{1,7})\s*(?:页|頁)?"
    r"(?:\s*(?:/|of|von|共)\s*\d{1,5}\s*(?:页|頁)?)?[-–—|·•\s]*",
    re.IGNORECASE,
)


def without_running_lines(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """Drops, among the first and last two blocks of a page and only near its edge:

    bare page numbers; what stands on three or more pages alike but for its digits (a heading on half of the pages, for
    short reports repeat their headings); and, where most pages have one, every line that begins or ends with the number
    of its page (chapter names that change).
    """
    seen: Counter[str] = Counter()
    numbered = 0
    for page in pages:
        seen.update({_pattern(page.blocks[index].block) for index in _edges(page)})
        numbered += any(_has_own_number(page, page.blocks[index].block.text) for index in _edges(page))
    all_numbered = numbered >= max(_SEEN, len(pages) / 2)
    kept: list[PdfPage] = []
    for page in pages:
        dropped = {
            index
            for index in _edges(page)
            if _is_running(page.blocks[index].block, seen, len(pages))
            or (all_numbered and _has_own_number(page, page.blocks[index].block.text))
        }
        kept.append(replace(page, blocks=[entry for i, entry in enumerate(page.blocks) if i not in dropped]))
    return kept


def _has_own_number(page: PdfPage, text: str) -> bool:
    words = text.split()
    return bool(words) and bool({words[0], words[-1]} & {page.label, str(page.number)})


def _edges(page: PdfPage) -> Iterator[int]:
    count = len(page.blocks)
    for index, entry in enumerate(page.blocks):
        block, top = entry.block, entry.top
        first, last = index < _EDGE_BLOCKS and top <= _TOP, index >= count - _EDGE_BLOCKS and top >= _BOTTOM
        if (first or last) and block.kind in ("paragraph", "heading", "list", "image") and len(block.text) <= _LONGEST:
            yield index


def _is_running(block: Block, seen: Counter[str], pages: int) -> bool:
    if _PAGE_NUMBER.fullmatch(block.text):
        return True
    times = seen[_pattern(block)]
    return times >= (max(_SEEN, pages / 2) if block.kind == "heading" else _SEEN)


def _pattern(block: Block) -> str:
    return f"{block.kind == 'heading'} {_DIGITS.sub('#', block.text).strip()}"
