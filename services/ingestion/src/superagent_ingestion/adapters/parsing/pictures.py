"""Pictures of text, such as scans and photographs of pages → blocks; only with a recogniser."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.pdf_headings import with_headings
from superagent_ingestion.adapters.parsing.pdf_pages import PdfBlock
from superagent_ingestion.adapters.parsing.recognition import Confidence, Recogniser, regions
from superagent_ingestion.domain.blocks import Block
from superagent_ingestion.domain.rejection import DocumentRejected

# Sharper pictures take longer and say no more.
_LONGEST_SIDE = 3_000
_HEADING_DOUBT = 0.15


def picture_blocks(
    path: Path, kind: str, recogniser: Recogniser, limits: ParserLimits
) -> tuple[list[Block], int, Confidence]:
    """Blocks, the number of pages (more than one only in a TIFF) and how sure the recogniser was.

    Raises DocumentRejected: unreadable, too_large.
    """
    found: list[PdfBlock] = []
    confidence = Confidence()
    for number, picture in enumerate(_pages(path, kind, limits), 1):
        seen = recogniser.read(picture)
        confidence.add(seen.lines)
        for region in regions(seen.lines, number):
            top, bottom = region.top / seen.height, region.bottom / seen.height
            found.append(PdfBlock(region.block, top, bottom, region.size))
    return with_headings(found, doubt=_HEADING_DOUBT), confidence.pages, confidence


def _pages(path: Path, kind: str, limits: ParserLimits) -> Iterator[bytes]:
    """Each page as PNG, turned as the camera says."""
    # Comes with the recogniser.
    from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

    try:
        with Image.open(path, formats=[kind.upper()]) as picture:
            frames = getattr(picture, "n_frames", 1) if kind == "tiff" else 1
            if frames > limits.ocr_pages:
                raise DocumentRejected(
                    "too_large",
                    f"The file has {frames:,} pages; the text of at most {limits.ocr_pages:,} is recognised.",
                )
            for frame in ImageSequence.Iterator(picture) if kind == "tiff" else (picture,):
                width, height = frame.size
                if width * height > limits.picture_pixels:
                    raise DocumentRejected(
                        "too_large", f"The picture has {width:,} by {height:,} points, which is too much."
                    )
                upright = ImageOps.exif_transpose(frame.convert("RGB"))
                upright.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
                buffer = io.BytesIO()
                upright.save(buffer, "PNG", compress_level=1)
                yield buffer.getvalue()
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError, EOFError) as error:
        raise DocumentRejected("unreadable", "The picture is damaged: it cannot be opened.") from error
