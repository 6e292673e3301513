"""PowerPoint → blocks: slides in their order, with tables, the figures behind charts, diagrams and notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from superagent_ingestion.adapters.parsing.charts import chart_blocks
from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.adapters.parsing.lines import Line, line_blocks
from superagent_ingestion.adapters.parsing.omml import tex
from superagent_ingestion.adapters.parsing.package import Package, Relation
from superagent_ingestion.adapters.parsing.safe_xml import Element
from superagent_ingestion.adapters.parsing.slides import Slide
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

_MAIN = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
# Repeated on every slide.
_RUNNING = frozenset({"dt", "ftr", "hdr", "sldNum"})
# What programs write into the property when nobody has given a title.
_NO_TITLE = re.compile(
    r"(?:slide|folie|幻灯片|投影片|powerpoint|presentation|演示文稿)[\s\d-]*(?:presentation|演示文稿)?\d*", re.I
)
_PICTURE_NAME = re.compile(r"\S+\.(?:png|jpe?g|gif|emf|wmf|svg|tiff?|bmp)", re.IGNORECASE)
_SHORTEST_ALT = 4


def pptx_blocks(path: Path) -> tuple[list[Block], str | None, int]:
    """Blocks, title and the number of slides. Raises DocumentRejected."""
    with Package(path) as package:
        main = package.xml(_MAIN)
        if main is None:
            raise DocumentRejected("unreadable", "The file is damaged: it holds no presentation.")
        relations = package.relations(_MAIN)
        order = [entry.attributes.get(":id", "") for entry in main.first("sldIdLst") or ()]
        parts = [relations[number].part for number in order if number in relations]
        slides = [_slide(package, part, number) for number, part in enumerate(parts, 1)]
        properties = package.xml("docProps/core.xml")
    stated = properties.first("title") if properties else None
    title = one_line(stated.text()) if stated else ""
    if not title or _NO_TITLE.fullmatch(title):
        title = one_line(slides[0].title) if slides else ""
    return [block for slide in slides for block in slide.with_heading()], title or None, len(slides)


def _slide(package: Package, part: str, number: int) -> Slide:
    slide = Slide(number)
    root, relations = package.xml(part), package.relations(part)
    for shape in _shapes(root.first("cSld", "spTree") if root else None):
        kind = _placeholder(shape)
        if kind in _RUNNING:
            continue
        if kind in _TITLES and not slide.title:
            slide.title, slide.is_opening = _text(shape), kind == "ctrTitle"
            continue
        slide.blocks += _shape_blocks(package, shape, kind, relations)
    for relation in relations.values():
        if relation.kind == "notesSlide":
            slide.blocks += _notes(package, relation.part)
    return slide


def _shapes(tree: Element | None) -> Iterator[Element]:
    """The shapes of a tree in reading order, those in groups too."""
    for child in tree or ():
        match child.tag:
            case "sp" | "graphicFrame" | "pic":
                yield child
            case "grpSp":
                yield from _shapes(child)
            case "AlternateContent":
                # The same thing for new and for old programs.
                yield from _shapes(child.first("Choice") or child.first("Fallback"))


def _placeholder(shape: Element) -> str | None:
    """The kind of placeholder it fills; None for a shape of its own."""
    properties = shape.first(f"nv{shape.tag[0].upper()}{shape.tag[1:]}Pr", "nvPr", "ph")
    return properties.attributes.get("type", "obj") if properties else None


def _shape_blocks(package: Package, shape: Element, kind: str | None, relations: dict[str, Relation]) -> list[Block]:
    if shape.tag == "pic":
        return _picture(shape)
    if shape.tag == "sp":
        return line_blocks(list(_lines(shape, is_outline=kind in ("body", "obj"))))
    data = shape.first("graphic", "graphicData")
    blocks: list[Block] = []
    for content in data or ():
        match content.tag:
            case "tbl":
                block = table_block(list(_rows(content)))
                blocks += [block] if block else []
            case "chart" if relation := relations.get(content.attributes.get(":id", "")):
                blocks += chart_blocks(package.xml(relation.part))
            case "relIds" if relation := relations.get(content.attributes.get(":dm", "")):
                blocks += _diagram(package.xml(relation.part))
    return blocks


def _lines(shape: Element, *, is_outline: bool) -> Iterator[Line]:
    for paragraph in shape.first("txBody") or ():
        if paragraph.tag != "p":
            continue
        properties = paragraph.first("pPr")
        marks = {child.tag for child in properties or ()}
        listed = (is_outline and "buNone" not in marks) or bool(marks & {"buChar", "buAutoNum", "buBlip"})
        depth = properties.attributes.get("lvl", "0") if properties else "0"
        level = int(depth) if depth.isdigit() else 0
        yield Line(_paragraph(paragraph), min(level, 8) if listed else None, "buAutoNum" in marks)


def _text(shape: Element) -> str:
    return "\n".join(line.text for line in _lines(shape, is_outline=False))


def _paragraph(paragraph: Element) -> str:
    parts: list[str] = []
    for run in paragraph:
        match run.tag:
            case "r" | "fld":
                parts.extend(text.text() for text in run.every("t"))
            case "br":
                parts.append("\n")
            case "AlternateContent" | "m" | "oMath" | "oMathPara":
                formula = tex(run.first("Choice") or run)
                parts.append(f"${formula}$" if formula else "")
    return "".join(parts)


def _rows(table: Element) -> Iterator[list[str]]:
    """A cell that spans rows is repeated in each, so that every row can be read alone."""
    before: list[str] = []
    for row in table:
        if row.tag != "tr":
            continue
        cells: list[str] = []
        for cell in row:
            if cell.tag != "tc":
                continue
            merged = cell.attributes.get("vMerge") in ("1", "true") and len(cells) < len(before)
            cells.append(before[len(cells)] if merged else _text(cell))
        before = cells
        yield cells


def _picture(shape: Element) -> list[Block]:
    about = shape.first("nvPicPr", "cNvPr")
    alt = one_line(about.attributes.get("descr", "")) if about else ""
    if len(alt) < _SHORTEST_ALT or _PICTURE_NAME.fullmatch(alt):
        return []
    return [Block("image", alt)]


def _diagram(data: Element | None) -> list[Block]:
    """SmartArt: what is written in its boxes."""
    points = data.first("ptLst") if data else None
    texts = (one_line(" ".join(text.text() for text in point.every("t"))) for point in points or ())
    return line_blocks([Line(text, 0) for text in texts if text])


def _notes(package: Package, part: str) -> list[Block]:
    root = package.xml(part)
    blocks: list[Block] = []
    for shape in _shapes(root.first("cSld", "spTree") if root else None):
        if _placeholder(shape) == "body":
            blocks += line_blocks(list(_lines(shape, is_outline=False)))
    if blocks:
        blocks[0] = replace(blocks[0], text=f"Notes: {blocks[0].text}")
    return blocks
