"""Headings of a PDF, by the size of their type.

liteparse finds headings of several words in a large face, but takes "住宿标准" and "Lodging" for paragraphs, and its levels
count every size on the title page. So headings are completed and all levels given anew here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from superagent_ingestion.adapters.parsing.cleaning import join_lines
from superagent_ingestion.adapters.parsing.pdf_pages import PdfBlock
from superagent_ingestion.domain.blocks import Block

_LEVELS = 5
_LONGEST = 60
_SENTENCE_END = re.compile(r"[.。,，;；、…]$")
_STOP = re.compile(r"[.。:：?？!！]$")
_ADDRESS = re.compile(r"\S@\S+\.\w|^(?:https?://|www\.)\S+$|^[\w.-]+\.(?:com|org|net|edu|gov|cn|de)(?:/\S*)?$")
# Between the lines of one heading, as a share of its height; a line that begins small goes on over more.
_LINE_GAP = 0.6
_LETTER = re.compile(r"[^\W\d_]")
_CHAPTER = re.compile(r"第[0-9零〇一二三四五六七八九十百]{1,5}[编篇章节](?:\s.*|$)")
_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\D")


def with_headings(found: Sequence[PdfBlock], *, doubt: float) -> list[Block]:
    """doubt: how far apart, as a share, two measures of the same size may lie; a heading must exceed running text by
    twice as much.
    """
    body = _body_size(found)
    headings = [index for index, entry in enumerate(found) if _is_heading(entry, body * (1 + 2 * doubt))]
    levels = dict(zip(headings, _levels([found[index] for index in headings], doubt), strict=True))
    blocks: list[Block] = []
    for index, entry in enumerate(found):
        block = entry.block
        if index not in levels:
            # What the layout took for a heading and is none.
            blocks.append(block if block.kind != "heading" else Block("paragraph", block.text, page=block.page))
        elif levels.get(index - 1) == levels[index] and _wraps(found[index - 1], entry):
            blocks[-1] = replace(blocks[-1], text=join_lines([blocks[-1].text, block.text]))
        else:
            blocks.append(Block("heading", block.text, levels[index], block.page))
    return blocks


def _wraps(before: PdfBlock, entry: PdfBlock) -> bool:
    """Whether a heading goes on in the next line: close below, of the same page, and not numbered as a new one."""
    height = max(before.bottom - before.top, 0.0)
    gap = _LINE_GAP if not entry.block.text[0].islower() else 3 * _LINE_GAP
    near = before.block.page == entry.block.page and 0 <= entry.top - before.top <= height + gap * height
    numbered = _NUMBER.match(entry.block.text) or _CHAPTER.match(entry.block.text)
    return near and height > 0 and not numbered and not _STOP.search(before.block.text)


def _is_heading(entry: PdfBlock, smallest: float) -> bool:
    block = entry.block
    if block.kind not in ("paragraph", "heading") or _ADDRESS.search(block.text):
        return False
    if block.kind == "heading":
        return True
    if len(block.text) > _LONGEST or _SENTENCE_END.search(block.text) or not _LETTER.search(block.text):
        return False
    return bool(_CHAPTER.match(block.text)) or (smallest > 0 and entry.size >= smallest)


def _body_size(found: Sequence[PdfBlock]) -> float:
    """The size most of the running text has."""
    sizes: Counter[float] = Counter()
    for entry in found:
        if entry.block.kind in ("paragraph", "list") and entry.size > 0:
            sizes[round(entry.size * 2) / 2] += len(entry.block.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def _levels(headings: Sequence[PdfBlock], doubt: float) -> list[int]:
    """The largest size is level 1; of headings of one size, 1.2.3 lies below 1.2."""
    floors = _floors([entry.size for entry in headings], doubt)
    ranks = [next(rank for rank, floor in enumerate(floors) if entry.size >= floor) for entry in headings]
    depths = [_depth(entry.block.text) for entry in headings]
    shallowest: dict[int, int] = {}
    for rank, depth in zip(ranks, depths, strict=True):
        if depth:
            shallowest[rank] = min(depth, shallowest.get(rank, depth))
    return [
        min(6, 1 + rank + (depth - shallowest[rank] if depth else 0)) for rank, depth in zip(ranks, depths, strict=True)
    ]


def _floors(sizes: Sequence[float], doubt: float) -> list[float]:
    """The smallest size of each level, in falling order. The rarest sizes (of title pages) share a level with the next
    until few enough are left.
    """
    groups: list[list[float]] = []
    for size in sorted(sizes, reverse=True):
        if groups and size >= groups[-1][0] * (1 - doubt):
            groups[-1].append(size)
        else:
            groups.append([size])
    while len(groups) > _LEVELS:
        rarest = min(range(len(groups)), key=lambda index: len(groups[index]))
        neighbours = [index for index in (rarest - 1, rarest + 1) if 0 <= index < len(groups)]
        nearest = min(neighbours, key=lambda index: abs(groups[index][0] - groups[rarest][0]))
        low, high = sorted((rarest, nearest))
        groups[low : high + 1] = [groups[low] + groups[high]]
    return [group[-1] for group in groups]


def _depth(heading: str) -> int:
    number = _NUMBER.match(heading)
    return number.group(1).count(".") + 1 if number else 0
