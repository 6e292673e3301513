"""XML → elements, without entities, outside references or endless nesting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from xml.parsers import expat

from superagent_ingestion.domain.rejection import DocumentRejected

# Real documents stay below 60; the readers of elements are recursive.
_DEEPEST = 200
_BLOCK = 64 << 10


@dataclass(slots=True)
class Element:
    """tag: without namespace, for two editions of Office differ in nothing else. attributes: those with a namespace
    have its name replaced by a colon (":id" for r:id). content: elements and text in their order.
    """

    tag: str
    attributes: dict[str, str]
    content: list[Element | str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        """The elements directly in it."""
        return (part for part in self.content if isinstance(part, Element))

    def first(self, *path: str) -> Element | None:
        """The first element down this path of tags."""
        found: Element | None = self
        for tag in path:
            found = next((child for child in found if child.tag == tag), None) if found else None
        return found

    def every(self, tag: str) -> Iterator[Element]:
        """All elements of this name inside, in document order, not looking inside one that was found."""
        for child in self:
            if child.tag == tag:
                yield child
            else:
                yield from child.every(tag)

    def text(self) -> str:
        """All text inside."""
        if len(self.content) == 1 and isinstance(self.content[0], str):
            return self.content[0]
        return "".join(part if isinstance(part, str) else part.text() for part in self.content)


def parse_xml(data: bytes, encoding: str | None = None) -> Element:
    """The root element. `encoding` goes before the one the document declares.

    Raises DocumentRejected: unsafe_xml for entity definitions and endless nesting, unreadable for what is no XML.
    """
    building = _Building(None, encoding)
    building.feed(data, is_last=True)
    return next(building.taken())


def elements_of(data: bytes, *tags: str) -> Iterator[Element]:
    """Every element of these names, one after the other and never all in memory; for sheets of a million rows.

    Raises DocumentRejected, as parse_xml does.
    """
    building = _Building(frozenset(tags), None)
    for start in range(0, len(data), _BLOCK):
        building.feed(data[start : start + _BLOCK], is_last=False)
        yield from building.taken()
    building.feed(b"", is_last=True)
    yield from building.taken()


class _Building:
    """Elements of the wanted names as the parser meets them; without names the root."""

    def __init__(self, wanted: frozenset[str] | None, encoding: str | None) -> None:
        self._wanted = wanted
        self._depth = 0
        self._path: list[Element] = []
        self._done: list[Element] = []
        self._parser = expat.ParserCreate(encoding, namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = _refuse_entity
        # As if a DTD elsewhere defined what is not defined here: "&nbsp;" is a slip, no damage.
        self._parser.UseForeignDTD(True)
        self._parser.SkippedEntityHandler = lambda name, _: self._characters(unescape(f"&{name};"))

    def feed(self, data: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(data, is_last)
        except (expat.ExpatError, ValueError, LookupError) as error:
            raise DocumentRejected("unreadable", "The file is damaged: its XML cannot be read.") from error

    def taken(self) -> Iterator[Element]:
        done, self._done = self._done, []
        return iter(done)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise DocumentRejected("unsafe_xml", f"The file nests its XML more than {_DEEPEST} levels deep.")
        name = _local(tag)
        if not self._path and self._wanted is not None and name not in self._wanted:
            return
        element = Element(name, {_attribute(key): value for key, value in attributes.items()})
        if self._path:
            self._path[-1].content.append(element)
        self._path.append(element)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if self._path:
            element = self._path.pop()
            if not self._path:
                self._done.append(element)

    def _characters(self, text: str) -> None:
        if self._path:
            self._path[-1].content.append(text)


@lru_cache(4096)
def _local(name: str) -> str:
    return name.rpartition(" ")[2]


@lru_cache(4096)
def _attribute(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    return f":{local}" if namespace else local


def _refuse_entity(*declared: object) -> None:
    raise DocumentRejected("unsafe_xml", "The file defines XML entities, which are not resolved for safety.")
