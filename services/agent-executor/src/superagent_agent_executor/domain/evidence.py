"""Evidence as it is shown to a model and cited by an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from superagent_agent_executor.domain.plan import SubQuestion

RetrievalMode = Literal["hybrid", "text_only", "vector_only", "cached", "none"]
SNIPPET_CHARACTERS = 240
# A mixed answer is named by the worst of its channels.
_WORST_FIRST: tuple[RetrievalMode, ...] = ("none", "text_only", "vector_only", "cached", "hybrid")


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
    """What was found for one sub-question; `failure` is the reason when retrieval did not answer.

    `widened`: the planner's domains held nothing, and all readable ones were searched.
    """

    question: SubQuestion
    passages: tuple[Passage, ...] = ()
    mode: RetrievalMode = "none"
    failure: str = ""
    widened: bool = False


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
    """The retrieval mode of the whole turn: of those that found something, the most degraded; else `none`."""
    modes = {finding.mode for finding in findings if finding.passages}
    return next((mode for mode in _WORST_FIRST if mode in modes), "none")
