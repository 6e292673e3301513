"""What all readers are given and give back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.recognition import Confidence, Recogniser
from superagent_ingestion.domain.blocks import Block


@dataclass(frozen=True, slots=True)
class Tools:
    """What not every machine has. recogniser: for text in pictures. soffice: LibreOffice's program, for old Office files.
    Without one of them the files that need it are read as well as can be, or refused.
    """

    recogniser: Recogniser | None = None
    soffice: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A file. depth: in how many messages it is attached."""

    path: Path
    media_type: str
    limits: ParserLimits
    tools: Tools
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Content:
    """textless: pages that say nothing. parser: what read it, where that is not the format's own reader."""

    blocks: list[Block]
    title: str | None = None
    pages: int | None = None
    textless: int = 0
    recognised: Confidence = field(default_factory=Confidence)
    parser: str | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """library: the package that does the work, None for our own readers."""

    media_type: str
    read: Callable[[Source], Content]
    library: str | None = None


def opening(blocks: list[Block]) -> str | None:
    """A first-level heading at the beginning; further down it names a chapter, not the document."""
    return next((block.text for block in blocks[:3] if block.kind == "heading" and block.level == 1), None)
