"""What a parser makes of a file: blocks in reading order, whatever the format was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "image"]
Language = Literal["zh", "en", "und"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a document.

    text: plain text without markup, never empty. A list has one item a line, nested items indented by two spaces a
        level. A table is a pipe table: header row, `| --- |` row, one row a line. An image is what is said about it.
    level: 1..6 for a heading, 0 for everything else.
    page: counted from 1; None where the format has no pages (Word lays pages out only when it prints).
    """

    kind: BlockKind
    text: str
    level: int = 0
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A file after parsing; holds at least one block.

    title: what the document calls itself, None when it does not say.
    language: of most of the text; "und" is every language but Chinese and English.
    media_type: of the content, which the file name may contradict.
    parser: name and version of what read it, for the document's log.
    pages_without_text: pages that say nothing, most often scans that were not recognised.
    ocr_pages: pages whose text was recognised in a picture of them; ocr_confidence: how sure the recogniser was, in per
        cent over all characters, None without such pages.
    """

    blocks: tuple[Block, ...]
    title: str | None
    language: Language
    media_type: str
    pages: int | None
    parser: str
    pages_without_text: int = 0
    ocr_pages: int = 0
    ocr_confidence: int | None = None
