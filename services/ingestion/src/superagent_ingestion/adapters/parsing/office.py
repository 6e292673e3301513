"""The old binary formats of Office, and Outlook messages → blocks, from the structure xberg finds."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import xberg

from superagent_ingestion.adapters.parsing.cleaning import clean, lines_of_prose, one_line
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.tables import table_block
from superagent_ingestion.adapters.parsing.text import unwrapped
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

# Longer "headings" are paragraphs whose author liked the look of one.
_LONGEST_HEADING = 200
_PARAGRAPHS = frozenset({"paragraph", "footnote", "formula", "citation"})
_FOOTNOTE_MARK = re.compile(r"\[\^(\w{1,8})\]")


@dataclass(frozen=True, slots=True)
class _Node:
    content: dict[str, Any]
    children: tuple[int, ...]

    @property
    def kind(self) -> str:
        return str(self.content["node_type"])


def one_table(rows: list[list[str]]) -> list[Block]:
    """What a table in a text is; a sheet may hold several."""
    block = table_block(rows)
    return [block] if block is not None else []


def office_blocks(
    data: bytes, media_type: str, limits: ParserLimits, tables: Callable[[list[list[str]]], list[Block]] = one_table
) -> tuple[list[Block], str | None]:
    """Blocks and the title that the document's properties state. `tables` makes blocks of the rows of a table.

    No page numbers: xberg counts explicit breaks only, and a wrong page in a citation is worse than none.
    Raises DocumentRejected: encrypted, archive_bomb or unreadable.
    """
    document = _extract(data, media_type, limits)
    nodes = {
        number: _Node(json.loads(str(node.content)), tuple(node.children))
        for number, node in enumerate(document.document.nodes if document.document else ())
        if str(node.content_layer).rpartition(".")[2].lower() in ("body", "footnote")
    }
    blocks = [block for block in _blocks(nodes, tables) if block.text.strip()]
    if not blocks:
        parts = re.split(r"\n{2,}", clean(document.content))
        blocks = [Block("paragraph", unwrapped(part)) for part in parts if part.strip()]
    return blocks, one_line(document.metadata.title or "") or None


def _extract(data: bytes, media_type: str, limits: ParserLimits) -> xberg.ExtractedDocument:
    config = xberg.ExtractionConfig(
        use_cache=False,
        disable_ocr=True,
        enable_quality_processing=False,
        include_document_structure=True,
        max_archive_depth=0,
        security_limits=xberg.SecurityLimits(
            max_archive_size=limits.inflated_bytes,
            # `archive` has checked the ratio, and leaves small files alone that xberg would refuse.
            max_compression_ratio=1_000_000,
            max_files_in_archive=limits.entries,
            max_content_size=limits.inflated_bytes,
            max_table_cells=5_000_000,
        ),
    )
    source = xberg.ExtractInput(kind="bytes", bytes=data, mime_type=media_type)
    try:
        result = asyncio.run(xberg.extract(source, config))
    except (xberg.XbergError, RuntimeError) as error:
        raise _rejection(str(error)) from error
    if not result.results:
        raise DocumentRejected("unreadable", "The file is damaged: its content cannot be read.")
    return result.results[0]


def _rejection(said: str) -> DocumentRejected:
    """xberg raises RuntimeError for nearly everything, so its words must do."""
    if "encrypted" in said or "password" in said:
        return DocumentRejected("encrypted", "The file is encrypted; save it without a password first.")
    if "Security limit" in said:
        return DocumentRejected("archive_bomb", "The file is not opened: it unpacks to far too much.")
    return DocumentRejected("unreadable", "The file is damaged: its content cannot be read.")


def _blocks(nodes: dict[int, _Node], tables: Callable[[list[list[str]]], list[Block]]) -> Iterator[Block]:
    in_list: set[int] = set()
    for number, node in nodes.items():
        if number in in_list:
            continue
        if node.kind == "list":
            in_list.update(_descendants(nodes, number))
            yield Block("list", "\n".join(_items(nodes, node, depth=0)))
            continue
        if node.kind == "table":
            yield from tables(_rows(node.content["grid"]))
            continue
        block = _block(node)
        if block is not None:
            yield block


def _block(node: _Node) -> Block | None:
    content = node.content
    text = clean(str(content.get("text") or ""))
    match node.kind:
        case "title" | "heading":
            heading = one_line(text)
            if len(heading) > _LONGEST_HEADING:
                return Block("paragraph", heading)
            return Block("heading", heading, min(max(int(content.get("level", 1)), 1), 6))
        case kind if kind in _PARAGRAPHS:
            return Block("paragraph", _without_marks(unwrapped(text)))
        case "list_item":
            return Block("list", "- " + one_line(text))
        case "table":
            return table_block(_rows(content["grid"]))
        case "code":
            return Block("code", text.strip("\n"))
        case "image":
            return Block("image", one_line(str(content.get("description") or "")))
        case "definition_item":
            return Block("paragraph", one_line(f"{content['term']}: {content['definition']}"))
        case "metadata_block":
            entries = (f"{entry['key']}: {entry['value']}" for entry in content["entries"])
            return Block("paragraph", lines_of_prose("\n".join(entries)))
        case "raw_block":
            return Block("paragraph", lines_of_prose(str(content["content"])))
    return None


def _items(nodes: dict[int, _Node], node: _Node, depth: int) -> Iterator[str]:
    ordered = bool(node.content.get("ordered"))
    number = 0
    for child in (nodes[index] for index in node.children if index in nodes):
        if child.kind == "list":
            yield from _items(nodes, child, depth + 1)
            continue
        block = _block(child)
        if block is None or not block.text.strip():
            continue
        number += child.kind == "list_item"
        marker = f"{number}. " if ordered else "- "
        text = one_line(block.text.removeprefix("- "))
        yield "  " * depth + (marker if child.kind == "list_item" else "  ") + text
        yield from _items(nodes, child, depth + 1) if child.children else ()


def _descendants(nodes: dict[int, _Node], number: int) -> Iterator[int]:
    waiting = list(nodes[number].children)
    while waiting:
        child = waiting.pop()
        yield child
        waiting.extend(nodes[child].children if child in nodes else ())


def _rows(grid: dict[str, Any]) -> list[list[str]]:
    rows: list[list[str]] = [[] for _ in range(int(grid["rows"]))]
    for cell in sorted(grid["cells"], key=lambda cell: (cell["row"], cell["col"])):
        row = rows[cell["row"]]
        row.extend([""] * (cell["col"] - len(row)))
        row.append(str(cell["content"]))
    return rows


def _without_marks(text: str) -> str:
    """Footnote marks as authors print them: [1] instead of Markdown's [^1]."""
    return _FOOTNOTE_MARK.sub(r"[\1]", text)


def wake() -> None:
    """Starts xberg's threads, which otherwise happens with the first document."""
    asyncio.run(xberg.extract(xberg.ExtractInput(kind="bytes", bytes=b"{}", mime_type="application/json")))
