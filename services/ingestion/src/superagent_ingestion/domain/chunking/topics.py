"""Where the topic changes: the passages that are compared, and what their similarities mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean, pstdev

from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking.atoms import Atom, Cut, atoms_of
from superagent_ingestion.domain.chunking.model import ChunkLimits
from superagent_ingestion.domain.chunking.outline import Layout, lay_out
from superagent_ingestion.domain.chunking.strategies import STRATEGIES

Topics = Mapping[int, float]
"""Offset in the canonical text where a chunk may begin → how much the topic changes there, above 0."""

# A passage is some sentences: one alone says too little of its topic, half a child is still precise enough. In bytes of
# UTF-8, for a Chinese text says the same in a third of the characters, but in about as many bytes.
_PASSAGE = 240
# A paragraph at least this long, in bytes, is not put together with the next.
_PARAGRAPH = 80
_COMPARED = 500
MOST_PASSAGES = 2_000
"""As many are compared: some 480,000 English or 200,000 Chinese characters, half a minute of the local embedder."""


@dataclass(frozen=True, slots=True)
class Passage:
    """canonical[start:end]; `text` is its beginning, at most 500 characters. Only passages of one stretch compare."""

    start: int
    end: int
    stretch: int
    text: str


def passages_of(document: ParsedDocument, strategy: str, limits: ChunkLimits) -> tuple[Passage, ...]:
    """What a strategy may cut between, in reading order.

    With structure a stretch is a section, and those that make one parent anyway are left out; without, it is the whole
    text. Tables and code are one passage each.
    """
    layout = lay_out(document)
    structured = "structure" in STRATEGIES[strategy]
    found: list[Passage] = []
    stretch = 0
    start, end, size = 0, 0, 0
    for atom in atoms_of(layout, longest_header=limits.child):
        if start < end and _begins(layout, size, atom):
            found.append(_passage(layout, start, end, stretch))
            stretch += structured and atom.cut is Cut.SECTION
            start, size = end, 0
        end = atom.end
        size += len(layout.text[atom.start : atom.end].encode(errors="replace"))
    if start < end:
        found.append(_passage(layout, start, end, stretch))
    if not structured:
        return tuple(found)
    long = _long(found, limits)
    return tuple(passage for passage in found if passage.stretch in long)


def topic_changes(passages: Sequence[Passage], similarities: Sequence[float]) -> Topics:
    """Topics from the similarity of each passage with the next, which the passages before a stretch's end have.

    The valleys of the similarities, with the depth of each: how far it lies below the peaks on its two sides. Valleys
    shallower than the mean minus half a standard deviation are left out. This is TextTiling (Hearst 1997, "TextTiling:
    Segmenting text into multi-paragraph subtopic passages", cutoff HC) on similarities of embeddings, as Solbiati et al.
    2021 ("Unsupervised Topic Segmentation of Meetings with BERT Embeddings") have it.
    """
    depths: dict[int, float] = {}
    gaps = [gap for gap in range(len(passages) - 1) if passages[gap].stretch == passages[gap + 1].stretch]
    for _, group in groupby(gaps, key=lambda gap: passages[gap].stretch):
        of_stretch = list(group)
        for gap, depth in zip(of_stretch, valley_depths([similarities[gap] for gap in of_stretch]), strict=True):
            if depth > 0:
                depths[passages[gap + 1].start] = depth
    if not depths:
        return {}
    cutoff = fmean(depths.values()) - pstdev(depths.values()) / 2
    return {offset: depth for offset, depth in depths.items() if depth >= cutoff}


def valley_depths(values: Sequence[float]) -> list[float]:
    """For each local minimum the sum of the climbs to the next peak on the left and on the right; 0 for all others."""
    depths = [0.0] * len(values)
    last = len(values) - 1
    for at, value in enumerate(values):
        if (at > 0 and values[at - 1] < value) or (at < last and values[at + 1] < value):
            continue
        left, right = at, at
        while left > 0 and values[left - 1] > values[left]:
            left -= 1
        while right < last and values[right + 1] > values[right]:
            right += 1
        depths[at] = values[left] - value + values[right] - value
    return depths


def _begins(layout: Layout, size: int, atom: Atom) -> bool:
    """Whether a passage of so many bytes is complete before the atom."""
    if atom.glued:
        return False
    if atom.cut is Cut.SECTION:
        return True
    solid = layout.placed[atom.block].block.kind in ("table", "code")
    if atom.cut is Cut.PARAGRAPH:
        return size >= _PARAGRAPH
    return not solid and size >= _PASSAGE


def _passage(layout: Layout, start: int, end: int, stretch: int) -> Passage:
    return Passage(start, end, stretch, layout.text[start : min(end, start + _COMPARED)])


def _long(passages: Sequence[Passage], limits: ChunkLimits) -> frozenset[int]:
    return frozenset(
        stretch
        for stretch, group in groupby(passages, key=lambda passage: passage.stretch)
        if sum(passage.end - passage.start for passage in group) > limits.parent
    )
