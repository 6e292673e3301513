"""Rows of OpenDocument tables."""

from __future__ import annotations

from collections.abc import Iterator

from superagent_ingestion.adapters.parsing.odf_text import Notes, text_of
from superagent_ingestion.adapters.parsing.safe_xml import Element

# Editors fill a sheet to its edge with one repeated cell or row; more than this is filling.
_MOST_REPEATED = 1_000
_ROW_HOLDERS = frozenset({"table-rows", "table-header-rows", "table-row-group"})


def table_rows(table: Element) -> Iterator[list[str]]:
    """Cells as text. A cell that spans rows is repeated in each, so that every row can be read alone."""
    spanning: dict[int, tuple[str, int]] = {}
    for row in _rows(table):
        cells = list(_cells(row, spanning))
        repeated = _count(row, ":number-rows-repeated")
        yield from [cells] * (repeated if any(cells) and repeated <= _MOST_REPEATED else 1)


def _rows(table: Element) -> Iterator[Element]:
    for child in table:
        if child.tag == "table-row":
            yield child
        elif child.tag in _ROW_HOLDERS:
            yield from _rows(child)


def _cells(row: Element, spanning: dict[int, tuple[str, int]]) -> Iterator[str]:
    column = 0
    for cell in row:
        if cell.tag not in ("table-cell", "covered-table-cell"):
            continue
        repeated = _count(cell, ":number-columns-repeated")
        text = _text(cell)
        rows = _count(cell, ":number-rows-spanned")
        if not text and repeated > _MOST_REPEATED:
            return
        for _ in range(min(repeated, _MOST_REPEATED)):
            if cell.tag == "covered-table-cell":
                text, left = spanning.pop(column, ("", 0))
                if left > 1:
                    spanning[column] = (text, left - 1)
            elif rows > 1:
                spanning[column] = (text, rows - 1)
            yield text
            column += 1


def _text(cell: Element) -> str:
    return " ".join(part for child in cell if (part := _content(child).strip()))


def _content(element: Element) -> str:
    """A paragraph, or what a list or a table in the cell says."""
    if element.tag in ("p", "h"):
        return text_of(element, Notes())
    return " ".join(part for child in element if (part := _content(child)))


def _count(element: Element, name: str) -> int:
    value = element.attributes.get(name, "1")
    return int(value) if value.isdigit() and int(value[:9]) > 0 else 1
