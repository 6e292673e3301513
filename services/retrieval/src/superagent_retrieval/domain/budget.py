"""How much evidence fits (RAG-8). Characters are code points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from superagent_retrieval.domain.passages import Passage
from superagent_retrieval.domain.sentences import sentence_spans

CUT_MARK = "…"
# Less than this of a passage says too little to be quoted.
_LEAST_CHARS = 120
_LONGEST_WORD = 40
_IN_WORD = re.compile(r"[^\W\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Budget:
    """total: all evidence of one search. per_parent: one parent; a passage of two parents may have twice as much."""

    total: int = 5_200
    per_parent: int = 2_200

    def __post_init__(self) -> None:
        if self.total < 1 or self.per_parent < 1:
            raise ValueError(f"a budget has room: {self}")


@dataclass(frozen=True, slots=True)
class Window:
    """What is left of a text: text == mark? + whole[start:end] + mark?, a mark wherever something was cut off."""

    text: str
    start: int
    end: int
    cut: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage with what of its text fits."""

    passage: Passage
    window: Window


def fit(passages: Sequence[Passage], budget: Budget | None) -> list[Evidence]:
    """The passages that fit, in the same order, cut where they must be; those that are missing were over the budget.

    None is no budget: everything fits. The best passage always has a part.
    """
    if budget is None:
        return [Evidence(each, window(each.text, len(each.text), each.anchor)) for each in passages]
    left = budget.total
    evidence: list[Evidence] = []
    for passage in passages:
        limit = min(left, budget.per_parent * len(passage.parent_ids))
        if evidence and limit < min(_LEAST_CHARS, len(passage.text)):
            continue
        fitting = window(passage.text, limit, passage.anchor)
        evidence.append(Evidence(passage, fitting))
        left -= len(fitting.text)
    return evidence


def window(text: str, limit: int, anchor: tuple[int, int]) -> Window:
    """At most `limit` characters of `text`, marks included, in whole sentences around `anchor` (start, end).

    If the anchor itself is too long, its beginning is kept; if not even its first sentence fits, words of it.
    """
    if len(text) <= limit:
        return Window(text, 0, len(text), False)
    room = max(1, limit - 2 * len(CUT_MARK))
    start, end = _sentences_around(sentence_spans(text), anchor, room)
    if end - start > room:
        start = max(start, min(anchor[0], end - room))
        end = _word_end(text, start, start + room)
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    before = CUT_MARK if text[:start].strip() else ""
    after = CUT_MARK if text[end:].strip() else ""
    return Window(before + text[start:end] + after, start, end, bool(before or after))


def _sentences_around(spans: Sequence[tuple[int, int]], anchor: tuple[int, int], room: int) -> tuple[int, int]:
    """Start and end of the sentences that hold as much of the anchor as fits, and of its neighbours on both sides.

    Longer than room only when the first sentence alone is.
    """
    first = next((index for index, span in enumerate(spans) if anchor[0] < span[1]), len(spans) - 1)
    last = first
    while last + 1 < len(spans) and spans[last][1] < anchor[1] and spans[last + 1][1] - spans[first][0] <= room:
        last += 1
    grown = True
    while grown:
        grown = False
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= room:
            last += 1
            grown = True
        if first > 0 and spans[last][1] - spans[first - 1][0] <= room:
            first -= 1
            grown = True
    return spans[first][0], spans[last][1]


def _word_end(text: str, start: int, end: int) -> int:
    """The last place up to `end` where a word is not cut; `end` itself when there is none near."""
    for at in range(end, max(start, end - _LONGEST_WORD), -1):
        if at == len(text) or not (_IN_WORD.match(text[at - 1]) and _IN_WORD.match(text[at])):
            return at
    return end
