"""Which chunking suits a document, from what can be measured on it, and why."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from superagent_ingestion.domain.blocks import BlockKind, ParsedDocument
from superagent_ingestion.domain.chunking import DEFAULT_STRATEGY, MOST_PASSAGES, ChunkLimits, passages_of
from superagent_ingestion.domain.topic_jumps import topic_jumps

# Headings further apart than this on average no longer tell what a passage is about.
_FAR_APART = 20_000
_MANY_TABLES = 0.3
# Comparing by meaning pays where the topic jumps at so many of the places (measured: see `topic_jumps`) ...
_MANY_JUMPS = 0.06
_FEWEST_JUMPS = 3
# ... as far as that is measured.
_PASSAGES_MEASURED = 500
# A recogniser that is less sure than this, in per cent, gets so many words wrong that topics seem to jump everywhere.
_LEGIBLE = 80


@dataclass(frozen=True, slots=True)
class Features:
    """Lengths in characters. The shares are of all characters; characters_per_heading is None without headings.

    passages: how many the text has for comparing neighbours. topic_jumps: at how many of the first `places` between them
    the words of the text change abruptly; tables and code count little, being one passage each. recognised_pages and
    recognition: how many pages are text recognised in pictures, and how sure the recogniser was in per cent; None without.
    """

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
    passages: int
    places: int
    topic_jumps: int
    recognised_pages: int
    recognition: int | None


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One of `STRATEGIES`, and one sentence for each finding that led to it."""

    strategy: str
    reasons: tuple[str, ...]
    features: Features


def measure(document: ParsedDocument, limits: ChunkLimits) -> Features:
    """What recommending needs; needs no embeddings, so that it costs next to nothing."""
    length: dict[BlockKind, int] = {}
    for block in document.blocks:
        length[block.kind] = length.get(block.kind, 0) + len(block.text)
    characters = sum(length.values())
    levels = [block.level for block in document.blocks if block.kind == "heading"]
    paragraphs = [len(block.text) for block in document.blocks if block.kind == "paragraph"]
    passages = passages_of(document, "recursive+semantic", limits)
    measured = [passage.text for passage in passages[:_PASSAGES_MEASURED]]
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
        passages=len(passages),
        places=max(len(measured) - 1, 0),
        topic_jumps=topic_jumps(measured),
        recognised_pages=document.ocr_pages,
        recognition=document.ocr_confidence,
    )


def recommend(document: ParsedDocument, limits: ChunkLimits | None = None) -> Recommendation:
    """Takes 1 to 3 µs a character."""
    limits = limits or ChunkLimits()
    features = measure(document, limits)
    strategy = DEFAULT_STRATEGY
    apart = features.characters_per_heading
    if apart is None:
        strategy = "recursive"
        reasons = ["It has no headings, so only paragraphs and sentences show where to cut."]
    elif apart > _FAR_APART:
        strategy = "recursive"
        reasons = [f"Its headings are {apart:,} characters apart on average, too far to tell what a passage is about."]
    else:
        reasons = [f"{features.headings} headings on {features.heading_levels} levels divide it into sections."]
    if strategy == "recursive" and _jumps(features):
        strategy = "recursive+semantic"
        reasons.append(
            f"Its words change abruptly at {features.topic_jumps} of {features.places} places, "
            "so it is cut where the topic changes."
        )
    if features.recognition is not None:
        reasons.append(
            f"Text of {features.recognised_pages} pages was recognised in pictures with {features.recognition}% certainty."
        )
    if features.longest_paragraph > limits.parent_max:
        reasons.append(
            f"Its longest paragraph has {features.longest_paragraph:,} characters and is cut between sentences."
        )
    if features.table_share >= _MANY_TABLES:
        reasons.append(
            f"{features.table_share:.0%} of it are tables: they keep their heading and repeat their header row."
        )
    return Recommendation(strategy, tuple(reasons), features)


def _jumps(features: Features) -> bool:
    """Whether comparing passages by meaning is worth embedding the text twice."""
    many = max(_FEWEST_JUMPS, _MANY_JUMPS * features.places)
    legible = features.recognition is None or features.recognition >= _LEGIBLE
    bounded = features.passages <= MOST_PASSAGES
    return legible and bounded and features.table_share < _MANY_TABLES and features.topic_jumps >= many
