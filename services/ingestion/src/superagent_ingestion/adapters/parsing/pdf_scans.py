"""Pages of a PDF that are pictures of text."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from liteparse import LiteParse

from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.pdf_pages import PdfBlock, PdfPage
from superagent_ingestion.adapters.parsing.recognition import Confidence, Recognised, Recogniser, regions
from superagent_ingestion.domain.rejection import DocumentRejected

# liteparse's reasons for a page whose text is not there at all; it has others for pages that only look difficult.
_GATE = frozenset({"no-text", "scanned"})
_DPI = 150.0
_POINTS = 72.0
# A4 has 2 million at 150 dots an inch; a drawing on A0 is rendered more coarsely.
_PIXELS = 12_000_000


def recognised_pages(
    path: Path, candidates: Sequence[PdfPage], recogniser: Recogniser, limits: ParserLimits
) -> tuple[list[PdfPage], Confidence]:
    """Those of the candidates that are scans, as the recogniser reads them. Raises DocumentRejected: too_large."""
    confidence = Confidence()
    pages: list[PdfPage] = []
    with tempfile.TemporaryDirectory(prefix="superagent-scan-") as folder:
        # liteparse renders from a path, and judges it by its suffix.
        named = Path(folder) / "scan.pdf"
        named.symlink_to(path.absolute())
        scans = list(_scans(named, candidates))
        if len(scans) > limits.ocr_pages:
            raise DocumentRejected(
                "too_large",
                f"{len(scans):,} pages of the PDF are scans; the text of at most {limits.ocr_pages:,} is recognised.",
            )
        for page, width, height in scans:
            picture = _rendered(named, page.number, width, height)
            if picture is None:
                continue
            found = recogniser.read(picture)
            read = PdfPage(page.number, page.label, _blocks(found, page.number, height))
            # A title alone on its page passes the gate, too, and was typed better than it is recognised.
            if read.length > 2 * page.length:
                confidence.add(found.lines)
                pages.append(read)
    return pages, confidence


def _scans(path: Path, candidates: Sequence[PdfPage]) -> Iterator[tuple[PdfPage, float, float]]:
    """The candidates that pass the gate, with their width and height in points."""
    if not candidates:
        return
    by_number = {page.number: page for page in candidates}
    parser = LiteParse(
        ocr_enabled=False,
        quiet=True,
        num_workers=1,
        include_complexity=True,
        continue_on_page_error=True,
        target_pages=",".join(str(number) for number in by_number),
        max_pages=max(by_number),
    )
    for page in parser.parse(path).pages:
        if page.page_num in by_number and page.complexity and _GATE.intersection(page.complexity.reasons):
            yield by_number[page.page_num], page.width, page.height


def _rendered(path: Path, number: int, width: float, height: float) -> bytes | None:
    """The page as PNG; None when it is blank."""
    dpi = min(_DPI, _POINTS * math.sqrt(_PIXELS / max(width * height, 1.0)))
    parser = LiteParse(ocr_enabled=False, quiet=True, num_workers=1, dpi=dpi)
    rendered = parser.screenshot(path, page_numbers=[number])
    return rendered[0].image_bytes if rendered and not rendered[0].is_solid_fill else None


def _blocks(found: Recognised, number: int, height: float) -> list[PdfBlock]:
    """height: of the page in points."""
    scale = height / found.height
    return [
        PdfBlock(region.block, region.top / found.height, region.bottom / found.height, region.size * scale)
        for region in regions(found.lines, number)
    ]
