"""Paragraphs and lists of OpenDocument as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from superagent_ingestion.adapters.parsing.lines import Line
from superagent_ingestion.adapters.parsing.odf_styles import OdfStyles
from superagent_ingestion.adapters.parsing.safe_xml import Element

_MOST_SPACES = 100
_THROUGHOUT = 0.9
# Comments, deleted text, readings beside characters, and boxes that become blocks of their own.
_NO_TEXT = frozenset({"annotation", "annotation-end", "tracked-changes", "ruby-text", "frame", "custom-shape", "g"})


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote: what stands for it in the text, and what it says."""

    mark: str
    text: str


class Notes(list[Note]):
    """The footnotes met while a paragraph is read."""


def text_of(element: Element, notes: Notes) -> str:
    parts: list[str] = []
    for part in element.content:
        if isinstance(part, str):
            # White space is folded by the format; what counts is written as elements.
            parts.append(part.replace("\n", " "))
            continue
        match part.tag:
            case "s":
                count = part.attributes.get(":c", "1")
                parts.append(" " * min(int(count) if count.isdigit() else 1, _MOST_SPACES))
            case "tab":
                parts.append("\t")
            case "line-break":
                parts.append("\n")
            case "note":
                mark, body = part.first("note-citation"), part.first("note-body")
                notes.append(Note(mark.text() if mark else "*", _paragraphs(body) if body else ""))
                parts.append(f"[{notes[-1].mark}]")
            case tag if tag not in _NO_TEXT:
                parts.append(text_of(part, notes))
    return "".join(parts)


def is_bold_throughout(paragraph: Element, styles: OdfStyles) -> bool:
    bold, letters = _letters(paragraph, styles, inherited=False)
    return bold > _THROUGHOUT * letters


def _letters(element: Element, styles: OdfStyles, *, inherited: bool) -> tuple[int, int]:
    """How many are bold, and all."""
    is_bold = styles.is_bold(element, inherited=inherited)
    bold = letters = 0
    for part in element.content:
        if isinstance(part, str):
            count = len("".join(part.split()))
            found = (count if is_bold else 0, count)
        elif part.tag in _NO_TEXT or part.tag == "note":
            continue
        else:
            found = _letters(part, styles, inherited=is_bold)
        bold, letters = bold + found[0], letters + found[1]
    return bold, letters


def list_lines(element: Element, styles: OdfStyles, notes: Notes, style: str = "", level: int = 0) -> Iterator[Line]:
    """One line an item; what else an item holds follows as running text."""
    style = element.attributes.get(":style-name", style)
    ordered = styles.is_numbered(style, level)
    for item in element:
        if item.tag not in ("list-item", "list-header"):
            continue
        marked = item.tag == "list-item"
        for part in item:
            if part.tag == "list":
                yield from list_lines(part, styles, notes, style, level + 1)
            elif part.tag in ("p", "h"):
                yield Line(text_of(part, notes), level if marked else None, ordered)
                marked = False


def text_boxes(element: Element) -> Iterator[Element]:
    """Boxes anchored in a paragraph or standing alone."""
    for child in element:
        if child.tag in ("text-box", "custom-shape"):
            yield child
        elif child.tag not in ("note", "annotation"):
            yield from text_boxes(child)


def _paragraphs(body: Element) -> str:
    return "\n".join(text_of(paragraph, Notes()) for paragraph in body if paragraph.tag in ("p", "h"))
