"""One file → one parsed document: which reader for which kind, and what all of them have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

from superagent_ingestion.adapters.parsing.charset import UndecodableText, decode
from superagent_ingestion.adapters.parsing.delimited import delimited_blocks
from superagent_ingestion.adapters.parsing.html import html_blocks
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.markdown import markdown_blocks
from superagent_ingestion.adapters.parsing.sniff import kind_of
from superagent_ingestion.adapters.parsing.text import text_blocks
from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.language import detect_language
from superagent_ingestion.domain.rejection import DocumentRejected


@dataclass(frozen=True, slots=True)
class _Content:
    blocks: list[Block]
    title: str | None = None
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class _Format:
    media_type: str
    read: Callable[[Path, str, ParserLimits], _Content]
    library: str | None = None


def parse_document(path: Path, file_name: str, limits: ParserLimits) -> ParsedDocument:
    """Reads the file at `path` that its owner calls `file_name`. Raises DocumentRejected."""
    kind = kind_of(path, file_name, limits)
    format_ = _FORMATS[kind]
    content = format_.read(path, format_.media_type, limits)
    blocks = tuple(replace(block, text=block.text.strip("\n")) for block in content.blocks if block.text.strip())
    if not blocks:
        scan = "; it seems to be a scan" if kind == "pdf" else ""
        raise DocumentRejected("no_text", f"The file holds no text{scan}.")
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
        parser=_parser_name(kind, format_.library),
    )


def _pdf(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    from superagent_ingestion.adapters.parsing.pdf import pdf_blocks

    blocks, pages = pdf_blocks(path, limits)
    first_page = (block for block in blocks if block.page == 1 and block.kind == "heading")
    top = min(first_page, key=lambda block: block.level, default=None)
    return _Content(blocks, top.text if top else None, pages)


def _office(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _xberg(path.read_bytes(), media_type, limits, slides=False)


def _slides(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _xberg(path.read_bytes(), media_type, limits, slides=True)


def _decoded_office(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    text = _decoded(path)
    if media_type == "application/xml" and "<!ENTITY" in text:
        raise DocumentRejected("unsafe_xml", "The file defines XML entities, which are not resolved for safety.")
    return _xberg(text.encode(errors="replace"), media_type, limits, slides=False)


def _xberg(data: bytes, media_type: str, limits: ParserLimits, *, slides: bool) -> _Content:
    from superagent_ingestion.adapters.parsing.office import office_blocks

    blocks, title = office_blocks(data, media_type, limits, pages_are_slides=slides)
    # A first-level heading further down names a chapter, not the document.
    heading = next((block.text for block in blocks[:3] if block.kind == "heading" and block.level == 1), None)
    pages = max((block.page or 0 for block in blocks), default=0)
    return _Content(blocks, title or heading, pages or None)


def _markdown(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _Content(*markdown_blocks(_decoded(path)))


def _html(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _Content(*html_blocks(_decoded(path)))


def _delimited(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _Content(delimited_blocks(_decoded(path)))


def _text(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _Content(text_blocks(_decoded(path)))


def _decoded(path: Path) -> str:
    try:
        return decode(path.read_bytes())[0]
    except UndecodableText:
        raise DocumentRejected("unreadable", "The file's text encoding could not be recognised.") from None


def _sample(blocks: tuple[Block, ...]) -> str:
    """Text from the beginning, the middle and the end: title pages and licences may be in another language."""
    third = max(1, len(blocks) // 3)
    starts = (0, third, 2 * third)
    return "\n".join("\n".join(block.text for block in blocks[at : at + third])[:16_000] for at in starts)


@cache
def _parser_name(kind: str, library: str | None) -> str:
    return f"{library} {version(library)}" if library else f"superagent {kind}"


_OPEN_XML = "application/vnd.openxmlformats-officedocument"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
_FORMATS = {
    "pdf": _Format("application/pdf", _pdf, "liteparse"),
    "docx": _Format(f"{_OPEN_XML}.wordprocessingml.document", _office, "xberg"),
    "html": _Format("text/html", _html),
    "markdown": _Format("text/markdown", _markdown),
    "text": _Format("text/plain", _text),
    "doc": _Format("application/msword", _office, "xberg"),
    "odt": _Format(f"{_OPEN_DOCUMENT}.text", _office, "xberg"),
    "rtf": _Format("application/rtf", _office, "xberg"),
    "pptx": _Format(f"{_OPEN_XML}.presentationml.presentation", _slides, "xberg"),
    "ppt": _Format("application/vnd.ms-powerpoint", _slides, "xberg"),
    "odp": _Format(f"{_OPEN_DOCUMENT}.presentation", _slides, "xberg"),
    "xlsx": _Format(f"{_OPEN_XML}.spreadsheetml.sheet", _office, "xberg"),
    "xlsb": _Format("application/vnd.ms-excel.sheet.binary.macroenabled.12", _office, "xberg"),
    "xls": _Format("application/vnd.ms-excel", _office, "xberg"),
    "ods": _Format(f"{_OPEN_DOCUMENT}.spreadsheet", _office, "xberg"),
    "csv": _Format("text/csv", _delimited),
    "tsv": _Format("text/tab-separated-values", _delimited),
    "epub": _Format("application/epub+zip", _office, "xberg"),
    "eml": _Format("message/rfc822", _office, "xberg"),
    "mbox": _Format("application/mbox", _text),
    "msg": _Format("application/vnd.ms-outlook", _office, "xberg"),
    "json": _Format("application/json", _decoded_office, "xberg"),
    "xml": _Format("application/xml", _decoded_office, "xberg"),
}
