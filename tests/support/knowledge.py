"""One small document in each format, with a question that it answers."""

from __future__ import annotations

import random
from dataclasses import dataclass

from services.ingestion.tests.document_samples import docx, pdf, text_page, word_paragraph

_MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class Sample:
    """`fact` stands in the passage that answers `question`, under `heading`, on `page` where there are pages."""

    file_name: str
    content: bytes
    question: str
    fact: str
    heading: str = ""
    page: int | None = None


MARKDOWN = Sample(
    "minio.md",
    """# 对象存储手册

## 端口设置

MinIO 的默认服务端口是 9000,管理控制台端口是 9001。修改端口需要运维组审批。

## 备份

每天凌晨两点做一次全量备份,备份保留 30 天。
""".encode(),
    "MinIO 的管理控制台端口是多少?",
    "管理控制台端口是 9001",
    heading="端口设置",
)

GB18030 = Sample(
    "报销制度.txt",
    """差旅报销制度

员工出差返回后应在十五个工作日内提交报销单,逾期不予受理。

住宿标准:一线城市每晚不超过 650 元,其他城市每晚不超过 450 元。
""".encode("gb18030"),
    "一线城市的住宿标准是每晚多少元?",
    "一线城市每晚不超过 650 元",
)


def _chapter(heading: str, *lines: str) -> list[tuple[float, float, float, str]]:
    """A page that is long enough to be a section of its own."""
    filler = (
        f"{heading} is reviewed by the works council in meeting number {number} of the year." for number in range(24)
    )
    return [(72, 60, 20, heading), *text_page(*lines, *filler)]


PDF = Sample(
    "handbook.pdf",
    pdf(
        [
            _chapter("Working hours", "Working hours are logged by everybody at the end of each week."),
            _chapter("Annual leave", "Every employee has 27 days of paid annual leave per calendar year."),
            _chapter("Remote work", "Remote work is possible on three days of each week."),
        ]
    ),
    "How many days of paid annual leave does every employee have?",
    "27 days of paid annual leave",
    heading="Annual leave",
    page=2,
)

WORD = Sample(
    "security.docx",
    docx(
        word_paragraph("Security rules", heading=1)
        + word_paragraph("Passwords", heading=2)
        + word_paragraph("Passwords must have at least fourteen characters and are changed when they leak.")
        + word_paragraph("Visitors", heading=2)
        + word_paragraph("Visitors are picked up at the reception and wear a green badge.")
    ),
    "How many characters must passwords have?",
    "at least fourteen characters",
    heading="Passwords",
)

HTML = Sample(
    "release.html",
    b"""<!doctype html><html><head><title>Release process</title></head><body>
<nav><a href="/">Home</a></nav>
<h1>Release process</h1>
<h2>Freeze</h2><p>The code freeze begins on Wednesday at noon and lasts until the release is out.</p>
<h2>Approval</h2><p>Two approvals are needed before a release: one of the product owner, one of operations.</p>
</body></html>""",
    "When does the code freeze begin?",
    "code freeze begins on Wednesday at noon",
    heading="Freeze",
)

SAMPLES = {"markdown": MARKDOWN, "gb18030": GB18030, "pdf": PDF, "word": WORD, "html": HTML}


def large_word_file() -> Sample:
    """Three parts' worth of bytes, nearly all of them a picture: little text, so that it is read in no time."""
    picture = random.Random(5).randbytes(11 * _MEBIBYTE)
    return Sample(
        "travel.docx",
        docx(
            word_paragraph("Travel", heading=1)
            + word_paragraph("Trains are booked in second class for journeys below six hours."),
            {"word/media/picture.bin": picture},
        ),
        "In which class are trains booked?",
        "second class for journeys below six hours",
    )


QUARTER = "by a quarter"
"""In every passage of a manual and in no question."""


def manual(word: str, chapters: int = 6) -> bytes:
    """A Markdown document of some chunks about a word that no other one has."""
    lines = [f"# Manual of {word}\n"]
    for chapter in range(chapters):
        lines.append(f"\n## Chapter {chapter}\n")
        lines += [f"\nStep {step} of {word} turns valve {step * 7 + chapter} {QUARTER}.\n" for step in range(12)]
    return "".join(lines).encode()
