"""What the styles of an OpenDocument file say about its paragraphs and lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from superagent_ingestion.adapters.parsing.safe_xml import Element

_HOLDERS = ("styles", "automatic-styles")
# LibreOffice writes a space in a style's name as _20_; the names themselves are the same in every language.
_HEADING = re.compile(r"heading(?:\s|_20_)*([1-9]|10)", re.IGNORECASE)

_BOLD = frozenset({"bold", "600", "700", "800", "900"})


@dataclass(frozen=True, slots=True)
class _Style:
    parent: str
    level: str
    weight: str


class OdfStyles:
    """Of content.xml and styles.xml together."""

    def __init__(self, content: Element, shared: Element | None) -> None:
        self._styles: dict[str, _Style] = {}
        self._numbered: set[tuple[str, int]] = set()
        for style in _definitions(shared, content):
            name = style.attributes.get(":name", "")
            if style.tag == "style":
                self._styles[name] = _Style(
                    style.attributes.get(":parent-style-name", ""),
                    style.attributes.get(":default-outline-level", ""),
                    next(
                        (part.attributes.get(":font-weight", "") for part in style if part.tag == "text-properties"), ""
                    ),
                )
            elif style.tag == "list-style":
                for level in style:
                    if level.tag == "list-level-style-number" and level.attributes.get(":num-format"):
                        self._numbered.add((name, _number(level.attributes.get(":level", ""), 1)))

    def heading_level(self, paragraph: Element) -> int:
        """1..6, 0 for running text. "Title" is level 1: there the document names itself."""
        if paragraph.tag == "h":
            return min(max(_number(paragraph.attributes.get(":outline-level", ""), 1), 1), 6)
        for name, style in self._ancestry(paragraph.attributes.get(":style-name", "")):
            if name == "Title":
                return 1
            if named := _HEADING.fullmatch(name):
                return min(int(named.group(1)), 6)
            if style.level.isdigit() and int(style.level):
                return min(int(style.level), 6)
        return 0

    def is_bold(self, element: Element, *, inherited: bool) -> bool:
        """inherited: what holds where no style says."""
        weights = (style.weight for _, style in self._ancestry(element.attributes.get(":style-name", "")))
        weight = next(filter(None, weights), "")
        return weight in _BOLD if weight else inherited

    def is_numbered(self, list_style: str, level: int) -> bool:
        """Whether a list counts at this level, from 0."""
        return (list_style, level + 1) in self._numbered

    def _ancestry(self, name: str) -> Iterator[tuple[str, _Style]]:
        for _ in range(20):
            style = self._styles.get(name)
            if style is None:
                return
            yield name, style
            name = style.parent


def _definitions(*roots: Element | None) -> Iterator[Element]:
    for root in roots:
        for holder in root or ():
            if holder.tag in _HOLDERS:
                yield from holder


def _number(value: str, otherwise: int) -> int:
    return int(value) if value.isdigit() else otherwise
