"""Text in pictures: what a recogniser finds, and the blocks that become of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from superagent_ingestion.adapters.parsing.cleaning import join_lines
from superagent_ingestion.domain.blocks import Block

# A column has so many lines, so many times as wide as high, or its lines are cells of a table; so many may run across.
_COLUMN_LINES = 4
_COLUMN_WIDTH = 6.0
_CROSSING = 0.2
# From one line of a paragraph to the next; a heading is set larger or stands alone.
_LINE_GAP = 0.6
_SAME_SIZE = 1.4
_INDENT = 1.2
_BULLET = re.compile(r"[•·●▪■◆○*–-]\s*(?=\S)")
_SENTENCE_END = re.compile(r"[.!?:。！？：；”\"]$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text and its box, from the top left corner, in pixels.

    confidence: 0..1. size: from the top to the bottom of its letters, which in a slanting line is less than the box.
    """

    text: str
    confidence: float
    left: float
    top: float
    right: float
    bottom: float
    size: float

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Recognised:
    """The lines of a picture, in any order, none when it holds no text. height: of the picture as it was read, upright."""

    lines: Sequence[Line]
    height: float


class Recogniser(Protocol):
    """Finds the text in pictures."""

    @property
    def name(self) -> str:
        """With its version."""

    def read(self, picture: bytes) -> Recognised:
        """What an encoded picture (PNG, JPEG) says, however it is turned."""


@dataclass(frozen=True, slots=True)
class Region:
    """A block with the extent and the size of type that its lines had, in pixels."""

    block: Block
    top: float
    bottom: float
    size: float


@dataclass(slots=True)
class Confidence:
    """Mean over all characters recognised so far."""

    pages: int = 0
    characters: int = 0
    total: float = 0.0

    def add(self, lines: Sequence[Line]) -> None:
        self.pages += 1
        self.characters += sum(len(line.text) for line in lines)
        self.total += sum(len(line.text) * line.confidence for line in lines)

    @property
    def per_cent(self) -> int | None:
        """None when no page was recognised; 0 when no page held text."""
        if not self.pages:
            return None
        return round(100 * self.total / self.characters) if self.characters else 0


def regions(lines: Sequence[Line], page: int) -> list[Region]:
    """Paragraphs and list items in reading order: columns one after the other, the rows of a table across."""
    seen = [line for line in lines if line.text.strip() and line.height > 0]
    return [_region(paragraph, page) for column in _columns(seen) for paragraph in _paragraphs(column)]


def _region(paragraph: Sequence[Line], page: int) -> Region:
    text = join_lines([line.text for line in paragraph])
    bullet = _BULLET.match(text)
    block = Block("list", f"- {text[bullet.end() :]}", page=page) if bullet else Block("paragraph", text, page=page)
    tops, bottoms = [line.top for line in paragraph], [line.bottom for line in paragraph]
    return Region(block, min(tops), max(bottoms), median(line.size for line in paragraph))


def _columns(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Columns beside each other one after the other, between the lines that run across all of them."""
    edge = _edge(lines)
    if edge is None:
        if lines:
            yield lines
        return
    across = sorted((line for line in lines if line.left < edge < line.right), key=lambda line: line.top)
    beside = [line for line in lines if not line.left < edge < line.right]
    heading: list[Line] = []
    for line in (*across, None):
        above = [other for other in beside if line is None or other.top + other.bottom < line.top + line.bottom]
        if above:
            if heading:
                yield heading
            heading = []
            beside = [other for other in beside if other not in above]
            yield from _columns([other for other in above if other.right <= edge])
            yield from _columns([other for other in above if other.left >= edge])
        if line is not None:
            heading.append(line)
    if heading:
        yield heading


def _edge(lines: Sequence[Line]) -> float | None:
    """Where a column begins that the fewest lines cross, with lines of text, and not of cells, on both sides."""
    height = median(line.height for line in lines) if lines else 0.0
    best: tuple[int, int, float] | None = None
    for edge in {round(line.left / height) * height - height / 2 for line in lines}:
        left = [line for line in lines if line.right <= edge]
        right = [line for line in lines if line.left >= edge]
        crossing = len(lines) - len(left) - len(right)
        if crossing <= _CROSSING * len(lines) and _is_column(left) and _is_column(right):
            best = max(best or (-len(lines), 0, 0.0), (-crossing, min(len(left), len(right)), edge))
    return best[2] if best else None


def _is_column(lines: Sequence[Line]) -> bool:
    if len(lines) < _COLUMN_LINES:
        return False
    return median((line.right - line.left) / line.height for line in lines) >= _COLUMN_WIDTH


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    left = min(line.left for line in lines)
    paragraph: list[Line] = []
    for line in _rows(lines):
        if paragraph and not _goes_on(paragraph[-1], line, left):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    yield paragraph


def _goes_on(before: Line, line: Line, left: float) -> bool:
    height = max(before.size, line.size)
    if line.top - before.bottom > _LINE_GAP * height or height > _SAME_SIZE * min(before.size, line.size):
        return False
    indented = line.left - left > _INDENT * height and before.left - left < _INDENT * height
    return not (indented and _SENTENCE_END.search(before.text)) and not _BULLET.match(line.text)


def _rows(lines: Sequence[Line]) -> Iterator[Line]:
    """Pieces that stand side by side as one line."""
    row: list[Line] = []
    for line in sorted(lines, key=lambda line: line.top + line.bottom):
        if row and (line.top + line.bottom) / 2 > row[0].bottom - 0.2 * row[0].height:
            yield _joined(row)
            row = []
        row.append(line)
    yield _joined(row)


def _joined(row: Sequence[Line]) -> Line:
    if len(row) == 1:
        return row[0]
    ordered = sorted(row, key=lambda line: line.left)
    weight = sum(len(line.text) for line in row)
    return Line(
        text=" ".join(line.text for line in ordered),
        confidence=sum(len(line.text) * line.confidence for line in row) / weight,
        left=ordered[0].left,
        top=min(line.top for line in row),
        right=max(line.right for line in row),
        bottom=max(line.bottom for line in row),
        size=max(line.size for line in row),
    )
