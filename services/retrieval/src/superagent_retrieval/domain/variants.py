"""Forms of a question that are searched (RAG-2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from superagent_common.traditional import simplified

VariantKind = Literal["question", "normalised", "hints", "history", "paraphrase"]

MOST_PARAPHRASES = 3
"""RAG-16."""
HINT_CHARACTERS = 200
"""Of the hint words, and of the history hint: more would drown the question."""

_NO_CHARACTER = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ud800-\udfff]")
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Variant:
    """The first of a search is the question; each adds words to it but `normalised`, which writes it another way, and
    `paraphrase`, which says it in others."""

    kind: VariantKind
    text: str

    @property
    def says_more(self) -> bool:
        """Whether it holds words that the person did not ask for now."""
        return self.kind in ("hints", "history", "paraphrase")


def variants(question: str, hint_words: Sequence[str], history_hint: str) -> tuple[Variant, ...]:
    """One to four: the question, its normalised form, one with hint words, one with the history hint.

    One that would say nothing new is left out.
    """
    # No engine takes a lone surrogate or a NUL.
    typed = _NO_CHARACTER.sub("", question)
    found = [Variant("question", typed)]
    normal = normalised(question)
    if _letters(normal) and _letters(normal) != _letters(typed):
        found.append(Variant("normalised", normal))
    known = normal.lower()
    fresh = [word for word in map(normalised, hint_words) if word and word.lower() not in known]
    if words := " ".join(dict.fromkeys(fresh))[:HINT_CHARACTERS].strip():
        found.append(Variant("hints", f"{normal} {words}"))
    history = normalised(history_hint)[:HINT_CHARACTERS].strip()
    if history and history.lower() not in known:
        found.append(Variant("history", f"{history} {normal}"))
    return tuple(found)


def paraphrases(question: str, said: Sequence[str]) -> tuple[Variant, ...]:
    """Forms of a question from what was said for it; such as say nothing new, or too much, are left out."""
    known = {_letters(normalised(question)).lower()}
    found: list[Variant] = []
    for text in map(normalised, said):
        letters = _letters(text).lower()
        if letters and letters not in known and len(text) <= len(question) + HINT_CHARACTERS:
            known.add(letters)
            found.append(Variant("paraphrase", text))
    return tuple(found[:MOST_PARAPHRASES])


def normalised(text: str) -> str:
    """NFKC, simplified Chinese, single spaces; without what is no character, such as NUL and zero-width marks."""
    return " ".join(simplified(unicodedata.normalize("NFKC", _NO_CHARACTER.sub("", text))).split())


def _letters(text: str) -> str:
    """What of the text an engine searches by; punctuation of another width is no other question."""
    return _NO_WORD.sub(" ", text).strip()
