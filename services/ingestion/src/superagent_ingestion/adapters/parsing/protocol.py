"""What the parser process and its owner say to each other: frames of JSON with a length of four bytes before them."""

from __future__ import annotations

import json
import struct
from typing import Any

from superagent_ingestion.domain.blocks import Block, ParsedDocument

LENGTH = struct.Struct("!I")


def frame(message: dict[str, Any]) -> bytes:
    # Lone surrogates, which a broken document may hold, have no UTF-8.
    content = json.dumps(message, ensure_ascii=False).encode("utf-8", errors="replace")
    return LENGTH.pack(len(content)) + content


def document_to_wire(document: ParsedDocument) -> dict[str, Any]:
    return {
        "blocks": [[block.kind, block.text, block.level, block.page] for block in document.blocks],
        "title": document.title,
        "language": document.language,
        "media_type": document.media_type,
        "pages": document.pages,
        "parser": document.parser,
        "pages_without_text": document.pages_without_text,
        "ocr_pages": document.ocr_pages,
        "ocr_confidence": document.ocr_confidence,
    }


def document_from_wire(wire: dict[str, Any]) -> ParsedDocument:
    return ParsedDocument(
        **{**wire, "blocks": tuple(Block(kind, text, level, page) for kind, text, level, page in wire["blocks"])}
    )
