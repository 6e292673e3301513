"""From candidates to passages: neighbours of one section become one text (RAG-7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from superagent_retrieval.domain.candidates import Candidate
from superagent_retrieval.domain.records import VectorHit


@dataclass(frozen=True, slots=True)
class FoundChild:
    """A matching child; start and end say where it stands in the passage's whole text."""

    chunk_id: str
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """One or more adjacent parents of a section.

    parent_ids: in reading order; parent_id: the best of them. text is whole. children: best first. vector, keyword,
    outline: the highest of its parents'; fused, rerank: the best parent's. anchor: the stretch of text that must survive
    a cut.
    """

    parent_id: str
    parent_ids: tuple[str, ...]
    document_id: str
    title: str
    domain: str
    heading_path: tuple[str, ...]
    page_from: int | None
    page_to: int | None
    text: str
    children: tuple[FoundChild, ...]
    vector: float | None
    keyword: float | None
    fused: float
    exact: tuple[str, ...]
    anchor: tuple[int, int]
    outline: float | None = None
    rerank: float | None = None

    @property
    def channels(self) -> tuple[str, ...]:
        found = {
            "vector": self.vector is not None,
            "keyword": self.keyword is not None,
            "outline": self.outline is not None,
            "exact": bool(self.exact),
        }
        return tuple(name for name, here in found.items() if here)


def passages(ordered: Sequence[Candidate]) -> list[Passage]:
    """One passage per run of adjacent parents, in the order of each run's best candidate."""
    rank = {candidate.parent.parent_id: index for index, candidate in enumerate(ordered)}
    runs = _runs(ordered)
    runs.sort(key=lambda run: min(rank[candidate.parent.parent_id] for candidate in run))
    return [_passage(run, min(run, key=lambda candidate: rank[candidate.parent.parent_id])) for run in runs]


def _runs(candidates: Iterable[Candidate]) -> list[list[Candidate]]:
    runs: list[list[Candidate]] = []
    for candidate in sorted(candidates, key=lambda each: (each.parent.document_id, each.parent.position)):
        if runs and _adjacent(runs[-1][-1], candidate):
            runs[-1].append(candidate)
        else:
            runs.append([candidate])
    return runs


def _adjacent(first: Candidate, second: Candidate) -> bool:
    before, after = first.parent, second.parent
    return (before.document_id, before.heading_path, before.position + 1) == (
        after.document_id,
        after.heading_path,
        after.position,
    )


def _passage(run: Sequence[Candidate], best: Candidate) -> Passage:
    text = ""
    children: list[FoundChild] = []
    anchor = (0, 0)
    for candidate in run:
        parent = candidate.parent
        # The part of the text that repeats a table header is needed only where a passage begins.
        repeated = len(parent.text) - (parent.end - parent.start) if text else 0
        shift = len(text) - repeated
        children += [_found(child, shift, len(text)) for child in candidate.children]
        if candidate is best:
            anchor = _anchor(candidate, shift, len(text))
        text += parent.text[repeated:]
    pages_from = [each.parent.page_from for each in run if each.parent.page_from is not None]
    pages_to = [each.parent.page_to for each in run if each.parent.page_to is not None]
    return Passage(
        parent_id=best.parent.parent_id,
        parent_ids=tuple(each.parent.parent_id for each in run),
        document_id=best.parent.document_id,
        title=best.parent.title,
        domain=best.parent.domain,
        heading_path=best.parent.heading_path,
        page_from=min(pages_from, default=None),
        page_to=max(pages_to, default=None),
        text=text,
        children=tuple(sorted(children, key=lambda child: (-child.score, child.chunk_id))),
        vector=max((each.vector for each in run if each.vector is not None), default=None),
        keyword=max((each.keyword for each in run if each.keyword is not None), default=None),
        fused=best.fused,
        exact=tuple(dict.fromkeys(name for each in run for name in each.exact)),
        anchor=anchor,
        outline=max((each.outline for each in run if each.outline is not None), default=None),
        rerank=best.rerank,
    )


def _found(child: VectorHit, shift: int, begin: int) -> FoundChild:
    return FoundChild(child.chunk_id, max(begin, child.start + shift), child.end + shift, child.score)


def _anchor(best: Candidate, shift: int, begin: int) -> tuple[int, int]:
    if best.children:
        child = _found(best.children[0], shift, begin)
        return child.start, child.end
    at = begin if best.exact_at is None else max(begin, best.exact_at + shift)
    return at, at
