"""CSV and its relatives → one table. (xberg takes a gigabyte for half a million rows.)"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator

from superagent_ingestion.adapters.parsing.sheets import sheet_blocks
from superagent_ingestion.domain.blocks import Block

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 50


def delimited_blocks(text: str) -> list[Block]:
    """The first row becomes the header; lines of one field above it are captions, empty lines mean nothing."""
    # The limit is the whole process's: it may grow, never shrink under somebody else.
    csv.field_size_limit(max(len(text), csv.field_size_limit()))
    return sheet_blocks([row for row in _rows(text, _delimiter(text)) if any(row)])


def _delimiter(text: str) -> str:
    """The one that cuts most of the first rows into the same number of fields; a tie goes to the more fields."""

    def agreement(delimiter: str) -> tuple[int, int]:
        sample = (row for _, row in zip(range(_SAMPLE_ROWS), _rows(text, delimiter), strict=False))
        widths = Counter(len(row) for row in sample if len(row) > 1)
        width, rows = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        return rows, width

    return max(_DELIMITERS, key=agreement)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
