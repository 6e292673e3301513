"""Slides of PowerPoint and OpenDocument: a heading each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.domain.blocks import Block

_LONGEST_HEADING = 80
_LONGEST_TITLE = 200


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


def _is_short(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and "\n" not in text
