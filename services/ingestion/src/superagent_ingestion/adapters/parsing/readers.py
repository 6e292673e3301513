"""Which reader for which kind of file."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from superagent_ingestion.adapters.parsing.attachments import AttachmentReader
from superagent_ingestion.adapters.parsing.charset import UndecodableText, decode
from superagent_ingestion.adapters.parsing.delimited import delimited_blocks
from superagent_ingestion.adapters.parsing.html import html_blocks
from superagent_ingestion.adapters.parsing.json_documents import json_blocks
from superagent_ingestion.adapters.parsing.mail import mail_blocks, mailbox_blocks
from superagent_ingestion.adapters.parsing.markdown import markdown_blocks
from superagent_ingestion.adapters.parsing.reading import Content, Format, Source, opening
from superagent_ingestion.adapters.parsing.rtf import rtf_blocks
from superagent_ingestion.adapters.parsing.sniff import kind_of
from superagent_ingestion.adapters.parsing.text import text_blocks
from superagent_ingestion.adapters.parsing.xml_documents import xml_blocks
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

# Messages in files attached to messages; those that a message holds itself are counted by `mail`.
_DEEPEST = 3


def _pdf(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.pdf import pdf_content

    found = pdf_content(source.path, source.limits, source.tools.recogniser)
    title = _top_of_first_page(found.blocks)
    return Content(found.blocks, title, found.pages, found.textless, found.recognised)


def _picture(kind: str, source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.pictures import picture_blocks

    assert source.tools.recogniser is not None, "without one a picture is no document"
    blocks, pages, recognised = picture_blocks(source.path, kind, source.tools.recogniser, source.limits)
    return Content(blocks, _top_of_first_page(blocks), pages, recognised=recognised)


def _top_of_first_page(blocks: list[Block]) -> str | None:
    headings = (block for block in blocks if block.page == 1 and block.kind == "heading")
    top = min(headings, key=lambda block: block.level, default=None)
    return top.text if top else None


def _docx(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.docx import docx_blocks

    blocks, title = docx_blocks(source.path)
    return Content(blocks, title or opening(blocks))


def _pptx(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.pptx import pptx_blocks

    return Content(*pptx_blocks(source.path))


def _odp(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.odf import odp_blocks

    return Content(*odp_blocks(source.path))


def _odt(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.odf import odt_blocks

    return Content(*odt_blocks(source.path))


def _ods(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.odf import ods_blocks

    return Content(*ods_blocks(source.path))


def _xlsx(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.xlsx import xlsx_blocks

    return Content(*xlsx_blocks(source.path))


def _epub(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.epub import epub_blocks

    return Content(*epub_blocks(source.path))


def _rtf(source: Source) -> Content:
    blocks, title = rtf_blocks(source.path.read_bytes())
    return Content(blocks, title or opening(blocks))


def _mail(source: Source) -> Content:
    return Content(*mail_blocks(source.path.read_bytes(), _attachments(source)))


def _mailbox(source: Source) -> Content:
    return Content(*mailbox_blocks(source.path.read_bytes(), _attachments(source)))


def _xml(source: Source) -> Content:
    return Content(*xml_blocks(_decoded(source.path)))


def _json(source: Source) -> Content:
    return Content(json_blocks(_decoded(source.path)))


def _doc(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.old_office import through_libreoffice, word_by_xberg

    return through_libreoffice(source, ".doc", "docx", _docx, word_by_xberg)


def _ppt(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.old_office import by_xberg, through_libreoffice

    return through_libreoffice(source, ".ppt", "pptx", _pptx, by_xberg)


def _xls(suffix: str, source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.old_office import sheets_by_xberg, through_libreoffice

    return through_libreoffice(source, suffix, "xlsx", _xlsx, sheets_by_xberg)


def _outlook(source: Source) -> Content:
    from superagent_ingestion.adapters.parsing.old_office import outlook_by_xberg

    return outlook_by_xberg(source)


def _attachments(source: Source) -> AttachmentReader:
    """Reads what is attached to the message, one level further down; pictures there are mostly logos and stay unread."""

    def read(name: str, content: bytes) -> list[Block]:
        if source.depth >= _DEEPEST:
            raise DocumentRejected("too_large", "Messages are attached in messages too deep.")
        with tempfile.TemporaryDirectory(prefix="attached-", dir=source.path.parent) as folder:
            path = Path(folder) / "content"
            path.write_bytes(content)
            kind = kind_of(path, name, source.limits)
            return (
                FORMATS[kind]
                .read(replace(source, path=path, media_type=FORMATS[kind].media_type, depth=source.depth + 1))
                .blocks
            )

    return read


def _markdown(source: Source) -> Content:
    return Content(*markdown_blocks(_decoded(source.path)))


def _html(source: Source) -> Content:
    return Content(*html_blocks(_decoded(source.path)))


def _delimited(source: Source) -> Content:
    return Content(delimited_blocks(_decoded(source.path)))


def _text(source: Source) -> Content:
    return Content(text_blocks(_decoded(source.path)))


def _decoded(path: Path) -> str:
    try:
        return decode(path.read_bytes())[0]
    except UndecodableText:
        raise DocumentRejected("unreadable", "The file's text encoding could not be recognised.") from None


_OPEN_XML = "application/vnd.openxmlformats-officedocument"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
FORMATS = {
    "pdf": Format("application/pdf", _pdf, "liteparse"),
    "docx": Format(f"{_OPEN_XML}.wordprocessingml.document", _docx),
    "html": Format("text/html", _html),
    "markdown": Format("text/markdown", _markdown),
    "text": Format("text/plain", _text),
    "doc": Format("application/msword", _doc, "xberg"),
    "odt": Format(f"{_OPEN_DOCUMENT}.text", _odt),
    "rtf": Format("application/rtf", _rtf),
    "pptx": Format(f"{_OPEN_XML}.presentationml.presentation", _pptx),
    "ppt": Format("application/vnd.ms-powerpoint", _ppt, "xberg"),
    "odp": Format(f"{_OPEN_DOCUMENT}.presentation", _odp),
    "xlsx": Format(f"{_OPEN_XML}.spreadsheetml.sheet", _xlsx),
    "xlsb": Format("application/vnd.ms-excel.sheet.binary.macroenabled.12", partial(_xls, ".xlsb"), "xberg"),
    "xls": Format("application/vnd.ms-excel", partial(_xls, ".xls"), "xberg"),
    "ods": Format(f"{_OPEN_DOCUMENT}.spreadsheet", _ods),
    "csv": Format("text/csv", _delimited),
    "tsv": Format("text/tab-separated-values", _delimited),
    "epub": Format("application/epub+zip", _epub),
    "eml": Format("message/rfc822", _mail),
    "mbox": Format("application/mbox", _mailbox),
    "msg": Format("application/vnd.ms-outlook", _outlook, "xberg"),
    "json": Format("application/json", _json),
    "xml": Format("application/xml", _xml),
    **{kind: Format(f"image/{kind}", partial(_picture, kind)) for kind in ("png", "jpeg", "tiff", "bmp", "webp")},
}
