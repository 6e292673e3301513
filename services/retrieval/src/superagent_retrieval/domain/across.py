"""Questions in one script, passages in the other: what an embedding model needs to bring them together.

Vectors of questions in one language share a part that says no more than the language. Between texts of one language it
changes nothing; across, it decides. Taken off a question's vector (it is *turned*), passages of the other script are found
as they should be, but their cosines are small, so that `gain` brings them to the height of those within a script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist
from operator import sub

from superagent_retrieval.domain.scripts import Script


@dataclass(frozen=True, slots=True)
class Turn:
    """For questions of one script. shift: what is taken off a question's unit vector, [dimension]. gain: see `score`.

    floor: the least score of a hit. related: the least `score + WORD_SUPPORT · share of words said` of a search's best
    passage in the other script, where there are others in the question's.
    """

    shift: tuple[float, ...]
    gain: float
    floor: float
    related: float

    def turned(self, vector: Sequence[float]) -> Turned:
        """A question's unit vector, turned."""
        return Turned(list(map(sub, vector, self.shift)), dist(vector, self.shift), self.gain)


@dataclass(frozen=True, slots=True)
class Turned:
    """A vector to search with, of any length."""

    vector: list[float]
    length: float
    gain: float

    def score(self, cosine: float) -> float:
        """What a cosine with the turned vector is worth beside cosines within a script."""
        return cosine * self.length + self.gain


@dataclass(frozen=True, slots=True)
class Across:
    """By script of the question."""

    han: Turn
    other: Turn

    def of(self, asked: Script) -> Turn | None:
        """None for a question of no clear script."""
        if asked == "mixed":
            return None
        return self.han if asked == "han" else self.other


LANGUAGES: dict[Script, tuple[str, ...]] = {"han": ("en", "und"), "other": ("zh",), "mixed": ()}
"""Script of the question → languages of documents that are written in the other."""


def is_foreign(asked: Script, written: Script) -> bool:
    """Whether both are clear, and not the same."""
    return asked != written and "mixed" not in (asked, written)
