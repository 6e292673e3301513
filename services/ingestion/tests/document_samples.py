"""Small documents of every kind, made on the spot; broken and hostile ones too."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from superagent_ingestion.domain.blocks import Block

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def dumped(blocks: Sequence[Block]) -> str:
    """What the golden files of blocks hold."""
    lines: list[str] = []
    for block in blocks:
        lead = f"{block.kind} {block.level}: " if block.level else f"{block.kind}: "
        lines.append(lead + block.text.replace("\n", "\n" + " " * len(lead)))
    return "\n".join(lines) + "\n"


def zip_of(parts: Mapping[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def docx(body: str, extra: Mapping[str, str | bytes] | None = None, prolog: str = "") -> bytes:
    """A Word file with this content of <w:body>."""
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<?xml version="1.0"?><Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override '
        'PartName="/word/styles.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>',
        "_rels/.rels": f'<?xml version="1.0"?><Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<?xml version="1.0"?><Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}/styles" Target="styles.xml"/>'
        f'<Relationship Id="r2" Type="{_OFFICE}/numbering" Target="numbering.xml"/></Relationships>',
        "word/styles.xml": f'<?xml version="1.0"?><w:styles {_W}>'
        + "".join(
            f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/><w:pPr>'
            f'<w:outlineLvl w:val="{n - 1}"/></w:pPr></w:style>'
            for n in range(1, 4)
        )
        + "</w:styles>",
        "word/document.xml": f'<?xml version="1.0"?>{prolog}<w:document {_W}><w:body>{body}</w:body></w:document>',
    }
    return zip_of({**parts, **(extra or {})})


def word_paragraph(text: str, heading: int = 0) -> str:
    style = f'<w:pPr><w:pStyle w:val="Heading{heading}"/></w:pPr>' if heading else ""
    return f"<w:p>{style}<w:r><w:t xml:space='preserve'>{escape(text)}</w:t></w:r></w:p>"


def word_item(text: str, level: int = 0) -> str:
    numbering = f'<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr></w:pPr>'
    return f"<w:p>{numbering}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def word_numbering() -> str:
    """Numbers on the first level, bullets on the second."""
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for level, (form, text) in enumerate([("decimal", "%1."), ("bullet", "-")])
    )
    return (
        f'<?xml version="1.0"?><w:numbering {_W}><w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
    )


def word_table(rows: Sequence[Sequence[str]]) -> str:
    cells = ("<w:tr>" + "".join(f"<w:tc>{word_paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>" for row in rows)
    return f"<w:tbl>{''.join(cells)}</w:tbl>"


def pdf(
    pages: Sequence[Sequence[tuple[float, float, float, str]]], encrypt: tuple[bytes, bytes] | None = None
) -> bytes:
    """A PDF of pages of (x, y from the top, font size, text) on A4; Chinese text becomes a CJK font without file.

    encrypt: (user, owner) passwords, standard handler, RC4 with 40 bits.
    """
    identity = b"0123456789abcdef"
    key = _encryption_key(*encrypt, identity) if encrypt else None
    objects: list[bytes] = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>"
        % (len(pages), b" ".join(b"%d 0 R" % (6 + 2 * n) for n in range(len(pages)))),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [5 0 R] >>",
        b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 /CIDSystemInfo << /Registry (Adobe)"
        b" /Ordering (GB1) /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 4"
        b" /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 80 >> >>",
    ]
    for number, lines in enumerate(pages):
        content = b"\n".join(_show(*line) for line in lines)
        if key is not None:
            content = _rc4(hashlib.md5(key + (7 + 2 * number).to_bytes(3, "little") + b"\0\0").digest()[:10], content)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>" % (7 + 2 * number)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    trailer = b"/Root 1 0 R /ID [<%s> <%s>]" % (identity.hex().encode(), identity.hex().encode())
    if encrypt:
        user, owner = _password_entries(*encrypt, identity)
        objects.append(
            b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (owner.hex().encode(), user.hex().encode())
        )
        trailer += b" /Encrypt %d 0 R" % len(objects)
    return pdf_file(objects, trailer)


def text_page(*lines: str, size: float = 11) -> list[tuple[float, float, float, str]]:
    return [(72, 90 + 16 * n, size, line) for n, line in enumerate(lines)]


def png() -> bytes:
    def part(name: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    header = (1).to_bytes(4, "big") * 2 + bytes([8, 0, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(b"\0\0")) + part(b"IEND", b"")


def scan(picture: bytes, pages: int = 1, text: Mapping[int, str] | None = None) -> bytes:
    """A PDF of A4 pages that each show this black-and-white PNG; but the pages in `text` say that instead."""
    said = text or {}
    width, height = int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (pages, b" ".join(b"%d 0 R" % (5 + 2 * n) for n in range(pages))),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        pdf_stream(
            b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter"
            b" /FlateDecode /DecodeParms << /Predictor 15 /Colors 1 /BitsPerComponent 1 /Columns %d >>"
            % (width, height, width),
            _png_data(picture),
        ),
    ]
    for number in range(pages):
        line = said.get(number + 1)
        content = _show(72, 90, 11, line) if line else b"q 595 0 0 842 0 0 cm /P Do Q"
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >>"
            b" /XObject << /P 4 0 R >> >> >>" % (6 + 2 * number)
        )
        objects.append(pdf_stream(b"", content))
    return pdf_file(objects, b"/Root 1 0 R")


def _png_data(picture: bytes) -> bytes:
    data, at = b"", 8
    while at < len(picture):
        length = int.from_bytes(picture[at : at + 4], "big")
        if picture[at + 4 : at + 8] == b"IDAT":
            data += picture[at + 8 : at + 8 + length]
        at += 12 + length
    return data


def pdf_stream(entries: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


def pdf_file(objects: Sequence[bytes], trailer: bytes) -> bytes:
    out = b"%PDF-1.4\n"
    offsets: list[int] = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return out + b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        table,
        size,
        trailer,
        len(out),
    )


def _show(x: float, from_top: float, size: float, text: str) -> bytes:
    if text.isascii():
        shown = b"(" + text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode() + b")"
        font = b"F1"
    else:
        shown, font = b"<" + text.encode("utf-16-be").hex().encode() + b">", b"F2"
    return b"BT /%s %g Tf %g %g Td %s Tj ET" % (font, size, x, 842 - from_top, shown)


_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def _password_entries(user: bytes, owner: bytes, identity: bytes) -> tuple[bytes, bytes]:
    owner_entry = _rc4(hashlib.md5((owner + _PADDING)[:32]).digest()[:5], (user + _PADDING)[:32])
    return _rc4(_encryption_key(user, owner, identity), _PADDING), owner_entry


def _encryption_key(user: bytes, owner: bytes, identity: bytes) -> bytes:
    owner_entry = _rc4(hashlib.md5((owner + _PADDING)[:32]).digest()[:5], (user + _PADDING)[:32])
    permissions = (-4).to_bytes(4, "little", signed=True)
    return hashlib.md5((user + _PADDING)[:32] + owner_entry + permissions + identity).digest()[:5]


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
