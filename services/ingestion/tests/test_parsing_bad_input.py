"""Files made to break the parser end within its limits, with a reason, and the next document is read as ever.

All go through one real parser process with limits below the product's, so that a reader that does not stop fails here.
"""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest

from services.ingestion.tests import hostile_samples as hostile
from services.ingestion.tests.document_samples import docx, pdf_stream, word_paragraph, zip_of
from services.ingestion.tests.office_samples import epub, message, odf, pptx, shape, sheet_rows, xlsx
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.process import ParserProcess
from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.rejection import DocumentRejected

LIMITS = ParserLimits(seconds=90, memory_bytes=512 << 20)
PAGE = pdf_stream(b"", hostile.TEXT)
READS = "Every claim needs a receipt."


@pytest.fixture(scope="module")
async def parser() -> AsyncIterator[ParserProcess]:
    made = ParserProcess(LIMITS)
    yield made
    await made.aclose()


async def _parse(parser: ParserProcess, folder: Path, name: str, content: bytes) -> ParsedDocument:
    path = folder / "stored-object"
    path.write_bytes(content)
    return await parser.parse(path, name)


async def _reason(parser: ParserProcess, folder: Path, name: str, content: bytes) -> str:
    with pytest.raises(DocumentRejected) as caught:
        await _parse(parser, folder, name, content)
    assert caught.value.message.endswith(".")
    after = await _parse(parser, folder, "next.txt", READS.encode())
    assert [block.text for block in after.blocks] == [READS]
    return caught.value.reason


def _bomb() -> bytes:
    return zip_of({"word/document.xml": bytes(64 << 20)})


_REFUSED = {
    "a PDF that claims a million pages": ("a.pdf", lambda: hostile.one_page_pdf(PAGE, 1_000_000), "too_large"),
    "a PDF of a million pages": (
        "a.pdf",
        lambda: hostile.one_page_pdf(PAGE, 1_000_000, b"3 0 R " * 1_000_000),
        "too_large",
    ),
    "a PDF of 10,001 pages": ("a.pdf", lambda: hostile.one_page_pdf(PAGE, 10_001, b"3 0 R " * 10_001), "too_large"),
    "a PDF page of 4 GB": ("a.pdf", lambda: hostile.pdf_with_stream_of_zeros(hostile.FOUR_GB), "unreadable"),
    "a PDF page of 4 GB, packed twice": (
        "a.pdf",
        lambda: hostile.pdf_with_stream_of_zeros(hostile.FOUR_GB, packed_twice=True),
        "unreadable",
    ),
    "a zip member of 4 GB": (
        "a.docx",
        lambda: hostile.zip_with_zeros(hostile.FOUR_GB, hostile.FOUR_GB),
        "archive_bomb",
    ),
    "a zip member of 4 GB that claims a kilobyte": (
        "a.docx",
        lambda: hostile.zip_with_zeros(hostile.FOUR_GB, 1_000),
        "archive_bomb",
    ),
    "a million tiny zip members": ("a.docx", lambda: hostile.zip_of_tiny_members(1_000_000), "archive_bomb"),
    "a zip bomb in a zip archive": ("a.zip", lambda: zip_of({"a.zip": _bomb()}), "unsupported_format"),
    "a zip bomb in a book": (
        "a.epub",
        lambda: epub({"a": "<p>x</p>"}, ["a"], {"OPS/b.xhtml": " " * (64 << 20)}),
        "archive_bomb",
    ),
    "XML nested without end": (
        "a.xml",
        lambda: b'<?xml version="1.0"?>' + b"<a>" * 200_000 + b"x" + b"</a>" * 200_000,
        "unsafe_xml",
    ),
    "JSON lists nested without end": ("a.json", lambda: b"[" * 200_000 + b"]" * 200_000, "unreadable"),
    "JSON objects nested without end": (
        "a.json",
        lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        "unreadable",
    ),
    "RTF groups nested without end": (
        "a.rtf",
        lambda: b"{\\rtf1 " + b"{" * 200_000 + b"deep" + b"}" * 200_001,
        "unreadable",
    ),
    "message parts nested without end": (
        "a.eml",
        lambda: (
            b"Subject: x\nMIME-Version: 1.0\n"
            + b"".join(b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(3_000))
            + b"\n\nhello"
        ),
        "unreadable",
    ),
}


