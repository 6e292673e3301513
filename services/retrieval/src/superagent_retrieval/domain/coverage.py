"""How many of a question's words a passage says."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.traditional import simplified


# Of a search's best passages, each is looked at for two reasons; the next search often finds the same ones.
@lru_cache(maxsize=512)
def searchable(parent: Parent) -> str:
    """Title, headings and text of a parent, written as terms are."""
    whole = "\n".join((parent.title, *parent.heading_path, parent.text))
    return simplified(unicodedata.normalize("NFKC", whole)).lower()


def share_said(terms: Sequence[str], text: str) -> float:
    """The share of the terms that stand in a `searchable` text, 0 … 1; 0 without terms.

    A stem counts where a word begins with it or holds it: analysing the passage anew would cost a hundred times as much.
    """
    return sum(_beginning(term) in text for term in terms) / len(terms) if terms else 0.0


def _beginning(term: str) -> str:
    """Of an English stem, what all its forms share: `warranti` stands for warranty and warranties."""
    return term[:-1] if len(term) > 2 and term.endswith("i") and term.isascii() and term.isalpha() else term
