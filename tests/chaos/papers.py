"""Documents of several formats for a run with deaths, each different from the others."""

from __future__ import annotations

from services.ingestion.tests.document_samples import docx, pdf, text_page, word_paragraph, word_table
from tests.support.steadfast import File

PASSWORD = b"secret"


def _steps(number: int, chapter: int) -> list[str]:
    return [
        f"Step {step} of chapter {chapter} in manual {number} turns valve {step * 7 + number}." for step in range(4)
    ]


def _markdown(number: int) -> bytes:
    chapters = range(4 + number % 5)
    sections = [f"## Chapter {chapter}\n\n{' '.join(_steps(number, chapter))}\n" for chapter in chapters]
    return "\n".join([f"# Manual {number}\n", *sections]).encode()


def _word(number: int) -> bytes:
    body = word_paragraph(f"Manual {number}", heading=1)
    for chapter in range(3):
        body += word_paragraph(f"Chapter {chapter}", heading=2)
        body += "".join(word_paragraph(step) for step in _steps(number, chapter))
    rows = [("Valve", "Turns"), *((f"V{number}-{row}", str(row * number)) for row in range(12))]
    return docx(body + word_table(rows))


def _pdf(number: int) -> bytes:
    return pdf([text_page(*_steps(number, page), *_steps(number, page + 100)) for page in range(3)])


def _html(number: int) -> bytes:
    sections = (f"<h2>Chapter {chapter}</h2><p>{' '.join(_steps(number, chapter))}</p>" for chapter in range(3))
    return f"<html><body><h1>Manual {number}</h1>{''.join(sections)}</body></html>".encode()


def _table(number: int) -> bytes:
    return "\n".join(["valve,turns", *(f"V{number}-{row},{row * number}" for row in range(30))]).encode()


def _encrypted(number: int) -> bytes:
    return pdf([text_page(f"Manual {number} is nobody's business.")], encrypt=(PASSWORD, PASSWORD))


def _broken(number: int) -> bytes:
    return _word(number)[: 300 + number]


_KINDS = (
    ("md", _markdown),
    ("docx", _word),
    ("pdf", _pdf),
    ("html", _html),
    ("csv", _table),
    ("md", _markdown),
)
_BAD = (("pdf", _encrypted), ("docx", _broken))
_EVERY_BAD = 15


def papers(count: int) -> list[File]:
    """Name and content; some of them cannot be read."""
    made = []
    for number in range(count):
        if number % _EVERY_BAD == _EVERY_BAD - 1:
            ending, make = _BAD[number // _EVERY_BAD % len(_BAD)]
        else:
            ending, make = _KINDS[number % len(_KINDS)]
        made.append((f"manual-{number}.{ending}", make(number)))
    return made
