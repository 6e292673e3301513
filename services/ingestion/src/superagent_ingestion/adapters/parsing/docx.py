"""Word → blocks: headings, lists with the numbers Word shows, tables, formulas, text boxes and footnotes in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from superagent_ingestion.adapters.parsing.charset import UndecodableText, decode
from superagent_ingestion.adapters.parsing.cleaning import lines_of_prose, one_line
from superagent_ingestion.adapters.parsing.docx_numbering import DocxNumbering
from superagent_ingestion.adapters.parsing.docx_styles import DocxStyles
from superagent_ingestion.adapters.parsing.docx_text import Run, paragraph_runs
from superagent_ingestion.adapters.parsing.html import html_blocks
from superagent_ingestion.adapters.parsing.implied_headings import with_implied_headings
from superagent_ingestion.adapters.parsing.lines import Line, line_blocks
from superagent_ingestion.adapters.parsing.package import Package
from superagent_ingestion.adapters.parsing.safe_xml import Element
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.adapters.parsing.text import text_blocks
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

# What a heading may be long; longer ones are paragraphs whose author liked the look of one.
_LONGEST_HEADING = 200
_SIMPLE_NUMBER = re.compile(r"\d{1,3}[.)]")
_CONVERTED = re.compile(r"^Microsoft Word - |\.docx?$", re.IGNORECASE)


def docx_blocks(path: Path) -> tuple[list[Block], str | None]:
    """Blocks and the title: the line in the style "Title", else of the properties, else None.

    No page numbers: Word lays pages out only when it prints. Raises DocumentRejected.
    """
    with Package(path) as package:
        reader = _Reader(package)
        blocks = reader.blocks()
        properties = package.xml("docProps/core.xml")
    stated = properties.first("title") if properties else None
    named = _CONVERTED.sub("", one_line(stated.text())) if stated else ""
    return blocks, reader.title or named or None


class _Reader:
    def __init__(self, package: Package) -> None:
        self._package = package
        office = (entry.part for entry in package.relations("").values() if entry.kind == "officeDocument")
        self._main = next(office, "word/document.xml")
        self._relations = package.relations(self._main)
        parts = {relation.kind: relation.part for relation in self._relations.values()}
        self._styles = DocxStyles(self._part(parts, "styles"))
        self._numbering = DocxNumbering(self._part(parts, "numbering"))
        self._notes = {
            (kind, note.attributes.get(":id", "")): note
            for kind in ("footnote", "endnote")
            for note in self._part(parts, f"{kind}s") or ()
        }
        self._note_numbers: dict[tuple[str, str], int] = {}
        # Texts of paragraphs that are bold throughout.
        self._bold: set[str] = set()
        self.title: str | None = None

    def _part(self, parts: dict[str, str], kind: str) -> Element | None:
        return self._package.xml(parts[kind]) if kind in parts else None

    def blocks(self) -> list[Block]:
        root = self._package.xml(self._main)
        body = root.first("body") if root else None
        if body is None:
            raise DocumentRejected("unreadable", "The file is damaged: it holds no document.")
        blocks = list(self._content(body))
        bold = {at for at, block in enumerate(blocks) if block.kind == "paragraph" and block.text in self._bold}
        return with_implied_headings(blocks, bold)

    def _content(self, parent: Element) -> Iterator[Block]:
        """Blocks of a body, a box, a note or a cell."""
        lines: list[Line] = []
        for element in _flat(parent):
            if element.tag == "p":
                yield from self._paragraph(element, lines)
                continue
            yield from _taken(lines)
            if element.tag == "tbl":
                yield from self._table(element)
            elif element.tag == "altChunk":
                yield from self._foreign(element)
        yield from _taken(lines)

    def _paragraph(self, element: Element, lines: list[Line]) -> Iterator[Block]:
        """Adds to `lines` what may become a list; gives what stands alone, after what came before it."""
        properties = element.first("pPr")
        if self._styles.is_contents(properties):
            return
        run = paragraph_runs(element, self._note_numbers)
        text = lines_of_prose(run.text)
        number, depth = self._styles.numbering(properties)
        mark = self._numbering.mark(number, depth) if number and text else ""
        level = self._styles.heading_level(properties)
        if text and level and len(text) <= _LONGEST_HEADING:
            yield from _taken(lines)
            heading = one_line(f"{mark if mark != '-' else ''} {text}")
            if self.title is None and self._styles.is_title(properties):
                self.title = heading
            yield Block("heading", heading, level)
        elif text:
            lines.append(_line(text, mark, depth) if number else Line(text))
            if run.is_bold:
                self._bold.add(one_line(f"{mark if mark != '-' else ''} {text}"))
        if run.boxes or run.notes or run.pictures:
            yield from _taken(lines)
            yield from self._attached(run)

    def _attached(self, run: Run) -> Iterator[Block]:
        yield from (Block("image", picture) for picture in run.pictures)
        for box in run.boxes:
            yield from self._content(box)
        for key in run.notes:
            note = self._notes.get(key)
            said = lines_of_prose("\n".join(block.text for block in self._content(note))) if note else ""
            if said:
                yield Block("paragraph", f"[{run.numbers[key]}] {said}")

    def _table(self, table: Element) -> Iterator[Block]:
        rows = [row for row in _flat(table) if row.tag == "tr"]
        cells = [[cell for cell in _flat(row) if cell.tag == "tc"] for row in rows]
        if max(map(len, cells), default=0) <= 1:
            # One column frames text and is no table.
            for row in cells:
                for cell in row:
                    yield from self._content(cell)
            return
        block = table_block(list(self._rows(cells)))
        if block is not None:
            yield block

    def _rows(self, cells: list[list[Element]]) -> Iterator[list[str]]:
        """A cell that spans rows is repeated in each, so that every row can be read alone."""
        above: list[str] = []
        for row in cells:
            texts: list[str] = []
            for cell in row:
                properties = cell.first("tcPr")
                merge = properties.first("vMerge") if properties else None
                goes_on = merge is not None and merge.attributes.get(":val", "continue") == "continue"
                at = len(texts)
                texts.append(above[at] if goes_on and at < len(above) else self._cell(cell))
                span = properties.first("gridSpan") if properties else None
                width = span.attributes.get(":val", "1") if span else "1"
                texts += [""] * (min(int(width), 100) - 1 if width.isdigit() else 0)
            above = texts
            yield texts

    def _cell(self, cell: Element) -> str:
        parts = (block.text if block.kind != "table" else _plain(block.text) for block in self._content(cell))
        return " ".join(map(one_line, parts))

    def _foreign(self, element: Element) -> Iterator[Block]:
        """A document of another kind that Word shows in place."""
        relation = self._relations.get(element.attributes.get(":id", ""))
        data = self._package.read(relation.part) if relation else None
        if not relation or not data or relation.part.endswith((".docx", ".rtf", ".mht")):
            return
        try:
            text = decode(data)[0]
        except UndecodableText:
            return
        yield from html_blocks(text)[0] if "<" in text else text_blocks(text)


def _flat(parent: Element) -> Iterator[Element]:
    """Children, with content controls and revisions opened."""
    for child in parent:
        match child.tag:
            case "sdt":
                yield from _flat(child.first("sdtContent") or Element("", {}))
            case "ins" | "moveTo" | "customXml" | "smartTag":
                yield from _flat(child)
            case _:
                yield child


def _line(text: str, mark: str, depth: int) -> Line:
    ordered = bool(_SIMPLE_NUMBER.fullmatch(mark))
    return Line(text, depth, ordered, mark if mark != "-" else "")


def _taken(lines: list[Line]) -> list[Block]:
    blocks = line_blocks(lines)
    lines.clear()
    return blocks


def _plain(table: str) -> str:
    """A table in a cell, as words."""
    rows = (row.strip("| ") for row in table.split("\n") if not row.startswith("| ---"))
    return " ".join(row.replace(" | ", " ") for row in rows)
