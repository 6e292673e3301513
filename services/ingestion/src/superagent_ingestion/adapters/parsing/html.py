"""HTML → blocks, by the tolerant tokenizer of the standard library.

One pass without a tree: no nesting is too deep, and an element that is never closed cannot swallow what follows it
(the converter in xberg drops everything after an unclosed table cell).
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from superagent_ingestion.adapters.parsing.cleaning import clean, join_lines, one_line
from superagent_ingestion.adapters.parsing.html_emphasis import Emphasis
from superagent_ingestion.adapters.parsing.html_lists import ItemList
from superagent_ingestion.adapters.parsing.html_tables import Grid
from superagent_ingestion.adapters.parsing.implied_headings import with_implied_headings
from superagent_ingestion.domain.blocks import Block, BlockKind

_NO_CONTENT = frozenset({"script", "style", "template", "svg", "noscript", "select", "button", "iframe", "object"})
_BOILERPLATE = frozenset({"nav", "footer"})
_VOID = frozenset({"area", "base", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BREAKING = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset"}
    | {"figcaption", "figure", "form", "header", "hr", "html", "legend", "main", "p", "section", "summary", "caption"}
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none", re.IGNORECASE)
# Shorter text behind a picture is decoration ("->", "*").
_SHORTEST_ALT = 4


def html_blocks(text: str) -> tuple[list[Block], str | None]:
    """Blocks and the title. Navigation, footers and long lists of nothing but links are left out, unless that would
    leave next to nothing (a page that is a list of links).
    """
    reader = _read(text, boilerplate=False)
    kept = sum(len(block.text) for block in reader.blocks)
    if kept < 200 or reader.never_closed:
        everything = _read(text, boilerplate=True)
        if reader.never_closed or kept * 5 < sum(len(block.text) for block in everything.blocks):
            reader = everything
    heading = next((block.text for block in reader.blocks if block.kind == "heading" and block.level == 1), None)
    return with_implied_headings(reader.blocks, reader.emphasised), one_line(reader.title) or heading


def _read(text: str, *, boilerplate: bool) -> _Reader:
    reader = _Reader(boilerplate=boilerplate)
    reader.feed(clean(text))
    reader.close()
    reader.finish()
    return reader


class _Reader(HTMLParser):
    def __init__(self, *, boilerplate: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self.emphasised: set[int] = set()
        self.title = ""
        self._boilerplate = boilerplate
        self._skipping: str | None = None
        self._skipping_depth = 0
        self._in_title = False
        self._in_pre = 0
        self._in_link = 0
        self._heading = 0
        self._lines: list[list[str]] = [[]]
        self._list = ItemList(keep_links=boilerplate)
        self._tables: list[Grid] = []
        self._emphasis = Emphasis()

    @property
    def never_closed(self) -> bool:
        return self._skipping is not None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipping is not None:
            self._skipping_depth += tag == self._skipping
            return
        attributes = {name: value or "" for name, value in attrs}
        if tag not in _VOID and self._is_left_out(tag, attributes):
            self._skipping, self._skipping_depth = tag, 1
            return
        if tag in _HEADINGS and self._tables and self._tables[-1].in_header_cell:
            # Made big, not a section: what places things has no header cells.
            self._flush()
        elif tag in _HEADINGS:
            self._leave_cell()
            self._flush_list()
            self._heading = int(tag[1])
        elif tag in _BREAKING:
            self._flush()
        elif tag == "br":
            self._lines.append([])
        elif tag in ("ul", "ol"):
            self._flush()
            self._list.open(ordered=tag == "ol", start=attributes.get("start", ""))
        elif tag == "li":
            self._flush()
            self._list.begin_item()
        elif tag in ("table", "tr", "td", "th"):
            self._start_table_part(tag, attributes)
        elif tag == "img":
            self._picture(attributes.get("alt", ""))
        self._in_title |= tag == "title"
        self._in_link += tag == "a"
        if tag == "pre":
            self._flush_list()
            self._in_pre += 1
        if tag not in _VOID and tag != "br":
            self._emphasis.open(tag, attributes.get("style", ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Only void elements close themselves in HTML; browsers ignore the slash of others, XHTML means it."""
        self.handle_starttag(tag, attrs)
        if tag not in _VOID and tag != "br":
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._skipping is not None:
            self._skipping_depth -= tag == self._skipping
            if self._skipping_depth == 0:
                self._skipping = None
            return
        if tag in _HEADINGS or tag in _BREAKING:
            self._flush()
        elif tag in ("ul", "ol"):
            self._flush()
            if self._list.close():
                self._flush_list()
        elif tag == "li":
            self._flush()
        elif tag == "table" and self._tables:
            self._end_cell()
            self.blocks.extend(self._tables.pop().blocks())
        elif tag == "pre" and self._in_pre:
            self._flush()
            self._in_pre -= 1
        elif tag == "title":
            self._in_title = False
        elif tag == "a":
            self._in_link = max(0, self._in_link - 1)
        self._emphasis.close(tag)

    def handle_data(self, data: str) -> None:
        if self._skipping is not None:
            return
        if self._in_title:
            self.title += data
            return
        self._lines[-1].append(data)
        self._emphasis.count(data)
        if self._in_link:
            self._list.count_link(data)

    def finish(self) -> None:
        self._flush_list()
        while self._tables:
            self._end_cell()
            self.blocks.extend(self._tables.pop().blocks())

    def _is_left_out(self, tag: str, attributes: dict[str, str]) -> bool:
        if tag in _NO_CONTENT:
            return True
        navigation = tag in _BOILERPLATE or attributes.get("role") in ("navigation", "contentinfo")
        hidden = "hidden" in attributes or _HIDDEN_STYLE.search(attributes.get("style", ""))
        return not self._boilerplate and bool(navigation or hidden)

    def _start_table_part(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "table":
            self._leave_cell()
            self._flush_list()
            self._tables.append(Grid())
            return
        self._end_cell()
        if self._tables:
            if tag == "tr":
                self._tables[-1].begin_row()
            else:
                self._tables[-1].begin_cell(
                    attributes.get("colspan", ""), attributes.get("rowspan", ""), is_header=tag == "th"
                )

    def _leave_cell(self) -> None:
        """A heading or a table in a cell: that table only places things, so its content is no table."""
        self._flush()
        if self._tables and self._tables[-1].in_cell:
            self.blocks.extend(self._tables[-1].dissolve())

    def _end_cell(self) -> None:
        self._flush()
        if self._tables:
            self._tables[-1].end_cell()

    def _picture(self, alt: str) -> None:
        about = one_line(alt)
        if len(about) >= _SHORTEST_ALT and not any("".join(line).strip() for line in self._lines):
            self._add("image", about)

    def _flush_list(self) -> None:
        self._flush()
        block = self._list.take()
        if block is not None:
            self._emit(block)

    def _flush(self) -> None:
        """Ends the run of text being read."""
        lines = [clean("".join(parts)) for parts in self._lines]
        self._lines = [[]]
        level, self._heading = self._heading, 0
        is_bold = self._emphasis.taken()
        if self._in_pre:
            code = "\n".join(lines).strip("\n")
            if code.strip():
                self._add("code", code)
            return
        text = "\n".join(filter(None, (join_lines(line.split("\n")) for line in lines)))
        if not text:
            return
        if level:
            self._emit(Block("heading", one_line(text), level))
        elif self._tables and self._tables[-1].in_cell:
            self._tables[-1].add(text)
        elif self._list.is_open:
            self._list.add(text)
        else:
            if is_bold:
                self.emphasised.add(len(self.blocks))
            self._emit(Block("paragraph", text))

    def _add(self, kind: BlockKind, text: str) -> None:
        if self._tables and self._tables[-1].in_cell:
            self._tables[-1].add(text)
        else:
            self._emit(Block(kind, text))

    def _emit(self, block: Block) -> None:
        self.blocks.append(block)
