"""Excel workbooks → blocks: a heading for each sheet, and its tables with values as people see them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.adapters.parsing.package import Package
from superagent_ingestion.adapters.parsing.safe_xml import Element, elements_of
from superagent_ingestion.adapters.parsing.sheets import sheet_blocks
from superagent_ingestion.adapters.parsing.xlsx_formats import NumberFormats
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

_MAIN = "xl/workbook.xml"
_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
# Excel keeps the height and the style of rows that hold nothing, sometimes of all of them.
_EMPTY_ROW = re.compile(rb'<row\b(?=[^<>]*\sr="\d)[^<>]*/>')
_MOST_MERGED_ROWS = 1_000


@dataclass(slots=True)
class _Sheet:
    """rows: number → column → text. merged: first and last row, and the column, of cells that span rows."""

    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    merged: set[tuple[int, int, int]] = field(default_factory=set)

    def lines(self) -> list[list[str]]:
        """Rows of equal length without columns that are empty everywhere; one empty row for each gap."""
        numbers = sorted(self.rows)
        for first, last, column in self.merged:
            value = self.rows.get(first, {}).get(column)
            if value:
                for number in numbers[bisect_right(numbers, first) : bisect_right(numbers, last)]:
                    self.rows[number].setdefault(column, value)
        columns = sorted({column for row in self.rows.values() for column in row})
        lines: list[list[str]] = []
        before = 0
        for number in numbers:
            if lines and number > before + 1:
                lines.append([])
            lines.append([self.rows[number].get(column, "") for column in columns])
            before = number
        return lines


def xlsx_blocks(path: Path) -> tuple[list[Block], str | None]:
    """Blocks and the title of its properties. Raises DocumentRejected."""
    with Package(path) as package:
        main, relations = package.xml(_MAIN), package.relations(_MAIN)
        if main is None:
            raise DocumentRejected("unreadable", "The file is damaged: it holds no workbook.")
        settings = main.first("workbookPr")
        is_1904 = settings is not None and settings.attributes.get("date1904") in ("1", "true")
        parts = {relation.kind: relation.part for relation in relations.values()}
        formats = NumberFormats(package.xml(parts.get("styles", "xl/styles.xml")), is_1904=is_1904)
        strings = _shared_strings(package.read(parts.get("sharedStrings", "xl/sharedStrings.xml")) or b"")
        blocks: list[Block] = []
        for entry in main.first("sheets") or ():
            relation = relations.get(entry.attributes.get(":id", ""))
            data = package.read(relation.part) if relation and relation.kind == "worksheet" else None
            found = sheet_blocks(_sheet(data, strings, formats).lines()) if data else []
            if found:
                blocks += [Block("heading", one_line(entry.attributes.get("name", "")) or "Sheet", 1), *found]
        properties = package.xml("docProps/core.xml")
    title = properties.first("title") if properties else None
    return blocks, (one_line(title.text()) or None) if title else None


def _shared_strings(data: bytes) -> list[str]:
    return [_string(entry) for entry in elements_of(data, "si")] if data else []


def _string(element: Element) -> str:
    """Text of plain or formatted runs, without the readings that Japanese Excel keeps beside it."""
    runs = (child for child in element if child.tag in ("t", "r"))
    return "".join(run.text() if run.tag == "t" else "".join(text.text() for text in run.every("t")) for run in runs)


def _sheet(data: bytes, strings: list[str], formats: NumberFormats) -> _Sheet:
    sheet = _Sheet()
    number = 0
    for element in elements_of(_EMPTY_ROW.sub(b"", data), "row", "mergeCell"):
        if element.tag == "mergeCell":
            sheet.merged |= _merged(element.attributes.get("ref", ""))
            continue
        stated = element.attributes.get("r", "")
        number = int(stated) if stated.isdigit() else number + 1
        cells = dict(_cells(element, strings, formats))
        if cells:
            sheet.rows[number] = cells
    return sheet


def _cells(row: Element, strings: list[str], formats: NumberFormats) -> Iterator[tuple[int, str]]:
    column = -1
    for cell in row:
        if cell.tag != "c":
            continue
        reference = _REFERENCE.fullmatch(cell.attributes.get("r", ""))
        column = _column(reference.group(1)) if reference else column + 1
        text = _value(cell, strings, formats)
        if text.strip():
            yield column, text


def _value(cell: Element, strings: list[str], formats: NumberFormats) -> str:
    kind = cell.attributes.get("t", "n")
    if kind == "inlineStr":
        inline = cell.first("is")
        return _string(inline) if inline else ""
    raw = next((child.text().strip() for child in cell.content if isinstance(child, Element) and child.tag == "v"), "")
    match kind:
        case "s":
            return strings[int(raw)] if raw.isdigit() and int(raw) < len(strings) else ""
        case "b":
            return "TRUE" if raw == "1" else "FALSE" if raw else ""
        case "n":
            return formats.shown(raw, cell.attributes.get("s", "0")) if raw else ""
    return raw


def _merged(reference: str) -> set[tuple[int, int, int]]:
    first, _, last = reference.partition(":")
    start, end = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last)
    if not start or not end:
        return set()
    top, bottom = int(start.group(2)), int(end.group(2))
    return {(top, bottom, _column(start.group(1)))} if top < bottom <= top + _MOST_MERGED_ROWS else set()


@lru_cache(20_000)
def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
