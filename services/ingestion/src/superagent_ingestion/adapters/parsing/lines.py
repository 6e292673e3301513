"""Paragraphs with list levels → paragraphs and lists, as word processors and slides write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from superagent_ingestion.adapters.parsing.cleaning import lines_of_prose, one_line
from superagent_ingestion.domain.blocks import Block


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph; level: of its list counted from 0, None for running text. mark: the number as the document shows
    it ("第三条", "(b)"); without one, items are counted when they are ordered.
    """

    text: str
    level: int | None = None
    ordered: bool = False
    mark: str = ""


def line_blocks(lines: Sequence[Line]) -> list[Block]:
    """Paragraphs, and one list out of each run of lines with levels. One such line alone is a paragraph."""
    blocks: list[Block] = []
    items: list[Line] = []

    def flush() -> None:
        if len(items) == 1:
            blocks.append(Block("paragraph", f"{items[0].mark} {items[0].text}".lstrip()))
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
        mark = item.mark or (f"{numbers[level]}." if item.ordered else "-")
        marked.append(f"{'  ' * level}{mark} {item.text}")
    return marked
