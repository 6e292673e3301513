"""EPUB → blocks: its chapters in reading order, each with a heading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from superagent_ingestion.adapters.parsing.charset import UndecodableText, decode
from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.adapters.parsing.html import html_blocks
from superagent_ingestion.adapters.parsing.package import Package, resolved
from superagent_ingestion.adapters.parsing.safe_xml import Element
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
# Fonts may be scrambled in an open book.
_FONTS = (".otf", ".ttf", ".woff", ".woff2")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A part of the book: where it lies in the archive, of which kind, with which properties ("nav")."""

    part: str
    media_type: str
    properties: frozenset[str]


def epub_blocks(path: Path) -> tuple[list[Block], str | None]:
    """Blocks and the title. Raises DocumentRejected: encrypted, unreadable."""
    with Package(path) as package:
        _refuse_locked(package)
        book, name = _book(package)
        title = next((one_line(entry.text()) for entry in book.every("title")), "")
        entries = {
            item.attributes.get("id", ""): _Entry(
                resolved(name, item.attributes.get("href", "")),
                item.attributes.get("media-type", ""),
                frozenset(item.attributes.get("properties", "").split()),
            )
            for item in book.first("manifest") or ()
        }
        named = [
            item.attributes.get("idref", "")
            for item in book.first("spine") or ()
            if item.attributes.get("linear") != "no"
        ]
        # Each part once, however often a hostile book names it.
        spine = dict.fromkeys(entries[name] for name in named if name in entries)
        labels = _labels(package, entries.values())
        blocks: list[Block] = []
        for entry in spine:
            if entry.media_type in _PAGES and "nav" not in entry.properties:
                blocks += _chapter(package, entry, labels.get(entry.part, ""))
    return blocks, title or None


def _chapter(package: Package, entry: _Entry, label: str) -> Iterator[Block]:
    """A chapter without a heading takes the name it has in the table of contents."""
    data = package.read(entry.part)
    if data is None:
        return
    try:
        blocks = html_blocks(decode(data)[0])[0]
    except UndecodableText:
        return
    if label and blocks and not any(block.kind == "heading" for block in blocks):
        yield Block("heading", label, 1)
    yield from blocks


def _book(package: Package) -> tuple[Element, str]:
    """The package document and where it lies."""
    container = package.xml("META-INF/container.xml")
    root = next(container.every("rootfile"), None) if container else None
    name = root.attributes.get("full-path", "") if root else ""
    book = package.xml(name)
    if book is None:
        raise DocumentRejected("unreadable", "The file is damaged: the book's list of parts is missing.")
    return book, name


def _refuse_locked(package: Package) -> None:
    locks = package.xml("META-INF/encryption.xml")
    locked = [entry.attributes.get("URI", "") for entry in locks.every("CipherReference")] if locks else []
    if any(not name.lower().endswith(_FONTS) for name in locked):
        raise DocumentRejected("encrypted", "The book is protected against copying; its text cannot be read.")


def _labels(package: Package, entries: Iterable[_Entry]) -> dict[str, str]:
    """What the table of contents calls each part: of EPUB 2 (NCX) or EPUB 3 (a page with links)."""
    labels: dict[str, str] = {}
    for entry in entries:
        if entry.media_type != "application/x-dtbncx+xml" and "nav" not in entry.properties:
            continue
        try:
            root = package.xml(entry.part)
        except DocumentRejected:
            # Chapters can be read without their names.
            continue
        for target, label in _points(root) if root else ():
            labels.setdefault(resolved(entry.part, target), one_line(label))
    return labels


def _points(root: Element) -> Iterator[tuple[str, str]]:
    for child in root:
        if child.tag == "navPoint":
            label, content = child.first("navLabel"), child.first("content")
            if label and content:
                yield content.attributes.get("src", ""), label.text()
        elif child.tag == "a" and "href" in child.attributes:
            yield child.attributes["href"], child.text()
        yield from _points(child)
