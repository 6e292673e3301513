"""What a file is, by its content. Its name only decides between kinds of text."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

from superagent_ingestion.adapters.parsing.archive import kind_of_archive
from superagent_ingestion.adapters.parsing.charset import unmarked_utf16
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.rejection import DocumentRejected

_HEAD = 64 << 10
_MAGIC = (
    (b"{\\rtf", "rtf"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "GIF picture"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
    (b"BM", "bmp"),
    (b"RIFF", "picture, sound or film"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"\x1f\x8b", "compressed archive"),
    (b"7z\xbc\xaf\x27\x1c", "compressed archive"),
    (b"Rar!\x1a\x07", "compressed archive"),
    (b"BZh", "compressed archive"),
    (b"\xfd7zXZ\x00", "compressed archive"),
    (b"ID3", "sound file"),
    (b"OggS", "sound file"),
    (b"fLaC", "sound file"),
    (b"\x1aE\xdf\xa3", "film"),
    (b"SQLite format 3\x00", "database"),
)
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Stream names in an OLE directory, which is UTF-16; a .doc inside an encrypted package would have both, so order counts.
_OLE_STREAMS = (
    ("EncryptedPackage", "encrypted"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("__substg1.0_", "msg"),
)
_PICTURES = frozenset({"png", "jpeg", "tiff", "bmp"})
_TEXT_SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".eml": "eml",
    ".mbox": "mbox",
    ".xml": "xml",
    ".nxml": "xml",
}
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_MAIL = re.compile(rb"\A(?:[A-Za-z][A-Za-z0-9-]*:[ \t][^\n]*\n(?:[ \t][^\n]*\n)*){3,}\r?\n", re.MULTILINE)
_MAILBOX = re.compile(rb"From \S+ .*\d{4}[^\n]*\n(?:>?[A-Za-z][A-Za-z0-9-]*:[ \t][^\n]*\n(?:[ \t][^\n]*\n)*){2,}")
_MAIL_HEADER = re.compile(rb"^(?:message-id|received|mime-version):", re.IGNORECASE | re.MULTILINE)
# Suffixes whose content can only be binary: what claims one of them and is not, is not what its owner thinks it is.
_BINARY_SUFFIXES = frozenset(
    {".pdf", ".docx", ".docm", ".doc", ".pptx", ".pptm", ".ppt", ".xlsx", ".xlsm", ".xlsb", ".xls", ".msg"}
    | {".odt", ".ods", ".odp", ".epub"}
)
# Old programs and web exports write HTML, RTF and text under these names.
_OFTEN_TEXT = frozenset({".doc", ".xls", ".msg"})


def kind_of(path: Path, file_name: str, limits: ParserLimits, *, pictures: bool = False) -> str:
    """The key of the reader for this file ("pdf", "docx", "markdown", …). pictures: whether they can be read.

    Raises DocumentRejected: empty_file, too_large, wrong_type, unsupported_format, encrypted, and what
    `kind_of_archive` finds wrong with a zip archive.
    """
    size = path.stat().st_size
    suffix = PurePath(file_name).suffix.lower()
    if size == 0:
        raise DocumentRejected("empty_file", "The file is empty.")
    if size > limits.file_bytes:
        raise DocumentRejected(
            "too_large", f"The file has {size >> 20} MiB; at most {limits.file_bytes >> 20} MiB can be read."
        )
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return kind_of_archive(path, suffix, limits)
    if head.startswith(_OLE_MAGIC):
        return _kind_of_ole(path)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP" and pictures:
        return "webp"
    for magic, kind in _MAGIC:
        # A text may begin with "BM" or "MZ", too.
        if head.startswith(magic) and (not magic.isalnum() or any(byte < 9 for byte in head)):
            if kind == "rtf" or (pictures and kind in _PICTURES):
                return kind
            raise _not_a_document(kind, suffix)
    if head[4:8] == b"ftyp":
        raise _not_a_document("film", suffix)
    return _kind_of_text(head, suffix)


def _kind_of_ole(path: Path) -> str:
    content = path.read_bytes()
    for stream, kind in _OLE_STREAMS:
        if stream.encode("utf-16-le") in content:
            if kind == "encrypted" or (kind == "doc" and _is_encrypted_word(content)):
                raise DocumentRejected("encrypted", "The file is encrypted; save it without a password first.")
            return kind
    raise DocumentRejected("unsupported_format", "This kind of Office file cannot be read.")


def _is_encrypted_word(content: bytes) -> bool:
    """The flag in the header of the Word stream, which begins a sector of 512 bytes."""
    sectors = range(512, len(content) - 12, 512)
    header = next((at for at in sectors if content.startswith(b"\xec\xa5", at)), None)
    return header is not None and bool(content[header + 11] & 1)


def _kind_of_text(head: bytes, suffix: str) -> str:
    if not head.strip(b"\x00 \t\r\n"):
        raise DocumentRejected("no_text", "The file holds nothing but empty space.")
    if _is_binary(head):
        if suffix in _BINARY_SUFFIXES:
            raise DocumentRejected("unreadable", f"The file is damaged: a {suffix} file cannot begin like this one.")
        raise DocumentRejected("unsupported_format", "The file is neither text nor a document in a known format.")
    if suffix in _BINARY_SUFFIXES - _OFTEN_TEXT:
        raise DocumentRejected("unreadable", f"The file is damaged: a {suffix} file cannot begin like this one.")
    if _HTML.search(head[:4096]):
        return "eml" if suffix == ".eml" else "html"
    if suffix not in _TEXT_SUFFIXES and _MAILBOX.match(head):
        return "mbox"
    if suffix not in _TEXT_SUFFIXES and _MAIL.match(head) and _MAIL_HEADER.search(head):
        return "eml"
    if head.lstrip().startswith(b"<?xml"):
        return "xml"
    return _TEXT_SUFFIXES.get(suffix, "text")


def _is_binary(head: bytes) -> bool:
    """Control characters that no text encoding has; UTF-16 and UTF-32 are full of NULs, in a regular pattern."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff", b"\xef\xbb\xbf")):
        return False
    if unmarked_utf16(head):
        return False
    controls = sum(head.count(byte) for byte in (*range(1, 7), *range(0x0E, 0x1B), *range(0x1C, 0x20)))
    nuls = head.count(0)
    wide = max(head[0::2].count(0), head[1::2].count(0)) > 0.2 * len(head) / 2
    return controls > 0.02 * len(head) or (nuls > 0.01 * len(head) and not wide)


def _not_a_document(kind: str, suffix: str) -> DocumentRejected:
    is_picture = kind in _PICTURES
    named = f"{kind.upper()} picture" if is_picture else kind
    if suffix in _BINARY_SUFFIXES or suffix in _TEXT_SUFFIXES or suffix in (".txt", ".rtf"):
        return DocumentRejected("wrong_type", f"The file is named {suffix}, but its content is that of a {named}.")
    if is_picture:
        return DocumentRejected(
            "unsupported_format",
            f"The file is a {named}; its text can be read where OCR is installed (the extra “ocr”) and on.",
        )
    return DocumentRejected("unsupported_format", f"The file is a {named}; only documents can be read.")
