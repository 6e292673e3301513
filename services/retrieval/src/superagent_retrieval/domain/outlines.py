"""How well the headings of passages fit a question, and whether one holds the part of a document that it names (RAG-10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.fusion import best_first
from superagent_retrieval.domain.headings import Reference, Terms, heading_share, references

# A section's parents come in reading order; a document has fewer than a million.
_READING_ORDER = 1e-6
_TITLE_SHARE = 0.5
_READ_FOR_PARTS = 12


def outline_scores(question: str, words: Sequence[str], parents: Iterable[Parent], terms: Terms) -> dict[str, float]:
    """How well headings fit, by parent, best first; without those that do not. words: the question's."""
    asked, named = frozenset(words), references(question)
    fitting: dict[str, float] = {}
    for parent in parents:
        if share := heading_share(parent.heading_path, asked, named, terms):
            title = _TITLE_SHARE * heading_share((parent.title,), asked, (), terms)
            fitting[parent.parent_id] = share + title - parent.position * _READING_ORDER
    return {key: fitting[key] for key in best_first(fitting)}


def holds_part(ordered: Sequence[Parent], named: Sequence[Reference]) -> bool:
    """Whether one of the best holds a part that the question names: short sections are one parent, under one heading."""
    if not named:
        return False
    there = {other for parent in ordered[:_READ_FOR_PARTS] for other in references(parent.text)}
    return any(reference.names(other) for reference in named for other in there)
