"""How many of a question's words a passage says, and how many of them close together."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from superagent_common.traditional import simplified
from superagent_retrieval.domain.candidates import Parent

_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}
# Shorter ones begin too many words that have nothing to do with them.
_SHORTEST_BEGINNING = 3
# From the end of one word's stem to the next word: its ending, and a word or two such as "of the". From 9 to 25 it makes no
# difference.
_CLOSE = 18


# Of a search's best passages, each is looked at for two reasons; the next search often finds the same ones.
@lru_cache(maxsize=512)
def searchable(parent: Parent) -> str:
    """Title, headings and text of a parent, written as terms are, with a space before each word and behind the last."""
    whole = "\n".join((parent.title, *parent.heading_path, parent.text))
    if whole.isascii():
        # The same in a tenth of the time.
        return f" {whole.lower().translate(_SPACES)} "
    letters = simplified(unicodedata.normalize("NFKC", whole)).lower()
    return f" {' '.join(_RUN.findall(_without_accents(letters)))} "


def share_said(terms: tuple[str, ...], text: str) -> float:
    """The share of the terms that stand in a `searchable` text, 0 … 1; 0 without terms.

    A stem counts where a word begins with it: analysing the passage anew would cost a hundred times as much.
    """
    return sum(map(text.__contains__, _all_said(terms))) / len(terms) if terms else 0.0


def share_joined(terms: tuple[str, ...], text: str) -> float:
    """The share of neighbours among the terms, which come in the question's order, that a `searchable` text has close
    together and in that order, 0 … 1; 0 without neighbours."""
    neighbours = _neighbours(terms)
    joined = [pair for pair in neighbours if pair[0] in text and pair[1] in text and _joined(*pair, text)]
    return len(joined) / len(neighbours) if neighbours else 0.0


# A search's terms are the same for each of its passages.
@lru_cache(maxsize=64)
def _all_said(terms: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_said, terms))


@lru_cache(maxsize=64)
def _neighbours(terms: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """What to look for, of each two terms: the first and, close behind it, the second; "" when the first is both."""
    # A run with connectors stands beside its parts.
    words = [term for term in terms if _RUN.fullmatch(term)]
    return tuple(
        (first + second[1:], "") if _overlap(first, second) else (_said(first), _said(second))
        for first, second in pairwise(words)
    )


def _joined(first: str, second: str, text: str) -> bool:
    if not second:
        return first in text
    at = text.find(first)
    while at >= 0:
        # The space behind a whole word is also the one before the next.
        end = at + len(first) - first.endswith(" ")
        if text.find(second, end, end + _CLOSE + len(second)) >= 0:
            return True
        at = text.find(first, end)
    return False


def _overlap(first: str, second: str) -> bool:
    """Whether both are pairs of characters of one run, side by side in it."""
    return _is_cjk(first) and _is_cjk(second) and first[-1] == second[0]


def _is_cjk(term: str) -> bool:
    return _CJK_RUN.fullmatch(term) is not None


@lru_cache(maxsize=4_096)
def _said(term: str) -> str:
    """What stands in a `searchable` text that says the term."""
    if _is_cjk(term):
        return term
    words = " ".join(_RUN.findall(term))
    if len(words) < _SHORTEST_BEGINNING or words.isdecimal():
        return f" {words} "
    return " " + _beginning(words)


def _beginning(term: str) -> str:
    """Of an English stem, what all its forms share: `warranti` stands for warranty and warranties."""
    return term[:-1] if len(term) > 2 and term.endswith("i") and term.isascii() and term.isalpha() else term


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))
