"""One file → one parsed document: what all kinds have in common."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.readers import FORMATS
from superagent_ingestion.adapters.parsing.reading import Content, Source, Tools
from superagent_ingestion.adapters.parsing.sniff import kind_of
from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.language import detect_language
from superagent_ingestion.domain.rejection import DocumentRejected

_NO_TOOLS = Tools()


def parse_document(path: Path, file_name: str, limits: ParserLimits, tools: Tools = _NO_TOOLS) -> ParsedDocument:
    """Reads the file at `path` that its owner calls `file_name`. Raises DocumentRejected."""
    kind = kind_of(path, file_name, limits, pictures=tools.recogniser is not None)
    format_ = FORMATS[kind]
    content = format_.read(Source(path, format_.media_type, limits, tools))
    blocks = tuple(replace(block, text=block.text.strip("\n")) for block in content.blocks if block.text.strip())
    if not blocks:
        raise DocumentRejected("no_text", _why_no_text(kind, content, tools))
    characters = sum(len(block.text) for block in blocks)
    if characters > limits.characters:
        raise DocumentRejected(
            "too_large", f"The file holds {characters:,} characters; at most {limits.characters:,} can be taken in."
        )
    return ParsedDocument(
        blocks=blocks,
        title=content.title or None,
        language=detect_language(_sample(blocks)),
        media_type=format_.media_type,
        pages=content.pages,
        parser=_parser_name(kind, format_.library, content, tools),
        pages_without_text=content.textless,
        ocr_pages=content.recognised.pages,
        ocr_confidence=content.recognised.per_cent,
    )


def _why_no_text(kind: str, content: Content, tools: Tools) -> str:
    if tools.recogniser is not None and (kind == "pdf" or content.recognised.pages):
        return "The file holds no text, and none was recognised in its pictures."
    if kind == "pdf":
        return (
            "The file holds no text; if it is a scan, it can be read where OCR is installed (the extra “ocr”) and on."
        )
    return "The file holds no text."


def _sample(blocks: tuple[Block, ...]) -> str:
    """Text from the beginning, the middle and the end: title pages and licences may be in another language."""
    third = max(1, len(blocks) // 3)
    starts = (0, third, 2 * third)
    return "\n".join("\n".join(block.text for block in blocks[at : at + third])[:16_000] for at in starts)


def _parser_name(kind: str, library: str | None, content: Content, tools: Tools) -> str:
    own = content.parser or (f"{library} {version(library)}" if library else f"superagent {kind}")
    return f"{own} and {tools.recogniser.name}" if tools.recogniser and content.recognised.pages else own
