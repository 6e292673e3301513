"""Zip archives: which document format, and whether they are safe to open.

Every entry is inflated once and thrown away, so that what a parser later reads has been seen to stay within the limits:
the sizes in an archive's directory are only claims.
"""

from __future__ import annotations

import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.rejection import DocumentRejected

_BLOCK = 1 << 20
# The end of an archive, with a comment, and where it states the size of the list of entries; larger ones elsewhere.
_LONGEST_END = 22 + 65_535 + 76
_END_MAGIC, _END = b"PK\x05\x06", struct.Struct("<12xI6x")
_WIDE_END_MAGIC, _WIDE_END = b"PK\x06\x06", struct.Struct("<40xQ8x")
_SIZE_ELSEWHERE = 0xFFFFFFFF
# Of one entry on average; names of parts are short.
_LONGEST_ENTRY = 400
_LOCAL_HEADER = struct.Struct("<26xHH")
# Below this size no ratio is suspicious: an almost empty sheet compresses to nothing.
_HARMLESS_BYTES = 16 << 20
# Word on the web numbers its main part.
_MAIN_PARTS = (
    (re.compile(r"word/document\d*\.xml", re.IGNORECASE), "docx"),
    (re.compile(r"ppt/presentation\.xml", re.IGNORECASE), "pptx"),
    (re.compile(r"xl/workbook\.xml", re.IGNORECASE), "xlsx"),
    (re.compile(r"xl/workbook\.bin", re.IGNORECASE), "xlsb"),
)
_MIME_TYPES = {
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/vnd.oasis.opendocument.presentation": "odp",
    b"application/vnd.oasis.opendocument.text-template": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet-template": "ods",
    b"application/vnd.oasis.opendocument.presentation-template": "odp",
    b"application/epub+zip": "epub",
}
_DOCUMENT_SUFFIXES = frozenset({".docx", ".pptx", ".xlsx", ".xlsb", ".odt", ".ods", ".odp", ".epub"})
_XML_SUFFIXES = (".xml", ".rels", ".xhtml", ".html", ".opf", ".ncx", ".svg", ".vml")
_ENTITY = (b"<!ENTITY", "<!ENTITY".encode("utf-16-le"), "<!ENTITY".encode("utf-16-be"))


def kind_of_archive(path: Path, suffix: str, limits: ParserLimits) -> str:
    """The key of the reader. Raises DocumentRejected: unreadable, encrypted, archive_bomb, unsafe_xml or
    unsupported_format.
    """
    try:
        _check_directory(path, limits)
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check_claims(path.stat().st_size, entries, limits)
            kind = _kind(archive)
            if kind is None:
                raise _unknown(suffix)
            _check_contents(path, entries, limits)
            return kind
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError, OSError) as error:
        raise DocumentRejected("unreadable", "The file is damaged: its archive cannot be opened.") from error


def _check_directory(path: Path, limits: ParserLimits) -> None:
    """Before `zipfile` makes objects of all that it lists: a million entries take a gigabyte."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _LONGEST_END))
        end = file.read()
    at = end.rfind(_END_MAGIC)
    if at < 0 or len(end) < at + _END.size:
        raise EOFError
    (size,) = _END.unpack_from(end, at)
    wide = end.rfind(_WIDE_END_MAGIC)
    if size == _SIZE_ELSEWHERE and 0 <= wide <= len(end) - _WIDE_END.size:
        (size,) = _WIDE_END.unpack_from(end, wide)
    if size > limits.entries * _LONGEST_ENTRY:
        raise _bomb(f"the list of its parts takes {size:,} bytes")


def _check_claims(size: int, entries: list[zipfile.ZipInfo], limits: ParserLimits) -> None:
    if any(entry.flag_bits & 1 for entry in entries):
        raise DocumentRejected("encrypted", "The file is encrypted; save it without a password first.")
    if len(entries) > limits.entries:
        raise _bomb(f"it holds {len(entries)} parts")
    claimed = sum(entry.file_size for entry in entries)
    if claimed > limits.inflated_bytes or (claimed > _HARMLESS_BYTES and claimed > limits.ratio * size):
        raise _bomb(f"{size:,} bytes would unpack to {claimed:,}")


def _check_contents(path: Path, entries: list[zipfile.ZipInfo], limits: ParserLimits) -> None:
    inflated = 0
    with path.open("rb") as file:
        for entry in entries:
            is_xml = entry.filename.lower().endswith(_XML_SUFFIXES)
            size, tail = 0, b""
            for block in _inflate(file, entry):
                size += len(block)
                if size > entry.file_size:
                    raise _bomb("a part of it unpacks to more than it claims")
                if inflated + size > limits.inflated_bytes:
                    raise _bomb(f"it unpacks to more than {limits.inflated_bytes:,} bytes")
                if is_xml and any(mark in tail + block for mark in _ENTITY):
                    raise DocumentRejected(
                        "unsafe_xml", "The file defines XML entities, which documents do not need and attacks do."
                    )
                tail = block[-32:]
            inflated += size


def _inflate(file: BinaryIO, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """What the entry's bytes really unpack to. `zipfile` stops at the claimed size, other readers do not."""
    file.seek(entry.header_offset)
    header = file.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size:
        raise EOFError
    name_length, extra_length = _LOCAL_HEADER.unpack(header)
    file.seek(name_length + extra_length, os.SEEK_CUR)
    left = entry.compress_size
    inflater = zlib.decompressobj(-zlib.MAX_WBITS) if entry.compress_type == zipfile.ZIP_DEFLATED else None
    if inflater is None and entry.compress_type != zipfile.ZIP_STORED:
        raise NotImplementedError(f"compression method {entry.compress_type}")
    while left > 0:
        raw = file.read(min(left, _BLOCK))
        if not raw:
            raise EOFError
        left -= len(raw)
        if inflater is None:
            yield raw
            continue
        while raw:
            block = inflater.decompress(raw, _BLOCK)
            raw = inflater.unconsumed_tail
            if block:
                yield block
            elif raw:
                raise zlib.error("no progress")


def _kind(archive: zipfile.ZipFile) -> str | None:
    names = archive.namelist()
    for main_part, kind in _MAIN_PARTS:
        if any(main_part.fullmatch(name) for name in names):
            return kind
    if "mimetype" not in names:
        return None
    with archive.open("mimetype") as part:
        mime_type = part.read(100).strip()
    if _is_encrypted_odf(archive):
        raise DocumentRejected("encrypted", "The file is encrypted; save it without a password first.")
    return _MIME_TYPES.get(mime_type)


def _is_encrypted_odf(archive: zipfile.ZipFile) -> bool:
    if "META-INF/manifest.xml" not in archive.namelist():
        return False
    with archive.open("META-INF/manifest.xml") as part:
        return b"encryption-data" in part.read(_BLOCK)


def _unknown(suffix: str) -> DocumentRejected:
    if suffix in _DOCUMENT_SUFFIXES:
        return DocumentRejected(
            "wrong_type", f"The file is named {suffix} but is a zip archive without a document in it."
        )
    return DocumentRejected("unsupported_format", "The file is a zip archive; only documents can be read.")


def _bomb(finding: str) -> DocumentRejected:
    return DocumentRejected("archive_bomb", f"The file is not opened because {finding}.")
