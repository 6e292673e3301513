"""How often the topic of a text jumps, by its words alone: cheap enough to be asked of every document."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from superagent_ingestion.domain.chunking.topics import valley_depths

# Words of alphabets by their first six letters, which joins most of their forms; pairs of Han, kana and hangul.
_TERM = re.compile(r"[a-z\u00c0-\u024f\u0370-\u052f]{3,}|(?=([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}))")
_STEM = 6
# What is in a quarter of the passages says nothing of their topics: it takes the place of lists of stop words.
_EVERYWHERE = 0.25
# Passages on each side of a gap that are compared.
_SIDE = 3
# Between passages of one article of SQuAD or one novel 0 to 4 % of the places are jumps by it, between articles that were
# strung together and news 8 to 22 %.
_APART = 0.05


def topic_jumps(texts: Sequence[str]) -> int:
    """Places between passages in reading order where a new topic begins with new words.

    Block comparison (Hearst 1997, TextTiling): the cosine of the word counts of the passages before and behind a place.
    A jump is a valley of these cosines that is at most 0.05. Takes 0.3 (English) to 2.5 (Chinese) µs a character.
    """
    counts = [Counter(_terms(text)) for text in texts]
    spread = Counter(term for count in counts for term in count)
    common = {term for term, passages in spread.items() if passages > max(2, _EVERYWHERE * len(texts))}
    for count in counts:
        for term in common.intersection(count):
            del count[term]
    values = [
        _cosine(_sum(counts[max(0, at - _SIDE) : at]), _sum(counts[at : at + _SIDE])) for at in range(1, len(counts))
    ]
    return sum(depth > 0 and value <= _APART for value, depth in zip(values, valley_depths(values), strict=True))


def _terms(text: str) -> list[str]:
    return [match[1] or match[0][:_STEM] for match in _TERM.finditer(text.lower())]


def _sum(counts: Sequence[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return total


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    shared = sum(number * other[term] for term, number in one.items() if term in other)
    lengths = math.sqrt(sum(n * n for n in one.values())) * math.sqrt(sum(n * n for n in other.values()))
    return shared / lengths if lengths else 0.0
