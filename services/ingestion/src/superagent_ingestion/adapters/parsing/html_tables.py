"""The table that an HTML reader is in the middle of."""

from __future__ import annotations

from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block

_WIDEST_SPAN = 100


class Grid:
    """Rows of cells; a cell that spans rows is repeated in each, so that every row can be read alone."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._spanning: dict[int, tuple[str, int]] = {}
        self._cell: list[str] | None = None
        self._spans = (1, 1)
        self._is_header = False
        self._dissolved = False

    @property
    def in_cell(self) -> bool:
        return self._cell is not None and not self._dissolved

    @property
    def in_header_cell(self) -> bool:
        return self.in_cell and self._is_header

    def begin_row(self) -> None:
        self._rows.append([])

    def begin_cell(self, colspan: str, rowspan: str, *, is_header: bool) -> None:
        if not self._rows:
            self._rows.append([])
        self._cell = []
        self._is_header = is_header
        self._spans = (_span(colspan), _span(rowspan))

    def add(self, text: str) -> None:
        assert self._cell is not None
        self._cell.append(text)

    def end_cell(self) -> None:
        if self._cell is None:
            return
        text = " ".join(self._cell)
        columns, rows = self._spans
        self._cell = None
        row = self._rows[-1]
        self._fill_spanning(row)
        if rows > 1:
            self._spanning[len(row)] = (text, rows - 1)
        row.extend([text, *[""] * (columns - 1)])
        self._fill_spanning(row)

    def dissolve(self) -> list[Block]:
        """Ends the table without ending its cells: what follows in them is no table. Gives what there was."""
        self.end_cell()
        blocks = self.blocks()
        self._rows, self._spanning, self._dissolved = [], {}, True
        return blocks

    def blocks(self) -> list[Block]:
        block = table_block(self._rows)
        return [block] if block is not None else []

    def _fill_spanning(self, row: list[str]) -> None:
        while (spanning := self._spanning.pop(len(row), None)) is not None:
            text, left = spanning
            if left > 1:
                self._spanning[len(row)] = (text, left - 1)
            row.append(text)


def _span(value: str) -> int:
    return min(int(value), _WIDEST_SPAN) if value.isascii() and value.isdigit() and int(value[:6]) > 0 else 1
