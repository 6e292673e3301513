"""Which passages a returned text covers: at least half of the passage stands in it, wherever chunking cut it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

ENOUGH = 0.5
# Long enough not to be in a text by chance, in Chinese too.
_GRAM = 8


def grams(text: str) -> frozenset[str]:
    """All runs of eight characters, white space and case apart: parsing and chunking may wrap lines anew."""
    letters = "".join(text.casefold().split())
    return frozenset(letters[start : start + _GRAM] for start in range(max(1, len(letters) - _GRAM + 1)))


def share_covered(passage: Collection[str], text: Collection[str]) -> float:
    """Share of a passage's grams that the text has. `text` is looked up in: a set."""
    return sum(gram in text for gram in passage) / len(passage)


def covered(passages: Mapping[str, frozenset[str]], text: str) -> frozenset[str]:
    """Keys of the passages, given by their grams, of which at least half stands in the text."""
    found = grams(text)
    whole = "".join(text.casefold().split())
    return frozenset(
        key
        for key, passage in passages.items()
        # A passage shorter than a gram is one gram of its own length.
        if share_covered(passage, whole if len(passage) == 1 else found) >= ENOUGH
    )
