"""From hits to candidates: a parent is what is answered from, and is as good as its best child (RAG-1, RAG-7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from superagent_retrieval.domain.records import VectorHit


@dataclass(frozen=True, slots=True)
class Parent:
    """A parent of a document's active generation, as the catalogue keeps it.

    position counts the document's parents from 0. start, end: where its own text stands in the document, in
    characters; text may begin with a table header that stands further up and is not counted by them. Pages from 1.
    """

    parent_id: str
    document_id: str
    title: str
    domain: str
    heading_path: tuple[str, ...]
    position: int
    text: str
    start: int
    end: int
    page_from: int | None = None
    page_to: int | None = None


@dataclass(frozen=True, slots=True)
class Bonus:
    """What a rule adds to a fused score (RAG-17)."""

    name: Literal["heading", "hint_words", "all_words", "close_words"]
    value: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """children: best first, empty when the vector channel did not find the parent; keyword, outline: None likewise.

    exact: the question's identifiers that the parent holds verbatim; exact_at: where the first of them stands in its
    text, None when it stands in none or only in a heading. fused: the score it is ordered by, bonuses included.
    rerank: the reranker's score, which goes before the fused one; None when it was not asked about this one.
    """

    parent: Parent
    children: tuple[VectorHit, ...]
    keyword: float | None
    fused: float
    exact: tuple[str, ...] = ()
    exact_at: int | None = None
    outline: float | None = None
    bonuses: tuple[Bonus, ...] = ()
    rerank: float | None = None

    @property
    def vector(self) -> float | None:
        return self.children[0].score if self.children else None


def children_of_parents(hits: Iterable[VectorHit]) -> dict[str, tuple[VectorHit, ...]]:
    """Parent id → its hits, each child once with its best score, best first."""
    best: dict[str, VectorHit] = {}
    for hit in hits:
        known = best.get(hit.chunk_id)
        if known is None or hit.score > known.score:
            best[hit.chunk_id] = hit
    ordered = sorted(best.values(), key=lambda hit: (hit.parent_id, -hit.score, hit.chunk_id))
    return {parent_id: tuple(hits) for parent_id, hits in groupby(ordered, key=lambda hit: hit.parent_id)}


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Most identifiers first, then what was reranked by its new score, then the rest by the fused one, then by id."""
    return sorted(candidates, key=_order)


def _order(candidate: Candidate) -> tuple[int, bool, float, float, str]:
    reranked = candidate.rerank
    return (
        -len(candidate.exact),
        reranked is None,
        0.0 if reranked is None else -reranked,
        -candidate.fused,
        candidate.parent.parent_id,
    )


def without_copies(ordered: Sequence[Candidate]) -> list[Candidate]:
    """The same candidates, of those with the same headings and text only the first: a document may be there twice."""
    seen: dict[tuple[tuple[str, ...], str], Candidate] = {}
    for candidate in ordered:
        seen.setdefault((candidate.parent.heading_path, candidate.parent.text), candidate)
    return list(seen.values())


def diversified(ordered: Iterable[Candidate], per_source: int) -> Iterator[Candidate]:
    """The same candidates, but no document has more than `per_source` before the others had their turn (RAG-6).

    ordered: as by `in_order`; a candidate with more identifiers stays before one with fewer.
    """
    for _, alike in groupby(ordered, key=lambda candidate: len(candidate.exact)):
        waiting = list(alike)
        while waiting:
            had: Counter[str] = Counter()
            later = []
            for candidate in waiting:
                source = candidate.parent.document_id
                if had[source] == per_source:
                    later.append(candidate)
                    continue
                had[source] += 1
                yield candidate
            waiting = later
