"""Files of the old Office: through LibreOffice where it is installed, which keeps tables, slides, dates and headings; else,
and where it fails, by xberg.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from superagent_ingestion.adapters.parsing.archive import kind_of_archive
from superagent_ingestion.adapters.parsing.implied_headings import with_implied_headings
from superagent_ingestion.adapters.parsing.libreoffice import ConversionFailed, converted
from superagent_ingestion.adapters.parsing.mail import with_head
from superagent_ingestion.adapters.parsing.office import office_blocks
from superagent_ingestion.adapters.parsing.reading import Content, Source, opening
from superagent_ingestion.adapters.parsing.sheets import sheet_blocks
from superagent_ingestion.domain.rejection import DocumentRejected

Read = Callable[[Source], Content]


def through_libreoffice(source: Source, suffix: str, target: str, read: Read, otherwise: Read) -> Content:
    """`read` reads what LibreOffice makes of the file, `otherwise` the file itself. suffix: ".doc", target: "docx"."""
    program = source.tools.soffice
    if program is None:
        return otherwise(source)
    with tempfile.TemporaryDirectory(prefix="office-", dir=source.path.absolute().parent) as folder:
        try:
            made = converted(source.path, suffix, target, Path(folder), program, source.limits)
            kind_of_archive(made, f".{target}", source.limits)
            content = read(replace(source, path=made))
            if any(block.text.strip() for block in content.blocks):
                return replace(content, parser=f"LibreOffice and superagent {target}")
            failure = "found no text"
        except ConversionFailed as error:
            failure = str(error)
        except DocumentRejected:
            failure = "gave something unreadable"
    return replace(otherwise(source), parser=f"xberg {version('xberg')}, because LibreOffice {failure}")


def by_xberg(source: Source) -> Content:
    blocks, title = office_blocks(source.path.read_bytes(), source.media_type, source.limits)
    return Content(blocks, title or opening(blocks))


def word_by_xberg(source: Source) -> Content:
    content = by_xberg(source)
    return replace(content, blocks=with_implied_headings(content.blocks, ()))


def sheets_by_xberg(source: Source) -> Content:
    blocks, title = office_blocks(source.path.read_bytes(), source.media_type, source.limits, sheet_blocks)
    # Sheets are the top of a workbook, which xberg takes for the second level.
    return Content([replace(block, level=min(block.level, 1)) for block in blocks], title)


def outlook_by_xberg(source: Source) -> Content:
    content = by_xberg(source)
    blocks = with_head(content.blocks)
    return Content(blocks, opening(blocks) or content.title)
