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
from superagent_ingestion.adapters.parsing.implied_headings import with_implied_headings
from superagent_ingestion.adapters.parsing.json_documents import json_blocks
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.mail import mail_blocks, mailbox_blocks, with_head
from superagent_ingestion.adapters.parsing.markdown import markdown_blocks
from superagent_ingestion.adapters.parsing.rtf import rtf_blocks
from superagent_ingestion.adapters.parsing.sheets import sheet_blocks
from superagent_ingestion.adapters.parsing.sniff import kind_of
from superagent_ingestion.adapters.parsing.text import text_blocks
from superagent_ingestion.adapters.parsing.xml_documents import xml_blocks
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


def _docx(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    from superagent_ingestion.adapters.parsing.docx import docx_blocks

    blocks, title = docx_blocks(path)
    return _Content(blocks, title or _opening(blocks))


def _pptx(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    from superagent_ingestion.adapters.parsing.pptx import pptx_blocks

    return _Content(*pptx_blocks(path))


def _odp(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    from superagent_ingestion.adapters.parsing.odf import odp_blocks

    return _Content(*odp_blocks(path))


def _odt(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    from superagent_ingestion.adapters.parsing.odf import odt_blocks

    blocks, title = odt_blocks(path)
    return _Content(with_implied_headings(blocks, ()), title)


def _ods(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    from superagent_ingestion.adapters.parsing.odf import ods_blocks

    return _Content(*ods_blocks(path))


def _xlsx(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    from superagent_ingestion.adapters.parsing.xlsx import xlsx_blocks

    return _Content(*xlsx_blocks(path))


def _epub(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    from superagent_ingestion.adapters.parsing.epub import epub_blocks

    return _Content(*epub_blocks(path))


def _rtf(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    blocks, title = rtf_blocks(path.read_bytes())
    return _Content(with_implied_headings(blocks, ()), title or _opening(blocks))


def _mail(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _Content(*mail_blocks(path.read_bytes()))


def _mailbox(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _Content(*mailbox_blocks(path.read_bytes()))


def _xml(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _Content(*xml_blocks(_decoded(path)))


def _json(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    return _Content(json_blocks(_decoded(path)))


def _old_office(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    """Formats whose files only xberg opens."""
    from superagent_ingestion.adapters.parsing.office import office_blocks

    blocks, title = office_blocks(path.read_bytes(), media_type, limits)
    return _Content(blocks, title or _opening(blocks))


def _old_word(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    content = _old_office(path, media_type, limits)
    return replace(content, blocks=with_implied_headings(content.blocks, ()))


def _old_sheets(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    from superagent_ingestion.adapters.parsing.office import office_blocks

    blocks, title = office_blocks(path.read_bytes(), media_type, limits, sheet_blocks)
    # Sheets are the top of a workbook, which xberg takes for the second level.
    return _Content([replace(block, level=min(block.level, 1)) for block in blocks], title)


def _outlook(path: Path, media_type: str, limits: ParserLimits) -> _Content:
    content = _old_office(path, media_type, limits)
    blocks = with_head(content.blocks)
    return _Content(blocks, _opening(blocks) or content.title)


def _opening(blocks: list[Block]) -> str | None:
    """A first-level heading at the beginning; further down it names a chapter, not the document."""
    return next((block.text for block in blocks[:3] if block.kind == "heading" and block.level == 1), None)


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
    "docx": _Format(f"{_OPEN_XML}.wordprocessingml.document", _docx),
    "html": _Format("text/html", _html),
    "markdown": _Format("text/markdown", _markdown),
    "text": _Format("text/plain", _text),
    "doc": _Format("application/msword", _old_word, "xberg"),
    "odt": _Format(f"{_OPEN_DOCUMENT}.text", _odt),
    "rtf": _Format("application/rtf", _rtf),
    "pptx": _Format(f"{_OPEN_XML}.presentationml.presentation", _pptx),
    "ppt": _Format("application/vnd.ms-powerpoint", _old_office, "xberg"),
    "odp": _Format(f"{_OPEN_DOCUMENT}.presentation", _odp),
    "xlsx": _Format(f"{_OPEN_XML}.spreadsheetml.sheet", _xlsx),
    "xlsb": _Format("application/vnd.ms-excel.sheet.binary.macroenabled.12", _old_sheets, "xberg"),
    "xls": _Format("application/vnd.ms-excel", _old_sheets, "xberg"),
    "ods": _Format(f"{_OPEN_DOCUMENT}.spreadsheet", _ods),
    "csv": _Format("text/csv", _delimited),
    "tsv": _Format("text/tab-separated-values", _delimited),
    "epub": _Format("application/epub+zip", _epub),
    "eml": _Format("message/rfc822", _mail),
    "mbox": _Format("application/mbox", _mailbox),
    "msg": _Format("application/vnd.ms-outlook", _outlook, "xberg"),
    "json": _Format("application/json", _json),
    "xml": _Format("application/xml", _xml),
}
