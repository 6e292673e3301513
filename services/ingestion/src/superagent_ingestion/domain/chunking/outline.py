"""The canonical text of a document, where its blocks lie in it, and the sections its headings make."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from superagent_ingestion.domain.blocks import Block, ParsedDocument

SEPARATOR = "\n\n"
_TABLE_HEADER = re.compile(r"[^\n]*\n\|(?:[ :]*-{3,}[ :]*\|)+(?:\n|$)")


@dataclass(frozen=True, slots=True)
class Section:
    """What one heading governs, without its subsections; level 0 is the text before the first heading."""

    level: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block at [start, end) of the canonical text; the separator after it belongs to it.

    header_end: where the header rows of a table end, `start` when there are none.
    """

    block: Block
    start: int
    end: int
    header_end: int
    section: Section


@dataclass(frozen=True, slots=True)
class Layout:
    text: str
    placed: tuple[PlacedBlock, ...]
    starts: tuple[int, ...]

    def block_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def blocks_in(self, start: int, end: int) -> tuple[PlacedBlock, ...]:
        return self.placed[self.block_at(start) : self.block_at(end - 1) + 1]


def lay_out(document: ParsedDocument) -> Layout:
    blocks = [block for block in document.blocks if block.text.strip()]
    placed: list[PlacedBlock] = []
    pieces: list[str] = []
    headings: list[tuple[int, str]] = []
    section = Section(0, ())
    offset = 0
    for number, block in enumerate(blocks):
        if block.kind == "heading":
            headings = [entry for entry in headings if entry[0] < block.level]
            headings.append((block.level, " ".join(block.text.split())))
            section = Section(block.level, tuple(heading for _, heading in headings))
        piece = block.text if number == len(blocks) - 1 else block.text + SEPARATOR
        placed.append(PlacedBlock(block, offset, offset + len(piece), offset + _header_length(block), section))
        pieces.append(piece)
        offset += len(piece)
    return Layout("".join(pieces), tuple(placed), tuple(entry.start for entry in placed))


def common_path(covered: Iterable[PlacedBlock]) -> tuple[str, ...]:
    """The headings that hold for all of it: those of the sections that say something beside their heading."""
    blocks = list(covered)
    paths = {entry.section.path for entry in blocks if entry.block.kind != "heading"}
    if not paths:
        return blocks[-1].section.path
    shared = min(paths, key=len)
    while any(path[: len(shared)] != shared for path in paths):
        shared = shared[:-1]
    return shared


def _header_length(block: Block) -> int:
    header = _TABLE_HEADER.match(block.text) if block.kind == "table" else None
    return header.end() if header else 0
