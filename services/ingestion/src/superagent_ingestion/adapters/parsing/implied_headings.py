"""Headings of authors who never use a heading style: short lines in bold, and lines that number chapters.

Only for documents that have next to no real headings; there, a bold line is an emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from superagent_ingestion.domain.blocks import Block

# Further apart than this on average, headings do not tell what a passage is about.
_FAR_APART = 20_000
_LONGEST = 120
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_END = re.compile(r"[.。,，;；:：、!！]$")
_HAN = r"[0-9零〇一二三四五六七八九十百]{1,5}"
# In falling order; what a document does not use takes no level.
_RANKS = (
    re.compile(r"(?:part|volume|book)\s+(?:\d+|[IVXLC]+)\b.*", re.IGNORECASE),
    re.compile(rf"第{_HAN}[部卷篇编](?:[\s:：].*)?"),
    re.compile(r"(?:chapter|item|article|section)\s+\d{1,3}[A-Z]?\b.*", re.IGNORECASE),
    re.compile(rf"第{_HAN}章(?:[\s:：].*)?"),
    re.compile(rf"第{_HAN}节(?:[\s:：].*)?"),
    re.compile(r"[一二三四五六七八九十]{1,3}、\s*\S.*"),
    re.compile(r"[（(][一二三四五六七八九十]{1,3}[）)]\s*\S.*"),
)
_OPENING, _MERELY_BOLD = -1, len(_RANKS)
# Where more than this share of the blocks is bold, bold means nothing.
_MOST = 0.3


def with_implied_headings(blocks: Sequence[Block], emphasised: Collection[int]) -> list[Block]:
    """The blocks, some paragraphs turned into headings. `emphasised`: places of the blocks that are bold throughout."""
    headings = [block for block in blocks if block.kind == "heading"]
    if len(headings) * _FAR_APART > sum(len(block.text) for block in blocks):
        return list(blocks)
    ranks: dict[int, int] = {}
    for at, block in enumerate(blocks):
        rank = _rank(block, at in emphasised, at)
        if rank is not None:
            ranks[at] = rank
    if len(ranks) > _MOST * len(blocks):
        return list(blocks)
    above = max((block.level for block in headings if block.level < 3), default=0)
    levels = {rank: min(above + level, 6) for level, rank in enumerate(sorted(set(ranks.values())), 1)}
    return [
        replace(block, kind="heading", level=levels[ranks[at]]) if at in ranks else block
        for at, block in enumerate(blocks)
    ]


def _rank(block: Block, is_bold: bool, at: int) -> int | None:
    text = block.text
    if block.kind != "paragraph" or "\n" in text or len(text) > _LONGEST or not _LETTER.search(text):
        return None
    if _SENTENCE_END.search(text):
        return None
    for rank, pattern in enumerate(_RANKS):
        if pattern.fullmatch(text):
            # English prose begins with "Section 5 says", Chinese with no such thing.
            return rank if is_bold or not text[0].isascii() else None
    if not is_bold:
        return None
    return _OPENING if at == 0 else _MERELY_BOLD
