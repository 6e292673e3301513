"""Parsing alone, per second of one core: pages of PDF, bytes of the other kinds.

    python -m bench.parsing [--pages 120] [--corpus FOLDER]

CPU time in this process; the floor of PDF is liteparse without our part. --corpus measures the real files of a folder,
sorted into one folder per kind, instead of made ones. Under a minute.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from liteparse import LiteParse

from bench.documents import markdown, pdf, text
from bench.report import Figure, show
from superagent_ingestion.adapters.parsing import pdf as pdf_reader
from superagent_ingestion.adapters.parsing.documents import parse_document
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.domain.rejection import DocumentRejected

TARGET_PAGES = 20.0
_CHARACTERS = 2_000_000
_LIMITS = ParserLimits()


def measure(folder: Path) -> list[Figure]:
    """One figure for each folder in `folder`."""
    pdf_reader.wake()
    figures: list[Figure] = []
    for kind in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = sorted(path for path in kind.iterdir() if path.is_file())
        parsed = [done for path in files if (done := _parsed(path)) is not None]
        seconds = sum(seconds for _, seconds, _ in parsed)
        if not seconds:
            continue
        if kind.name == "pdf":
            pages = sum(pages for _, _, pages in parsed)
            floor = sum(_floor_seconds(path) for path, _, _ in parsed)
            figures.append(Figure("pdf", pages / seconds, "pages/s", floor=pages / floor, at_least=TARGET_PAGES))
        else:
            size = sum(path.stat().st_size for path, _, _ in parsed)
            figures.append(Figure(kind.name, size / 1e6 / seconds, "MB/s"))
    return figures


def _parsed(path: Path) -> tuple[Path, float, int] | None:
    """The file, CPU-seconds and pages; None for a file that is refused."""
    began = time.process_time()
    try:
        document = parse_document(path, path.name, _LIMITS)
    except DocumentRejected:
        return None
    return path, time.process_time() - began, document.pages or 0


def _floor_seconds(path: Path) -> float:
    began = time.process_time()
    parser = LiteParse(ocr_enabled=False, output_format="markdown", image_mode="off", num_workers=1, quiet=True)
    for _ in parser.parse_batches(path.read_bytes(), 100):
        pass
    return time.process_time() - began


def _made(pages: int) -> Iterator[tuple[str, bytes]]:
    chance = random.Random(1)
    prose = text("en", _CHARACTERS // 2, chance) + "\n\n" + text("zh", _CHARACTERS // 4, chance)
    rows = [f"{number},{chance.choice('abcdef')},{chance.random()}" for number in range(50_000)]
    yield "pdf/book.pdf", pdf(pages, 1)
    yield "md/book.md", markdown(1, _CHARACTERS, 1)
    yield "txt/book.txt", prose.replace(". ", ".\n\n").encode()
    yield "html/book.html", ("<html><body><p>" + prose.replace(". ", ".</p><p>") + "</body></html>").encode()
    yield "csv/rows.csv", "\n".join(["number,letter,share", *rows]).encode()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=120)
    options.add_argument("--corpus", type=Path, help="folder with one folder per kind")
    chosen = options.parse_args()
    if chosen.corpus:
        show("Parsing real files, per second of a core", measure(chosen.corpus))
        return
    with tempfile.TemporaryDirectory(prefix="superagent-bench-") as folder:
        for name, content in _made(chosen.pages):
            path = Path(folder) / name
            path.parent.mkdir()
            path.write_bytes(content)
        show("Parsing, per second of a core", measure(Path(folder)))


if __name__ == "__main__":
    main()
