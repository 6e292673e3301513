"""Files made to break, exhaust or mislead whoever opens them."""

from __future__ import annotations

import struct
import zlib

from services.ingestion.tests.document_samples import pdf_file, pdf_stream

_MIB = 1 << 20
FOUR_GB = 4095 * _MIB
TEXT = b"BT /F1 11 Tf 72 700 Td (Real text on this page.) Tj ET"


def deflated_zeros(size: int) -> bytes:
    """A raw deflate stream of so many zeros, a multiple of a MiB: the same block again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = packer.compress(bytes(_MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * (size // _MIB) + packer.flush()


def zlib_zeros(size: int) -> bytes:
    return b"\x78\xda" + deflated_zeros(size) + bytes(4)


def one_page_pdf(content: bytes, claimed: int = 1, kids: bytes = b"3 0 R", picture: bytes = b"null") -> bytes:
    """`content` is the stream of page 3 0, `picture` the XObject P; `claimed` what the page tree says of itself."""
    return pdf_file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count %d /Kids [%s] >>" % (claimed, kids),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
            b" /Resources << /Font << /F1 4 0 R >> /XObject << /P 6 0 R >> >> >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            content,
            picture,
        ],
        b"/Root 1 0 R",
    )


def pdf_with_stream_of_zeros(size: int, packed_twice: bool = False) -> bytes:
    if packed_twice:
        return one_page_pdf(pdf_stream(b"/Filter [/FlateDecode /FlateDecode]", zlib.compress(zlib_zeros(size))))
    return one_page_pdf(pdf_stream(b"/Filter /FlateDecode", zlib_zeros(size)))


def pdf_with_picture_of_zeros(size: int) -> bytes:
    side = int(size**0.5)
    entries = (
        b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8"
        b" /Filter /FlateDecode" % (side, side)
    )
    shown = pdf_stream(b"", TEXT + b" q 500 0 0 500 0 0 cm /P Do Q")
    return one_page_pdf(shown, picture=pdf_stream(entries, zlib_zeros(size)))


def zip_with_zeros(size: int, claimed: int) -> bytes:
    """An archive with a main part of Word that unpacks to so many zeros and claims another size."""
    name, packed, checksum = b"word/document.xml", deflated_zeros(size), zlib.crc32(bytes(min(claimed, _MIB)))
    fields = (20, 0, 8, 0, 33, checksum, len(packed), claimed, len(name), 0)
    local = b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", *fields) + name + packed
    entry = b"PK\x01\x02" + struct.pack("<HHHHHHIIIHHHHHII", 20, *fields, 0, 0, 0, 0, 0) + name
    return local + entry + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local), 0)


def zip_of_tiny_members(count: int) -> bytes:
    """An archive whose directory lists so many empty members, all at the same place."""
    fields = struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 33, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0)
    entries = b"".join(b"PK\x01\x02" + fields + b"%07d" % number for number in range(count))
    local = b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, 7, 0) + b"0000000"
    wide = struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, len(entries), len(local))
    wide_place = struct.pack("<IQI", 0, len(local) + len(entries), 1)
    end = struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return local + entries + b"PK\x06\x06" + wide + b"PK\x06\x07" + wide_place + b"PK\x05\x06" + end
