"""What the style sheet of a Word file says about paragraphs: headings, contents, numbering."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from superagent_ingestion.adapters.parsing.safe_xml import Element

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|table of figures)(?: \d|heading| heading)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str
    outline: int | None
    numbering: Element | None


class DocxStyles:
    """Built-in styles keep their English names in every language's Word."""

    def __init__(self, root: Element | None) -> None:
        self._styles: dict[str, _Style] = {}
        for style in root or ():
            if style.tag == "style":
                properties = style.first("pPr")
                self._styles[style.attributes.get(":styleId", "")] = _Style(
                    value(style, "name"),
                    value(style, "basedOn"),
                    outline_level(properties),
                    properties.first("numPr") if properties else None,
                )

    def heading_level(self, properties: Element | None) -> int:
        """1..6 of a paragraph with these properties, 0 for running text. "Title" is level 1."""
        own = outline_level(properties)
        if own is not None:
            return own
        for style in self._ancestry(properties):
            if style.name.lower() == "title":
                return 1
            if style.outline is not None:
                return style.outline
            if named := _HEADING.fullmatch(style.name):
                return min(int(named.group(1)), 6)
        return 0

    def is_title(self, properties: Element | None) -> bool:
        return any(style.name.lower() == "title" for style in self._ancestry(properties))

    def is_contents(self, properties: Element | None) -> bool:
        """A line of a table of contents."""
        return any(_CONTENTS.fullmatch(style.name) for style in self._ancestry(properties))

    def numbering(self, properties: Element | None) -> tuple[str, int]:
        """Id of the numbering and the level in it, counted from 0; ("", 0) for none."""
        own = properties.first("numPr") if properties else None
        inherited = [style.numbering for style in self._ancestry(properties) if style.numbering is not None]
        number = level = ""
        for stated in [own, *inherited]:
            if stated is not None:
                number, level = number or value(stated, "numId"), level or value(stated, "ilvl")
        return ("" if number == "0" else number), min(int(level), 8) if level.isdigit() else 0

    def _ancestry(self, properties: Element | None) -> Iterator[_Style]:
        name = value(properties, "pStyle") if properties else ""
        for _ in range(20):
            style = self._styles.get(name)
            if style is None:
                return
            yield style
            name = style.based_on


def value(element: Element, *path: str) -> str:
    """The value of an element down this path; "" when there is none."""
    found = element.first(*path)
    return found.attributes.get(":val", "") if found else ""


def outline_level(properties: Element | None) -> int | None:
    """1..6; 0 where a style takes the outline of another one away; None where nothing is said."""
    stated = value(properties, "outlineLvl") if properties else ""
    if not stated.isdigit():
        return None
    return min(int(stated) + 1, 6) if int(stated) < 9 else 0