@pytest.mark.parametrize("case", _REFUSED)
async def test_it_is_refused_with_its_reason_and_the_next_document_is_read(
    parser: ParserProcess, tmp_path: Path, case: str
) -> None:
    name, make, reason = _REFUSED[case]
    assert await _reason(parser, tmp_path, name, make()) == reason


_READ = {
    "a PDF whose page tree holds itself": (
        "a.pdf",
        lambda: hostile.one_page_pdf(PAGE, 5, b"2 0 R 3 0 R 2 0 R"),
        "Real text on this page.",
    ),
    "a PDF with a picture of 4 GB": (
        "a.pdf",
        lambda: hostile.pdf_with_picture_of_zeros(hostile.FOUR_GB),
        "Real text on this page.",
    ),
    "a zip bomb attached to a Word file": (
        "a.docx",
        lambda: docx(word_paragraph(READS), extra={"word/embeddings/a.zip": zip_of({"b.zip": _bomb()})}),
        READS,
    ),
    "a workbook with a million empty rows": (
        "a.xlsx",
        lambda: xlsx(
            {"S": "".join(["<sheetData>", *(f'<row r="{n}"/>' for n in range(1_000_000)), sheet_rows([[READS]])[11:]])}
        ),
        READS,
    ),
    "a workbook with a cell merged over all": (
        "a.xlsx",
        lambda: xlsx(
            {"S": sheet_rows([["city", "limit"]]) + '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'}
        ),
        "city",
    ),
    "a sheet that repeats its last cell to the end of the world": (
        "a.ods",
        lambda: odf(
            "spreadsheet",
            '<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell '
            'table:number-columns-repeated="16384"><text:p>Beijing</text:p></table:table-cell></table:table-row></table:table>',
        ),
        "Beijing",
    ),
    "a book that names its chapter 100,000 times": (
        "a.epub",
        lambda: epub({"a": f"<p>{READS}</p>"}, ["a"] * 100_000),
        READS,
    ),
    "HTML nested without end": ("a.html", lambda: b"<html><body>" + b"<div>" * 50_000 + READS.encode(), READS),
    "HTML lists nested without end": (
        "a.html",
        lambda: b"<html><body>" + b"<ul><li>x" * 10_000 + READS.encode(),
        READS,
    ),
    "HTML tables nested without end": (
        "a.html",
        lambda: b"<html><body>" + b"<table><tr><td>x" * 5_000 + READS.encode(),
        READS,
    ),
    "HTML cells that span everything": (
        "a.html",
        lambda: b"<html><table><tr><td rowspan=100000 colspan=100000>%s<td>y</table>" % READS.encode(),
        READS,
    ),
    "Markdown quotes nested without end": ("a.md", lambda: b">" * 50_000 + READS.encode(), READS),
    "Markdown lists nested without end": (
        "a.md",
        lambda: b"".join(b"  " * n + b"- x\n" for n in range(1_000)) + b"  " * 1_000 + b"- " + READS.encode(),
        READS,
    ),
    "Markdown brackets without end": ("a.md", lambda: b"[" * 10_000 + READS.encode(), READS),
    "a line of twenty megabytes": ("a.txt", lambda: b"x" * 20_000_000 + READS.encode(), READS),
    "a message with 20,000 attachments": (
        "a.eml",
        lambda: (
            b'Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\n'
            + READS.encode()
            + b"\n--b\nContent-Type: text/csv; name=x.csv\n\na,b\n1,2" * 20_000
        ),
        READS,
    ),
    "a message with a zip bomb attached": ("a.eml", lambda: _message_with(_bomb()), READS),
}


@pytest.mark.parametrize("case", _READ)
async def test_it_is_read_for_what_is_in_it(parser: ParserProcess, tmp_path: Path, case: str) -> None:
    name, make, text = _READ[case]
    document = await _parse(parser, tmp_path, name, make())
    assert any(text in block.text for block in document.blocks)


