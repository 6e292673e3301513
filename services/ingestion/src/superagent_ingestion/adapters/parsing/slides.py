"""What slides of PowerPoint and OpenDocument have in common: a heading each, and lists out of levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from superagent_ingestion.adapters.parsing.cleaning import lines_of_prose, one_line
from superagent_ingestion.domain.blocks import Block

_LONGEST_HEADING = 80
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph of a text shape; level: of its list counted from 0, None for running text."""

    text: str
    level: int | None = None
    ordered: bool = False


@dataclass(slots=True)
class Slide:
    """title: what its title shape says; is_opening: whether that shape is the large one of a title slide."""

    number: int
    title: str = ""
    is_opening: bool = False
    blocks: list[Block] = field(default_factory=list)

    def with_heading(self) -> list[Block]:
        """Its blocks under one heading: a slide never belongs to the section of the slide before.

        Without a title, a short first line is taken for one.
        """
        title, blocks = one_line(self.title)[:_LONGEST_TITLE], self.blocks
        if not title and blocks and blocks[0].kind == "paragraph" and _is_short(blocks[0].text):
            title, blocks = blocks[0].text, blocks[1:]
        heading = Block("heading", title or f"Slide {self.number}", 1 if self.is_opening and title else 2)
        return [replace(block, page=self.number) for block in (heading, *blocks)] if title or blocks else []


def shape_blocks(lines: Sequence[Line]) -> list[Block]:
    """Paragraphs, and one list out of each run of lines with levels. One such line alone is a paragraph."""
    blocks: list[Block] = []
    items: list[Line] = []

    def flush() -> None:
        if len(items) == 1:
            blocks.append(Block("paragraph", items[0].text))
        elif items:
            blocks.append(Block("list", "\n".join(_marked(items))))
        items.clear()

    for line in lines:
        text = lines_of_prose(line.text)
        if not text:
            continue
        if line.level is not None:
            items.append(replace(line, text=one_line(text)))
            continue
        flush()
        blocks.append(Block("paragraph", text))
    flush()
    return blocks


def _marked(items: Sequence[Line]) -> list[str]:
    numbers: dict[int, int] = {}
    marked: list[str] = []
    top = min(item.level or 0 for item in items)
    for item in items:
        level = (item.level or 0) - top
        numbers = {deep: number for deep, number in numbers.items() if deep <= level}
        numbers[level] = numbers.get(level, 0) + 1
        marked.append("  " * level + (f"{numbers[level]}. " if item.ordered else "- ") + item.text)
    return marked


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and "\n" not in text
