"""Files that cannot become documents say why."""

from __future__ import annotations

import struct
import zipfile
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from services.ingestion.tests.document_samples import docx, pdf, png, text_page, word_paragraph, zip_of
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.rejection import DocumentRejected

LIMITS = ParserLimits()
WORD = docx(word_paragraph("Every claim needs a receipt."))


def _parse(folder: Path, file_name: str, content: bytes, limits: ParserLimits = LIMITS) -> ParsedDocument:
    path = folder / "stored-object"
    path.write_bytes(content)
    return parse_document(path, file_name, limits)


def _rejection(folder: Path, file_name: str, content: bytes, limits: ParserLimits = LIMITS) -> DocumentRejected:
    with pytest.raises(DocumentRejected) as caught:
        _parse(folder, file_name, content, limits)
    assert caught.value.message.endswith(".")
    return caught.value


def _lying_zip(parts: dict[str, bytes], claimed: int) -> bytes:
    """An archive whose directory understates every part: sizes and checksums fit the first `claimed` bytes."""
    content = bytearray(zip_of(parts))
    for name, data in parts.items():
        size, checksum = struct.pack("<I", claimed), struct.pack("<I", zlib.crc32(data[:claimed]))
        local, central = content.find(name.encode()) - 30, content.rfind(name.encode()) - 46
        content[local + 14 : local + 18] = content[central + 16 : central + 20] = checksum
        content[local + 22 : local + 26] = content[central + 24 : central + 28] = size
    return bytes(content)


_REJECTED = {
    "an empty file": ("notes.txt", b"", "empty_file"),
    "an empty PDF": ("report.pdf", b"", "empty_file"),
    "nothing but space": ("notes.md", b" \r\n\t\n", "no_text"),
    "a picture named as a PDF": ("report.pdf", png(), "wrong_type"),
    "a picture": ("photo.png", png(), "unsupported_format"),
    "a program": ("setup.exe", b"MZ\x90\x00" + bytes(200), "unsupported_format"),
    "random bytes": ("data.bin", bytes(range(256)) * 8, "unsupported_format"),
    "random bytes named as a PDF": ("report.pdf", bytes(range(256)) * 8, "unreadable"),
    "text named as a PDF": ("report.pdf", b"Dear colleagues, the meeting is on Monday.", "unreadable"),
    "a PDF cut short": ("report.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type", "unreadable"),
    "a PDF that needs a password": ("a.pdf", pdf([text_page("secret")], (b"open", b"own")), "encrypted"),
    "a PDF without text": ("scan.pdf", pdf([[]]), "no_text"),
    "a Word file cut short": ("a.docx", WORD[: len(WORD) // 2], "unreadable"),
    "a Word file without text": ("a.docx", docx(""), "no_text"),
    "a zip archive": ("a.zip", zip_of({"a.txt": "hello"}), "unsupported_format"),
    "a zip archive named as Word": ("a.docx", zip_of({"a.txt": "hello"}), "wrong_type"),
    "an encrypted Office file": (
        "a.docx",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000) + "EncryptedPackage".encode("utf-16-le") + bytes(1000),
        "encrypted",
    ),
    "an encrypted OpenDocument": (
        "a.odt",
        zip_of(
            {
                "mimetype": "application/vnd.oasis.opendocument.text",
                "META-INF/manifest.xml": "<manifest:manifest><manifest:encryption-data/></manifest:manifest>",
            }
        ),
        "encrypted",
    ),
    "entities in Word": (
        "a.docx",
        docx(word_paragraph("x"), prolog='<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'),
        "unsafe_xml",
    ),
    "an external entity in Word": (
        "a.docx",
        docx(word_paragraph("x"), prolog='<!DOCTYPE w [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
        "unsafe_xml",
    ),
    "entities in XML": ("a.xml", b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "unsafe_xml"),
}


@pytest.mark.parametrize("case", _REJECTED)
def test_a_file_is_rejected_with_its_reason(tmp_path: Path, case: str) -> None:
    file_name, content, reason = _REJECTED[case]
    assert _rejection(tmp_path, file_name, content).reason == reason


def test_a_flat_zip_bomb_is_refused_by_what_it_claims(tmp_path: Path) -> None:
    bomb = zip_of({"word/document.xml": bytes(64 << 20)})
    assert _rejection(tmp_path, "report.docx", bomb).reason == "archive_bomb"


def test_a_zip_bomb_is_refused_by_what_it_really_unpacks_to(tmp_path: Path) -> None:
    bomb = _lying_zip({"word/document.xml": bytes(8 << 20)}, claimed=1000)
    with zipfile.ZipFile(__import__("io").BytesIO(bomb)) as archive:
        assert len(archive.read("word/document.xml")) == 1000
    assert _rejection(tmp_path, "report.docx", bomb).reason == "archive_bomb"


def test_too_many_parts_are_refused(tmp_path: Path) -> None:
    parts = {"word/document.xml": b"", **{f"word/{n}.xml": b"" for n in range(30)}}
    assert _rejection(tmp_path, "a.docx", zip_of(parts), replace(LIMITS, entries=20)).reason == "archive_bomb"


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    rejection = _rejection(tmp_path, "a.txt", bytes(3 << 20), replace(LIMITS, file_bytes=1 << 20))
    assert rejection.reason == "too_large"
    assert "3 MiB" in rejection.message


def test_too_much_text_is_refused(tmp_path: Path) -> None:
    assert _rejection(tmp_path, "a.txt", b"word " * 100, replace(LIMITS, characters=99)).reason == "too_large"


def test_a_pdf_of_too_many_pages_is_refused(tmp_path: Path) -> None:
    pages = pdf([text_page("page")] * 12)
    assert _rejection(tmp_path, "a.pdf", pages, replace(LIMITS, pages=10)).reason == "too_large"


def test_a_pdf_that_only_forbids_printing_is_read(tmp_path: Path) -> None:
    document = _parse(tmp_path, "a.pdf", pdf([text_page("Open to everyone")], (b"", b"owner")))
    assert document.blocks[0].text == "Open to everyone"


def test_a_word_file_under_another_name_is_read(tmp_path: Path) -> None:
    document = _parse(tmp_path, "policy.doc", WORD)
    assert document.blocks[0].text == "Every claim needs a receipt."
    assert document.media_type.endswith("wordprocessingml.document")


def test_a_pdf_without_suffix_is_read(tmp_path: Path) -> None:
    assert _parse(tmp_path, "report", pdf([text_page("By content")])).media_type == "application/pdf"
