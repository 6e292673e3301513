"""Which chunking suits a document, from what can be measured on it, and why."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Literal

from superagent_ingestion.domain.blocks import BlockKind, ParsedDocument
from superagent_ingestion.domain.chunking.model import ChunkLimits

Step = Literal["structure", "recursive"]

# Headings further apart than this on average no longer tell what a passage is about.
_FAR_APART = 20_000
_MANY_TABLES = 0.3


@dataclass(frozen=True, slots=True)
class Features:
    """Lengths in characters. The shares are of all characters; characters_per_heading is None without headings."""

    characters: int
    headings: int
    heading_levels: int
    characters_per_heading: int | None
    paragraphs: int
    median_paragraph: int
    longest_paragraph: int
    table_share: float
    list_share: float
    code_share: float


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The steps in the order they are applied, and one sentence for each finding that led to them."""

    pipeline: tuple[Step, ...]
    reasons: tuple[str, ...]
    features: Features


def measure(document: ParsedDocument) -> Features:
    length: dict[BlockKind, int] = {}
    for block in document.blocks:
        length[block.kind] = length.get(block.kind, 0) + len(block.text)
    characters = sum(length.values())
    levels = [block.level for block in document.blocks if block.kind == "heading"]
    paragraphs = [len(block.text) for block in document.blocks if block.kind == "paragraph"]
    return Features(
        characters=characters,
        headings=len(levels),
        heading_levels=len(set(levels)),
        characters_per_heading=characters // len(levels) if levels else None,
        paragraphs=len(paragraphs),
        median_paragraph=int(median(paragraphs)) if paragraphs else 0,
        longest_paragraph=max(paragraphs, default=0),
        table_share=length.get("table", 0) / max(characters, 1),
        list_share=length.get("list", 0) / max(characters, 1),
        code_share=length.get("code", 0) / max(characters, 1),
    )


def recommend(document: ParsedDocument, limits: ChunkLimits | None = None) -> Recommendation:
    limits = limits or ChunkLimits()
    features = measure(document)
    pipeline: tuple[Step, ...] = ("structure", "recursive")
    apart = features.characters_per_heading
    if apart is None:
        pipeline = ("recursive",)
        reasons = ["It has no headings, so only paragraphs and sentences show where to cut."]
    elif apart > _FAR_APART:
        pipeline = ("recursive",)
        reasons = [f"Its headings are {apart:,} characters apart on average, too far to tell what a passage is about."]
    else:
        reasons = [f"{features.headings} headings on {features.heading_levels} levels divide it into sections."]
    if features.longest_paragraph > limits.parent_max:
        reasons.append(
            f"Its longest paragraph has {features.longest_paragraph:,} characters and is cut between sentences."
        )
    if features.table_share >= _MANY_TABLES:
        reasons.append(
            f"{features.table_share:.0%} of it are tables: they keep their heading and repeat their header row."
        )
    return Recommendation(pipeline, tuple(reasons), features)
