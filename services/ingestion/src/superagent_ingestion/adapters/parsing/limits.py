"""Limits of parsing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParserLimits:
    """What one file may cost.

    seconds: wall clock for one document; the parser is killed after it.
    memory_bytes: address space that the parser may take beyond what it needs at rest.
    resident_bytes, documents_per_process: a fresh parser when it has kept so much memory (at rest it takes about
        80 MB), or after so many documents.
    file_bytes: of a file that is parsed at all.
    inflated_bytes, ratio, entries: of Office files and EPUBs, which are zip archives. Real ones stay under a ratio of 100.
    pages: of a PDF. characters: of the text that comes out.
    start_seconds: for a parser to start.
    ocr_pages, ocr_seconds, ocr_memory_bytes: a document's scanned pages, and what recognising their text may cost
        beyond the limits above; a full page takes about 10 s of one core and half a gigabyte.
    picture_pixels: of one picture that is read as a page.
    convert_seconds, convert_memory_bytes: of LibreOffice, which needs about a gigabyte of address space.
    """

    seconds: float = 180.0
    memory_bytes: int = 1 << 30
    file_bytes: int = 256 << 20
    inflated_bytes: int = 1 << 30
    ratio: int = 250
    entries: int = 20_000
    pages: int = 10_000
    characters: int = 30_000_000
    documents_per_process: int = 200
    resident_bytes: int = 320 << 20
    start_seconds: float = 60.0
    ocr_pages: int = 200
    ocr_seconds: float = 3_600.0
    ocr_memory_bytes: int = 3 << 30
    picture_pixels: int = 60_000_000
    convert_seconds: float = 90.0
    convert_memory_bytes: int = 4 << 30
