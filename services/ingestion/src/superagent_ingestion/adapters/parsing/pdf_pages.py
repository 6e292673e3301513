"""Pages of a PDF on their way to blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superagent_ingestion.domain.blocks import Block


@dataclass(frozen=True, slots=True)
class PdfBlock:
    """top, bottom: where it begins and ends, as shares of the page's height from above. size: of its type, in points or
    as the height of its glyphs, the same for the whole document; 0 when unknown.
    """

    block: Block
    top: float
    bottom: float
    size: float


@dataclass(frozen=True, slots=True)
class PdfPage:
    """label: what is printed on the page when the PDF says so ("iv"); number: counted from 1."""

    number: int
    label: str | None
    blocks: Sequence[PdfBlock]

    @property
    def length(self) -> int:
        """In characters."""
        return sum(len(entry.block.text) for entry in self.blocks)
