"""Rows of a sheet → tables: a sheet may hold several, with captions above and empty rows between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block


def sheet_blocks(rows: Sequence[Sequence[str]]) -> list[Block]:
    """Each run of rows is a table with its own header; a run that goes on with the columns and without a header of its
    own belongs to the one before. A line alone above a table is its caption.
    """
    tables: list[list[Sequence[str]]] = []
    blocks: list[Block] = []
    for run in _runs(rows):
        captions, body = _split_captions(run)
        if tables and not captions and _goes_on(tables[-1], body):
            tables[-1] += body
            continue
        blocks += _taken(tables)
        blocks += [Block("paragraph", caption) for caption in captions]
        tables = [body] if body else []
    return blocks + _taken(tables)


def _taken(tables: list[list[Sequence[str]]]) -> list[Block]:
    return [block for table in tables if (block := table_block(table)) is not None]


def _runs(rows: Sequence[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Rows between empty ones."""
    run: list[Sequence[str]] = []
    for row in rows:
        if any(cell.strip() for cell in row):
            run.append(row)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _split_captions(run: list[Sequence[str]]) -> tuple[list[str], list[Sequence[str]]]:
    """Lines of one cell above rows of several."""
    if max(len(_filled(row)) for row in run) < 2:
        return [], run
    first = next(index for index, row in enumerate(run) if len(_filled(row)) > 1)
    return [one_line(run[index][_filled(run[index])[0]]) for index in range(first)], run[first:]


def _goes_on(table: Sequence[Sequence[str]], body: Sequence[Sequence[str]]) -> bool:
    """The same columns, and a first row that holds figures as rows do and headers do not."""
    if not body:
        return False
    columns = {column for row in table for column in _filled(row)}
    return set(_filled(body[0])) <= columns and (
        len(columns) == 1 or any(_is_figure(body[0][column]) for column in _filled(body[0]))
    )


def _filled(row: Sequence[str]) -> list[int]:
    return [column for column, cell in enumerate(row) if cell.strip()]


def _is_figure(cell: str) -> bool:
    return any(character.isdigit() for character in cell) and not any(character.isalpha() for character in cell)
