"""XML of any vocabulary → blocks, by what its elements hold rather than by what they are called.

An element with a title is a section (JATS, DocBook, DITA, TEI); one with text beside elements is a paragraph; repeated
elements with nothing but values inside are the rows of a table; what is left are names with values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from superagent_ingestion.adapters.parsing.cleaning import one_line
from superagent_ingestion.adapters.parsing.lines import Line, line_blocks
from superagent_ingestion.adapters.parsing.safe_xml import Element, parse_xml
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block

_TITLES = ("title", "head", "heading", "bridgehead")
# Elsewhere, this is the title of a work that is cited.
_TITLE_OF_GROUP = "article-title"
_LABELS = frozenset({"label", "num"})
_PARAGRAPHS = frozenset({"p", "para", "simpara", "blockquote", "quote", "disp-quote", "caption", "l", "lg", "note"})
_CODE = frozenset({"pre", "code", "programlisting", "preformat", "codeblock", "screen", "eg"})
_LISTS = frozenset({"list", "ul", "ol", "itemizedlist", "orderedlist", "simplelist"})
_ORDERED = frozenset({"ol", "orderedlist"})
_TABLES = frozenset({"table", "tgroup"})
_ROWS = frozenset({"tr", "row"})
_CELLS = frozenset({"td", "th", "entry", "cell"})
_PICTURES = re.compile(r"(?:inline-)?(?:graphic|figure-?data|imagedata|media|binary|formula-image)", re.IGNORECASE)
_LONGEST_HEADING = 200
_FEWEST_ROWS = 2
_SHORT = 400
_LONGEST_RECORD = 600


def xml_blocks(text: str) -> tuple[list[Block], str | None]:
    """Blocks and the title. The text is decoded already. Raises DocumentRejected."""
    root = parse_xml(text.encode(errors="replace"), "utf-8")
    blocks = list(_blocks(root, 1))
    first = next((block for block in blocks if block.kind == "heading"), None)
    return blocks, first.text if first else None


def _blocks(element: Element, level: int) -> Iterator[Block]:
    """Blocks of an element that would be a section of this level."""
    tag = element.tag.lower()
    if tag in _CODE:
        yield Block("code", element.text().strip("\n"))
    elif tag in _LISTS:
        yield from line_blocks(list(_items(element, 0)))
    elif tag in _TABLES:
        yield from _table(element)
    elif _is_paragraph(element):
        yield from _paragraph(element, level)
    else:
        yield from _section(element, level)


def _section(element: Element, level: int) -> Iterator[Block]:
    title = _title(element)
    if title is not None:
        heading = one_line(" ".join([*(child.text() for child in element if child.tag in _LABELS), title.text()]))
        if len(heading) <= _LONGEST_HEADING and heading:
            yield Block("heading", heading, min(level, 6))
            level += 1
        elif heading:
            yield Block("paragraph", heading)
    values: dict[str, list[str]] = {}
    for group in _groups([child for child in element if child is not title]):
        rows = _records(group)
        if rows:
            yield from _named(values)
            block = table_block(rows)
            yield from [block] if block else []
            continue
        for child in group:
            if title is not None and child.tag in _LABELS:
                continue
            said = _short_value(child)
            if said is None:
                yield from _named(values)
                yield from _blocks(child, level)
            elif said:
                values.setdefault(child.tag, []).append(said)
    yield from _named(values)


def _title(element: Element) -> Element | None:
    titles = (*_TITLES, _TITLE_OF_GROUP) if element.tag.lower() == "title-group" else _TITLES
    return next((child for child in element if child.tag.lower() in titles and child.text().strip()), None)


def _is_paragraph(element: Element) -> bool:
    """Text, alone or beside elements, or an element that vocabularies agree to be one."""
    return element.tag.lower() in _PARAGRAPHS or any(isinstance(part, str) and part.strip() for part in element.content)


def _paragraph(element: Element, level: int) -> Iterator[Block]:
    """Running text; lists and tables in it stand alone."""
    parts: list[str] = []
    for part in element.content:
        if isinstance(part, str):
            parts.append(part)
        elif part.tag.lower() in _LISTS | _CODE | {"table", "table-wrap"} or (
            part.tag.lower() in _PARAGRAPHS and part.text().strip()
        ):
            yield from _prose(parts)
            yield from _blocks(part, level)
        else:
            parts.append(part.text())
    yield from _prose(parts)


def _prose(parts: list[str]) -> Iterator[Block]:
    text = one_line("".join(parts))
    parts.clear()
    if text:
        yield Block("paragraph", text)


def _items(element: Element, level: int) -> Iterator[Line]:
    kind = element.attributes.get("list-type", "")
    ordered = element.tag.lower() in _ORDERED or kind in ("order", "ordered", "arabic")
    for item in element:
        inner = [child for child in item if child.tag.lower() in _LISTS]
        own = "".join(part if isinstance(part, str) else part.text() for part in item.content if part not in inner)
        if own.strip():
            yield Line(one_line(own), level, ordered)
        for child in inner:
            yield from _items(child, level + 1)


def _table(element: Element) -> Iterator[Block]:
    rows = [
        [one_line(cell.text()) for cell in row if cell.tag.lower() in _CELLS]
        for tag in _ROWS
        for row in element.every(tag)
    ]
    block = table_block(rows)
    if block is not None:
        yield block


def _groups(children: Sequence[Element]) -> Iterator[list[Element]]:
    """Runs of siblings of one name."""
    group: list[Element] = []
    for child in children:
        if group and group[0].tag != child.tag:
            yield group
            group = []
        group.append(child)
    if group:
        yield group


def _records(group: Sequence[Element]) -> list[list[str]]:
    """A header and a row each, when they are records: attributes and values only, most names shared by most of them."""
    if len(group) < _FEWEST_ROWS or not all(_is_record(entry) for entry in group):
        return []
    fields = [_fields(entry) for entry in group]
    names = Counter(name for entry in fields for name in entry)
    if len(names) < 2 or sum(names.values()) < 0.5 * len(names) * len(group):
        return []
    header = list(names)
    return [header, *([entry.get(name, "") for name in header] for entry in fields)]


def _is_record(element: Element) -> bool:
    if _is_value(element):
        return bool(element.attributes) and not element.text().strip()
    # What holds records itself is none.
    inner = Counter(child.tag for child in element if any(True for _ in child))
    return _is_data(element) and len(element.text()) <= _LONGEST_RECORD and max(inner.values(), default=0) <= 2


def _is_data(element: Element) -> bool:
    """Names and values all the way down, no sentence in between."""
    if element.tag.lower() in _LISTS | _TABLES:
        return False
    if any(True for _ in element):
        has_text = any(isinstance(part, str) and part.strip() for part in element.content)
        return not has_text and _title(element) is None and all(map(_is_data, element))
    return _is_value(element)


def _fields(element: Element) -> dict[str, str]:
    """Attributes but for mere ids, then values; those of one name share a cell."""
    fields = {name: value for name, value in element.attributes.items() if not name.startswith(":") and name != "id"}
    for leaf in _leaves(element):
        value = one_line(leaf.text())
        if value:
            fields[leaf.tag] = f"{fields[leaf.tag]}; {value}" if leaf.tag in fields else value
    return fields or dict(element.attributes)


def _leaves(element: Element) -> Iterator[Element]:
    for child in element:
        if any(True for _ in child):
            yield from _leaves(child)
        else:
            yield child


def _is_value(element: Element) -> bool:
    """Text only, or nothing at all."""
    tag = element.tag.lower()
    return not any(True for _ in element) and tag not in _PARAGRAPHS | _CODE and tag not in _TITLES


def _short_value(element: Element) -> str | None:
    """What a value or a small group of values says; None for what has structure of its own."""
    if _PICTURES.fullmatch(element.tag):
        return ""
    if _is_value(element):
        return one_line(element.text())
    if not _is_data(element) or any(map(_records, _groups(list(element)))):
        return None
    said = "; ".join(filter(None, (one_line(leaf.text()) for leaf in _leaves(element))))
    return said if len(said) <= _SHORT else None


def _named(values: dict[str, list[str]]) -> Iterator[Block]:
    if values:
        yield Block("paragraph", "\n".join(f"{name}: {'; '.join(said)}" for name, said in values.items()))
        values.clear()
