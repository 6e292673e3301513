"""The smallest pieces a chunk is made of, and what kind of cut lies before each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from superagent_ingestion.domain.chunking.outline import Layout, PlacedBlock
from superagent_ingestion.domain.chunking.sentences import sentence_starts

_CAPTION_LENGTH = 120
_SENTENCE_ENDS = (".", "。", "!", "！", "?", "？", ";", "；", "…")
_LINE = re.compile(r"[^\n]*(?:\n+|$)")
_WORD_BREAKS = (
    re.compile(r"[\n\t]+"),
    re.compile(r"[；;：:，,、|]+\s*"),
    re.compile(r"\s+|(?<=[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef])"),
)


class Cut(IntEnum):
    """From the most natural to the worst."""

    SECTION = 0
    PARAGRAPH = 1
    LINE = 2
    SENTENCE = 3
    WORD = 4


@dataclass(frozen=True, slots=True)
class Atom:
    """text[start:end] of block number `block`; atoms tile the text.

    cut: what is cut when a chunk begins here. glued: it should not, for the piece before is only complete with this
    one (a heading and its first sentence). header: (start, end) of the table header to repeat when it does.
    topic: how much the topic changes there; 0 where it does not, or nobody looked.
    """

    start: int
    end: int
    block: int
    cut: Cut
    glued: bool = False
    header: tuple[int, int] | None = None
    topic: float = 0.0

    @property
    def header_length(self) -> int:
        return self.header[1] - self.header[0] if self.header else 0


def atoms_of(layout: Layout, longest_header: int) -> list[Atom]:
    """Sentences, list items, code lines and table rows. A table header longer than `longest_header` is not repeated."""
    atoms: list[Atom] = []
    glue_next = False
    for number, placed in enumerate(layout.placed):
        for atom in _atoms_of_block(layout.text, number, placed, longest_header):
            atoms.append(replace(atom, glued=True) if glue_next else atom)
            glue_next = False
        following = layout.placed[number + 1] if number + 1 < len(layout.placed) else None
        glue_next = following is not None and _introduces(placed, following)
    return atoms


def split_long(text: str, atoms: Sequence[Atom], longest: int) -> list[Atom]:
    """Cuts atoms longer than `longest` characters at words, else anywhere.

    A table row must fit beside its header, but always gets half the room: a wide table would fall to crumbs.
    """
    pieces: list[Atom] = []
    for atom in atoms:
        room = max(longest - atom.header_length, longest // 2)
        if atom.end - atom.start <= room:
            pieces.append(atom)
            continue
        start = atom.start
        while start < atom.end:
            end = atom.end if atom.end - start <= room else _best_break(text, start, start + room)
            if start == atom.start:
                pieces.append(replace(atom, end=end))
            else:
                pieces.append(replace(atom, start=start, end=end, cut=Cut.WORD, glued=False, topic=0.0))
            start = end
    return pieces


def _atoms_of_block(text: str, number: int, placed: PlacedBlock, longest_header: int) -> Iterator[Atom]:
    first = Cut.SECTION if placed.block.kind == "heading" else Cut.PARAGRAPH
    if placed.block.kind == "heading":
        yield Atom(placed.start, placed.end, number, first)
        return
    if placed.block.kind == "table":
        yield from _rows(text, number, placed, longest_header)
        return
    for line, (start, end) in enumerate(_lines(text, placed.start, placed.end)):
        before = first if line == 0 else Cut.LINE
        if placed.block.kind == "code":
            yield Atom(start, end, number, before)
            continue
        starts = sentence_starts(text, start, end)
        for at, until in zip(starts, [*starts[1:], end], strict=True):
            yield Atom(at, until, number, before if at == start else Cut.SENTENCE)


def _rows(text: str, number: int, placed: PlacedBlock, longest_header: int) -> Iterator[Atom]:
    header = (placed.start, placed.header_end)
    repeated = header if 0 < header[1] - header[0] <= longest_header else None
    lines = list(_lines(text, placed.start, placed.end))
    head = next((count for count, (_, end) in enumerate(lines, 1) if end >= placed.header_end), len(lines))
    yield Atom(placed.start, lines[head - 1][1], number, Cut.PARAGRAPH)
    for row, (start, end) in enumerate(lines[head:]):
        # A header is nothing without its first row.
        yield Atom(start, end, number, Cut.LINE, glued=row == 0 and header[1] > header[0], header=repeated)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        match = _LINE.match(text, start, end)
        assert match is not None
        yield start, match.end()
        start = match.end()


def _introduces(placed: PlacedBlock, following: PlacedBlock) -> bool:
    """Headings, captions of tables, and short lines that are no sentence: headings by look, and "as follows:"."""
    if placed.block.kind == "heading":
        return True
    text = placed.block.text
    if placed.block.kind != "paragraph" or len(text) > _CAPTION_LENGTH:
        return False
    return following.block.kind == "table" or (
        not text.endswith(_SENTENCE_ENDS) and len(following.block.text) > len(text)
    )


def _best_break(text: str, start: int, limit: int) -> int:
    """The last word boundary in the second half of text[start:limit], natural pauses first, else `limit` itself."""
    for pattern in _WORD_BREAKS:
        ends = [match.end() for match in pattern.finditer(text, start + (limit - start) // 2, limit)]
        inside = [end for end in ends if start < end <= limit]
        if inside:
            return inside[-1]
    at = limit
    while at > start + 1 and unicodedata.combining(text[at]):
        at -= 1
    return at
