"""Markdown → blocks, by the CommonMark tokens of markdown-it-py (with pipe tables)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

from superagent_ingestion.adapters.parsing.cleaning import clean, join_lines, lines_of_prose, one_line
from superagent_ingestion.adapters.parsing.html import html_blocks
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.domain.blocks import Block

# What is nested deeper, markdown-it drops; a level takes it two steps, and us a few frames of the stack.
_DEEPEST = 60
_MARK = r"[ \t]{0,3}(?:>|[*+-][ \t])"
_TOO_DEEP = re.compile(rf"^((?:{_MARK}){{{_DEEPEST}}})(?:{_MARK})+|^( {{{2 * _DEEPEST}}}) +(?=[*+-] )", re.MULTILINE)
_PARSER = MarkdownIt("commonmark", {"html": True, "maxNesting": 4 * _DEEPEST}).enable(["table", "strikethrough"])
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(.+?)[ \t]*$", re.MULTILINE)


def markdown_blocks(text: str) -> tuple[list[Block], str | None]:
    """Blocks and the title: of the front matter, else the first heading of level 1. Front matter is no content."""
    source = _TOO_DEEP.sub(r"\1\2", clean(text))
    title: str | None = None
    front = _FRONT_MATTER.match(source)
    if front:
        source = source[front.end() :]
        named = _FRONT_TITLE.search(front.group(1))
        title = named.group(1).strip("\"'") if named else None
    blocks = _Reader(source.split("\n"), _PARSER.parse(source)).blocks()
    first = next((block.text for block in blocks if block.kind == "heading" and block.level == 1), None)
    return blocks, title or first


class _Reader:
    def __init__(self, lines: Sequence[str], tokens: Sequence[Token]) -> None:
        self._lines = lines
        self._tokens = tokens
        self._at = 0

    def blocks(self) -> list[Block]:
        blocks: list[Block] = []
        while self._at < len(self._tokens):
            blocks.extend(block for block in self._next() if block.text.strip())
        return blocks

    def _next(self) -> Sequence[Block]:
        token = self._take()
        match token.type:
            case "heading_open":
                return [Block("heading", one_line(_plain(self._take())), int(token.tag[1]))]
            case "inline":
                return [_paragraph(token)]
            case "bullet_list_open" | "ordered_list_open":
                return [Block("list", "\n".join(self._items(token, depth=0)))]
            case "table_open":
                table = table_block(self._rows())
                return [table] if table is not None else []
            case "fence" | "code_block":
                return [Block("code", token.content.strip("\n"))]
            case "html_block":
                return self._html(token)
        return []

    def _html(self, first: Token) -> Sequence[Block]:
        """A blank line ends a block of HTML, but not what it is in the middle of: a table goes on in the next one."""
        parts = [first.content]
        while self._at < len(self._tokens) and self._tokens[self._at].type == "html_block":
            parts.append(self._take().content)
        return html_blocks("".join(parts))[0]

    def _take(self) -> Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _items(self, opening: Token, depth: int) -> list[str]:
        """Lines of the list whose opening token was just taken."""
        lines: list[str] = []
        number = int(opening.attrGet("start") or 1)
        ordered = opening.type == "ordered_list_open"
        closing = opening.type.replace("_open", "_close")
        marked = False
        while (token := self._take()).type != closing:
            match token.type:
                case "list_item_open":
                    marked = False
                case "inline" | "fence" | "code_block" | "html_block":
                    content = _plain(token) if token.type == "inline" else _verbatim(token)
                    marker = f"{number}. " if ordered else "- "
                    lead = "  " * depth + (marker if not marked else " " * len(marker))
                    number += not marked
                    marked = True
                    lines.append(lead + one_line(content))
                case "bullet_list_open" | "ordered_list_open":
                    lines.extend(self._items(token, depth + 1))
                case "table_open":
                    lines.extend("  " * (depth + 1) + " | ".join(row) for row in self._rows())
        return lines

    def _rows(self) -> list[list[str]]:
        rows: list[list[str]] = []
        written: list[str] = []
        while (token := self._take()).type != "table_close":
            if token.type == "tr_open":
                written = _cells(self._lines[token.map[0]]) if rows and token.map else []
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(one_line(_plain(token)))
            elif token.type == "tr_close":
                # Cells beyond the header's are no table in Markdown, but their author wrote them.
                rows[-1].extend(written[len(rows[-1]) :])
        return rows


def _cells(line: str) -> list[str]:
    """The cells of a table's row, which may stand in a quotation."""
    cells = [one_line(cell) for cell in escapedSplit(line.strip().lstrip("> \t"))]
    return cells[not cells[0] : len(cells) - (not cells[-1])]


def _paragraph(inline: Token) -> Block:
    children = inline.children or []
    if children and all(child.type == "image" for child in children):
        return Block("image", one_line(" ".join(child.content for child in children)))
    return Block("paragraph", lines_of_prose(_plain(inline)))


def _plain(inline: Token) -> str:
    """Text without markup; a soft break joins as prose does, a hard one stays."""
    lines: list[list[str]] = [[]]
    for child in inline.children or []:
        match child.type:
            case "text" | "code_inline" | "image":
                lines[-1].append(child.content)
            case "softbreak":
                lines[-1].append("\n")
            case "hardbreak":
                lines.append([])
            case "html_inline" if child.content.lower().startswith("<br"):
                lines.append([])
    return "\n".join(join_lines("".join(line).split("\n")) for line in lines)


def _verbatim(token: Token) -> str:
    return _text_of_html(token.content) if token.type == "html_block" else token.content


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def _text_of_html(source: str) -> str:
    parser = _Text()
    parser.feed(source)
    parser.close()
    return lines_of_prose("".join(parser.parts))
