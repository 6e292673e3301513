"""Documents that benches make: Markdown of a given length in both languages, and PDF with a text layer."""

from __future__ import annotations

import random

SENTENCES = {
    "zh": (
        "企业知识库的权限由组织标签决定，每次检索都要先核对身份再给出证据。",
        "合同到期前三十天，系统会提醒负责人；审批记录至少保留五年。",
        "年假按工龄计算：满一年五天，满十年十天，满二十年十五天。",
        "服务器机房的温度应保持在二十二摄氏度左右，湿度不超过百分之六十。",
        "新员工入职当天领取工牌与电脑，并在一周内完成信息安全培训。",
        "数据备份策略：每日增量，每周全量，异地保存九十天。",
        "报销单须附发票原件，超过五千元的采购要经过财务总监批准。",
    ),
    "en": (
        "Every search checks who is asking before any evidence is returned. ",
        "The contract renews automatically unless either party gives thirty days' notice. ",
        "Keep the server room at about 22 °C and below 60% humidity. ",
        "Invoices above $5,000 need the approval of the finance director. ",
        "New employees receive a badge and a laptop on their first day. ",
        "Backups run daily and weekly; copies are kept off site for 90 days. ",
        "A quantum computer uses superposition; most of them are still experiments. ",
    ),
}
_SECTION_CHARACTERS = 700
_LINES_OF_PAGE = 42


def text(language: str, characters: int, chance: random.Random) -> str:
    """That many characters of sentences in any order."""
    pieces: list[str] = []
    length = 0
    while length < characters:
        pieces.append(chance.choice(SENTENCES[language]))
        length += len(pieces[-1])
    return "".join(pieces)[:characters]


def markdown(number: int, characters: int, seed: int) -> bytes:
    """A document with sections; every second one is Chinese."""
    chance = random.Random(f"{seed}/{number}")
    language = ("zh", "en")[number % 2]
    sections = [f"# Document {seed}-{number}\n"]
    for first in range(0, characters, _SECTION_CHARACTERS):
        length = min(_SECTION_CHARACTERS, characters - first)
        sections.append(f"## Section {first // _SECTION_CHARACTERS + 1}\n\n{text(language, length, chance)}\n")
    return "\n".join(sections).encode()


def pdf(pages: int, seed: int) -> bytes:
    """English pages full of lines in Helvetica, uncompressed: the plainest file with a text layer."""
    chance = random.Random(seed)
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * page} 0 R" for page in range(pages))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    for page in range(pages):
        lines = [f"Chapter {page + 1}", *(chance.choice(SENTENCES["en"]).strip() for _ in range(_LINES_OF_PAGE))]
        escaped = (line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in lines)
        shown = " T* ".join(f"({line}) Tj" for line in escaped)
        content = f"BT /F1 11 Tf 16 TL 60 780 Td {shown} ET".encode("cp1252")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * page} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream")
    return _file(objects)


def _file(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)