def _message_with(attachment: bytes) -> bytes:
    made = message("x", READS)
    made.add_attachment(attachment, maintype="application", subtype="octet-stream", filename="report.docx")
    return bytes(made)


async def test_a_bomb_in_a_message_is_named_as_one(parser: ParserProcess, tmp_path: Path) -> None:
    document = await _parse(parser, tmp_path, "a.eml", _message_with(_bomb()))
    assert "not read: The file is not opened because" in document.blocks[1].text


_MAIN_PARTS = {
    "docx": ("word/document.xml", lambda: docx(word_paragraph("x"))),
    "pptx": ("ppt/slides/slide1.xml", lambda: pptx([shape("x")])),
    "xlsx": ("xl/sharedStrings.xml", lambda: xlsx({"S": sheet_rows([["x"]])})),
    "odt": ("content.xml", lambda: odf("text", "<text:p>x</text:p>")),
    "ods": ("content.xml", lambda: odf("spreadsheet", "")),
    "odp": ("content.xml", lambda: odf("presentation", "")),
    "epub": ("OPS/a.xhtml", lambda: epub({"a": "<p>x</p>"}, ["a"])),
}


@pytest.mark.parametrize("kind", _MAIN_PARTS)
@pytest.mark.parametrize("attack", ["bomb", "external"])
async def test_entities_are_refused_in_every_kind_and_nothing_outside_is_read(
    parser: ParserProcess, tmp_path: Path, kind: str, attack: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("not for you")
    async with _Listener() as listener:
        bomb = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">'
        external = f'<!ENTITY a SYSTEM "{secret.as_uri()}"><!ENTITY c SYSTEM "http://127.0.0.1:{listener.port}/x">'
        part, make = _MAIN_PARTS[kind]
        content = _with_part(
            make(), part, f"<!DOCTYPE x [{bomb if attack == 'bomb' else external}]><x>&a;&c;</x>".encode()
        )
        assert await _reason(parser, tmp_path, f"a.{kind}", content) == "unsafe_xml"
    assert listener.calls == 0


async def test_references_to_the_outside_are_never_followed(parser: ParserProcess, tmp_path: Path) -> None:
    async with _Listener() as listener:
        address = f"http://127.0.0.1:{listener.port}/x"
        html = f'<!DOCTYPE html SYSTEM "{address}"><html><link rel=stylesheet href="{address}"><img src="{address}">x'
        await _parse(parser, tmp_path, "a.html", html.encode())
        xml = f'<?xml version="1.0"?><!DOCTYPE a SYSTEM "{address}"><a>x</a>'
        await _parse(parser, tmp_path, "a.xml", xml.encode())
    assert listener.calls == 0


async def test_names_of_zip_members_lead_nowhere(parser: ParserProcess, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    names = ["../" * 20 + str(outside).lstrip("/"), str(outside), "..\\..\\outside", "C:\\outside"]
    content = BytesIO(docx(word_paragraph(READS), extra=dict.fromkeys(names, "x")))
    with zipfile.ZipFile(content, "a") as archive:
        link = zipfile.ZipInfo("word/media/link.xml")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    document = await _parse(parser, tmp_path, "a.docx", content.getvalue())
    assert [block.text for block in document.blocks] == [READS]
    assert {path.name for path in await asyncio.to_thread(lambda: list(tmp_path.iterdir()))} == {"stored-object"}


async def test_a_message_of_forty_levels_says_what_it_leaves_out(parser: ParserProcess, tmp_path: Path) -> None:
    made = message("40", "innermost")
    for number in range(39, 0, -1):
        outer = message(str(number), f"text {number}")
        outer.add_attachment(made)
        made = outer
    document = await _parse(parser, tmp_path, "a.eml", bytes(made))
    texts = [block.text for block in document.blocks]
    assert texts[-1] == "text 8"
    assert "“9” (message/rfc822, not read: it is carried in too many others)" in texts[-2]


def _with_part(content: bytes, name: str, part: bytes) -> bytes:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return zip_of({entry: part if entry == name else archive.read(entry) for entry in archive.namelist()})


class _Listener:
    """A door that counts who knocks."""

    def __init__(self) -> None:
        self.calls = 0

    async def __aenter__(self) -> _Listener:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _answer(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        writer.close()
