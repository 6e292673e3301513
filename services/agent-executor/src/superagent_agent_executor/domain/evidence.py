"""Evidence as it is shown to a model and cited by an answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from superagent_agent_executor.domain.plan import SubQuestion

RetrievalMode = Literal["hybrid", "text_only", "vector_only", "cached", "none"]
SNIPPET_CHARACTERS = 240
# A mixed answer is named by the worst of its channels.
_WORST_FIRST: tuple[RetrievalMode, ...] = ("text_only", "vector_only", "cached", "hybrid")
PARTIAL: frozenset[RetrievalMode] = frozenset({"text_only", "vector_only"})
"""A channel did not answer; what is not found then may be there all the same."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What a question may be about besides its words: what was asked before, and words of the chosen skills."""

    history: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage to answer from; `citation_id` is the `n` of `[n]`, given by `number_evidence`."""

    parent_id: str
    document_id: str
    title: str
    domain: str
    text: str
    heading_path: tuple[str, ...] = ()
    page_from: int | None = None
    page_to: int | None = None
    child_ids: tuple[str, ...] = ()
    best_child: str = ""
    citation_id: int = 0

    @property
    def snippet(self) -> str:
        """The best child, or the beginning, on one line and shortened."""
        line = " ".join((self.best_child or self.text).split())
        return line if len(line) <= SNIPPET_CHARACTERS else line[: SNIPPET_CHARACTERS - 1] + "…"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found for one sub-question; `failure` is the reason when retrieval did not answer. `mode` is `none` when it
    did, with both channels, and found nothing.

    `widened`: the planner's domains held nothing, and all readable ones were searched. `searched`: the text that was
    searched by, where it is not the question's own.
    """

    question: SubQuestion
    passages: tuple[Passage, ...] = ()
    mode: RetrievalMode = "none"
    failure: str = ""
    widened: bool = False
    searched: str = ""


def number_evidence(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Numbers passages from 1 across all sub-questions; a passage found twice keeps its first number."""
    numbers: dict[str, int] = {}
    return tuple(
        replace(
            finding,
            passages=tuple(
                replace(passage, citation_id=numbers.setdefault(passage.parent_id, len(numbers) + 1))
                for passage in finding.passages
            ),
        )
        for finding in findings
    )


def passages_by_number(findings: Sequence[Finding]) -> dict[int, Passage]:
    """Every numbered passage once, by its number."""
    return {passage.citation_id: passage for finding in findings for passage in finding.passages}


def worst_mode(findings: Sequence[Finding]) -> RetrievalMode:
    """The retrieval mode of the whole turn: the most degraded, also of those that found nothing; else `none`."""
    return _worst({finding.mode for finding in findings})


def _worst(modes: Collection[RetrievalMode]) -> RetrievalMode:
    return next((mode for mode in _WORST_FIRST if mode in modes), "none")


class EvidenceLog:
    """What a run's searches found, numbered from 1 across all of them, within the run's characters of evidence."""

    def __init__(self, characters: int) -> None:
        self._left = characters
        self._numbers: dict[str, int] = {}
        self.passages: dict[int, Passage] = {}
        """By citation number; grows while the run goes on."""
        self.modes: set[RetrievalMode] = set()

    def take(self, wanted: int) -> int:
        """Characters that the next search may bring, at most `wanted`; give back what it did not bring."""
        taken = min(wanted, self._left)
        self._left -= taken
        return taken

    def give_back(self, characters: int) -> None:
        self._left += max(0, characters)

    def knows(self, passage: Passage) -> bool:
        return passage.parent_id in self._numbers

    def add(self, passages: Sequence[Passage], mode: RetrievalMode) -> tuple[tuple[Passage, ...], frozenset[int]]:
        """The passages with their numbers, and which of the numbers are new; one found before keeps its number."""
        self.modes.add(mode)
        numbered, new = [], set()
        for passage in passages:
            number = self._numbers.setdefault(passage.parent_id, len(self._numbers) + 1)
            known = self.passages.get(number)
            if known is None:
                new.add(number)
                self.passages[number] = replace(passage, citation_id=number)
            numbered.append(self.passages[number])
        return tuple(numbered), frozenset(new)

    @property
    def mode(self) -> RetrievalMode:
        """Of all searches, the most degraded; `none` when none found anything though both channels answered."""
        return _worst(self.modes)
