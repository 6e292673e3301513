"""OpenDocument text and presentations → blocks, from content.xml and the styles it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from superagent_ingestion.adapters.parsing.cleaning import lines_of_prose, one_line
from superagent_ingestion.adapters.parsing.implied_headings import with_implied_headings
from superagent_ingestion.adapters.parsing.lines import Line, line_blocks
from superagent_ingestion.adapters.parsing.odf_styles import OdfStyles
from superagent_ingestion.adapters.parsing.odf_tables import table_rows
from superagent_ingestion.adapters.parsing.odf_text import (
    Note,
    Notes,
    is_bold_throughout,
    list_lines,
    text_boxes,
    text_of,
)
from superagent_ingestion.adapters.parsing.package import Package
from superagent_ingestion.adapters.parsing.safe_xml import Element
from superagent_ingestion.adapters.parsing.sheets import sheet_blocks
from superagent_ingestion.adapters.parsing.slides import Slide
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

_RUNNING = frozenset({"header", "footer", "date-time", "page-number", "handout"})
_SKIPPED = frozenset({"tracked-changes", "table-of-content", "alphabetical-index", "forms", "sequence-decls"})
_LONGEST_HEADING = 200


def odt_blocks(path: Path) -> tuple[list[Block], str | None]:
    """Blocks and the title its properties state, else its title line. Raises DocumentRejected."""
    with Package(path) as package:
        body, styles, title = _opened(package, "text")
    emphasised: list[Block] = []
    found = list(_text_blocks(body, styles, emphasised))
    bold = set(map(id, emphasised))
    blocks = with_implied_headings(found, {at for at, block in enumerate(found) if id(block) in bold})
    # The line in the style "Title" is the document's, whatever its properties kept from the template.
    named = next((block.text for block in blocks[:5] if block.kind == "heading" and block.level == 1), None)
    return blocks, title or named


def odp_blocks(path: Path) -> tuple[list[Block], str | None, int]:
    """Blocks, title and the number of slides. Raises DocumentRejected."""
    with Package(path) as package:
        body, styles, title = _opened(package, "presentation")
    slides = [
        _slide(page, styles, number)
        for number, page in enumerate((page for page in body if page.tag == "page"), start=1)
    ]
    blocks = [block for slide in slides for block in slide.with_heading()]
    return blocks, title or (one_line(slides[0].title) if slides else None) or None, len(slides)


def ods_blocks(path: Path) -> tuple[list[Block], str | None]:
    """A heading for each sheet and its tables; title of its properties. Raises DocumentRejected."""
    with Package(path) as package:
        body, _, title = _opened(package, "spreadsheet")
    blocks: list[Block] = []
    for table in body:
        found = sheet_blocks(list(table_rows(table))) if table.tag == "table" else []
        if found:
            blocks += [Block("heading", one_line(table.attributes.get(":name", "")) or "Sheet", 1), *found]
    return blocks, title


def _opened(package: Package, kind: str) -> tuple[Element, OdfStyles, str | None]:
    content = package.xml("content.xml")
    body = content.first("body", kind) if content else None
    if content is None or body is None:
        raise DocumentRejected("unreadable", "The file is damaged: its content is missing.")
    meta = package.xml("meta.xml")
    title = meta.first("meta", "title") if meta else None
    return body, OdfStyles(content, package.xml("styles.xml")), (one_line(title.text()) or None) if title else None


def _text_blocks(parent: Element, styles: OdfStyles, emphasised: list[Block]) -> Iterator[Block]:
    """Paragraphs that are bold throughout are put into `emphasised`, too."""
    for element in parent:
        match element.tag:
            case "h" | "p":
                yield from _paragraph_blocks(element, styles, emphasised)
            case "list":
                notes = Notes()
                yield from line_blocks(list(list_lines(element, styles, notes)))
                yield from _note_blocks(notes)
            case "table":
                yield from _table_blocks(element)
            case "frame":
                yield from (block for box in text_boxes(element) for block in _text_blocks(box, styles, emphasised))
            case tag if tag not in _SKIPPED:
                # Sections, and indexes that are none of the contents.
                yield from _text_blocks(element, styles, emphasised)


def _paragraph_blocks(element: Element, styles: OdfStyles, emphasised: list[Block]) -> Iterator[Block]:
    notes = Notes()
    text = lines_of_prose(text_of(element, notes))
    level = styles.heading_level(element)
    if text and level and len(text) <= _LONGEST_HEADING:
        yield Block("heading", one_line(text), level)
    elif text:
        block = Block("paragraph", text)
        if is_bold_throughout(element, styles):
            emphasised.append(block)
        yield block
    for box in text_boxes(element):
        yield from _text_blocks(box, styles, emphasised)
    yield from _note_blocks(notes)


def _note_blocks(notes: list[Note]) -> Iterator[Block]:
    for note in notes:
        yield Block("paragraph", f"[{note.mark}] {lines_of_prose(note.text)}")


def _table_blocks(table: Element) -> list[Block]:
    block = table_block(list(table_rows(table)))
    return [block] if block else []


def _slide(page: Element, styles: OdfStyles, number: int) -> Slide:
    slide = Slide(number)
    for shape in _shapes(page):
        kind = shape.attributes.get(":class", "")
        if kind in _RUNNING:
            continue
        if kind == "title" and not slide.title:
            slide.title = "\n".join(line.text for line in _lines(shape, styles))
            continue
        slide.blocks += line_blocks(list(_lines(shape, styles)))
        for table in shape.every("table"):
            slide.blocks += _table_blocks(table)
    for notes in (child for child in page if child.tag == "notes"):
        written = [
            line
            for shape in _shapes(notes)
            if shape.attributes.get(":class") not in _RUNNING
            for line in _lines(shape, styles)
        ]
        blocks = line_blocks([Line(line.text) for line in written])
        slide.blocks += [Block("paragraph", "Notes: " + "\n".join(block.text for block in blocks))] if blocks else []
    return slide


def _shapes(parent: Element) -> Iterator[Element]:
    for child in parent:
        if child.tag == "g":
            yield from _shapes(child)
        elif child.tag not in ("notes", "forms"):
            yield child


def _lines(shape: Element, styles: OdfStyles) -> Iterator[Line]:
    """Paragraphs and list items of a shape; its tables are not looked into."""
    for child in shape:
        match child.tag:
            case "p" | "h":
                yield Line(text_of(child, Notes()))
            case "list":
                yield from list_lines(child, styles, Notes())
            case "text-box":
                yield from _lines(child, styles)
