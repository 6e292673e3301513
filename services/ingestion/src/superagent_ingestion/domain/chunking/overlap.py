"""What a child repeats of the one before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from superagent_ingestion.domain.chunking.atoms import Atom, Cut
from superagent_ingestion.domain.chunking.outline import Layout

_PROSE = ("paragraph", "list")
_CLAUSE_END = re.compile(r"[。！？；：，、]\s*|[,;:.!?]\s+")
_WORD_START = re.compile(r"(?<=\s)\S|[\u3400-\u9fff]")


def overlap_start(layout: Layout, before: Sequence[Atom], own: Atom, longest: int) -> int:
    """Where a child begins when its own text begins with `own` and the child before it holds the atoms `before`.

    At most `longest` characters earlier: at a sentence if one begins in that window, else at a clause, else at a word,
    else at the window's edge. Only prose repeats prose: a table repeats its header, and code, a new section and a new topic are
    better without the end of something else.
    """
    block, own_block = layout.placed[before[-1].block], layout.placed[own.block]
    if own.cut is Cut.SECTION or own.topic or block.block.kind not in _PROSE or own_block.block.kind not in _PROSE:
        return own.start
    window = max(before[0].start, block.start, own.start - longest)
    sentences = [atom.start for atom in before if atom.start >= window and atom.cut is not Cut.WORD]
    if sentences:
        return sentences[0]
    clause = _CLAUSE_END.search(layout.text, max(block.start, window - 2), own.start)
    if clause and window <= clause.end() < own.start:
        return clause.end()
    word = _WORD_START.search(layout.text, window, own.start)
    return word.start() if word else window
