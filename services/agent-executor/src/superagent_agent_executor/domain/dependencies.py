"""Sub-questions that need the answer of an earlier one (PLAN-13)."""

from __future__ import annotations

from collections.abc import Sequence

from superagent_agent_executor.domain.evidence import Finding
from superagent_agent_executor.domain.plan import SubQuestion
from superagent_agent_executor.domain.well_formed import well_formed

SEARCH_CHARACTERS = 500
"""Longest text that is searched by."""


def waves(questions: Sequence[SubQuestion]) -> list[tuple[SubQuestion, ...]]:
    """Questions in the order they can be searched: each wave needs earlier ones only, and within one none needs another.

    What a question says of itself, of a later one or of one that is not there does not count.
    """
    depth: dict[int, int] = {}
    for question in sorted(questions, key=lambda each: each.index):
        depth[question.index] = 1 + max((depth[index] for index in question.depends_on if index in depth), default=-1)
    count = max(depth.values(), default=-1) + 1
    return [tuple(question for question in questions if depth[question.index] == wave) for wave in range(count)]


def completed_by_words(question: SubQuestion, earlier: Sequence[Finding]) -> str:
    """The question with what it was asked after: the earlier questions and the headings of their best passages."""
    words: dict[str, None] = {}
    for finding in earlier:
        words[finding.question.text] = None
        if finding.passages:
            best = finding.passages[0]
            words[best.heading_path[-1] if best.heading_path else best.title] = None
    return " ".join((question.text, *words))[:SEARCH_CHARACTERS]


def usable_completion(text: str, question: SubQuestion) -> str:
    """A model's completion on one line, or empty when it cannot be one: too long, or it dropped a number or code."""
    line = " ".join(well_formed(text).split())
    codes = [word for word in question.text.split() if any(character.isdigit() for character in word)]
    kept = all(code.strip(".,;:?!()[]，。；：？！（）") in line for code in codes)
    return line if kept and len(line) <= SEARCH_CHARACTERS else ""
