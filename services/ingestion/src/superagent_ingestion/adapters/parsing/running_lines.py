"""Headers, footers and page numbers that repeat on the pages of a PDF."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from superagent_ingestion.adapters.parsing.pdf_pages import PdfPage
from superagent_ingestion.domain.blocks import Block

_Numbers = tuple[int, ...]
_Pattern = tuple[bool, str]
_EDGE_BLOCKS = 2
_TOP, _BOTTOM = 0.15, 0.8
_LONGEST = 150
_SEEN = 3
_NUMBER = re.compile(r"\d+|^[ivxlc]{1,7}\b|\b[ivxlc]{1,7}$")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_PAGE_NUMBER = re.compile(
    r"[-–—|·•\s]*(?:page|seite|p\.|第)?\s*(?:\d{1,5}|[ivxlc]{1,7})\s*(?:页|頁)?"
    r"(?:\s*(?:/|of|von|共)\s*\d{1,5}\s*(?:页|頁)?)?[-–—|·•\s]*",
    re.IGNORECASE,
)


def without_running_lines(pages: Sequence[PdfPage]) -> list[PdfPage]:
    """Drops, among the first and last two blocks of a page and only near its edge:

    bare page numbers; what stands on three or more pages alike but for numbers that count pages or come again (a
    heading on half of the pages, for short reports repeat their headings); and, where most pages have one, every line
    that begins or ends with the number of its page (chapter names that change).
    """
    alike: defaultdict[_Pattern, dict[int, _Numbers]] = defaultdict(dict)
    numbered = 0
    for page in pages:
        for index in _edges(page):
            text = page.blocks[index].block.text
            alike[_pattern(page.blocks[index].block)][page.number] = tuple(map(_value, _NUMBER.findall(text)))
        numbered += any(_has_own_number(page, page.blocks[index].block.text) for index in _edges(page))
    seen = {pattern: len(numbers) for pattern, numbers in alike.items() if _count_pages_or_repeat(numbers)}
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


def _count_pages_or_repeat(numbers: Mapping[int, _Numbers]) -> bool:
    """Whether lines that are alike but for their numbers, by page, are not of the text as the first line of each of many
    forms is ("Invoice 4711 of 3 May"): each number counts up with the pages, or has few values (a chapter, a date)."""
    for column in zip(*numbers.values(), strict=True):
        offsets = Counter(value - page for page, value in zip(numbers, column, strict=True))
        if offsets.most_common(1)[0][1] < len(column) / 2 and len(set(column)) > max(1, len(column) / 2):
            return False
    return True


def _is_running(block: Block, seen: Mapping[_Pattern, int], pages: int) -> bool:
    if _PAGE_NUMBER.fullmatch(block.text):
        return True
    times = seen.get(_pattern(block), 0)
    return times >= (max(_SEEN, pages / 2) if block.kind == "heading" else _SEEN)


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    letters = [_ROMAN[letter] for letter in number]
    return sum(-one if one < after else one for one, after in zip(letters, [*letters[1:], 0], strict=True))


def _pattern(block: Block) -> tuple[bool, str]:
    """What lines that are alike share; no text has the character that stands for its numbers."""
    return block.kind == "heading", _NUMBER.sub("\0", block.text).strip()
