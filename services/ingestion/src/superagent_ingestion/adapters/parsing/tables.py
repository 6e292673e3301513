"""Rows of cells → a table block."""

from __future__ import annotations

from collections.abc import Sequence

from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.domain.blocks import Block


def table_block(rows: Sequence[Sequence[str]], page: int | None = None) -> Block | None:
    """The first row becomes the header. Empty rows and columns go; what has one row or one column left was layout, not
    a table, and becomes a paragraph. None when nothing is left.
    """
    width = max(map(len, rows), default=0)
    cells = [[one_line(cell) for cell in row] + [""] * (width - len(row)) for row in rows]
    cells = [row for row in cells if any(row)]
    filled = [column for column in range(width) if any(row[column] for row in cells)]
    cells = [[row[column] for column in filled] for row in cells]
    if not cells:
        return None
    if len(cells) == 1 or len(filled) == 1:
        return Block("paragraph", "\n".join(" ".join(filter(None, row)) for row in cells), page=page)
    header, *body = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells)
    return Block("table", "\n".join([header, "|" + " --- |" * len(filled), *body]), page=page)
