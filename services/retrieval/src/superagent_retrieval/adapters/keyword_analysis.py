"""Text → terms, the same for every keyword engine, so that none needs a dictionary or a plug-in.

NFKC, lower case, no accents, traditional Chinese as simplified. Chinese, Japanese and Korean become overlapping pairs of
characters; words become English stems; a run with connectors (`max_connections`, `10.0.3.1`, `GPT-4`) is kept whole
beside its parts. The engine's field splits at white space and does nothing else.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer  # type: ignore[import-untyped]

from superagent_common.traditional import simplified

# A question has about ten; more would make it slow and no better.
MAX_QUERY_TERMS = 256
# Only so much of a query is read, so that 100 kB cost no more than a long question.
MAX_QUERY_CHARS = 8_000
# Longer runs are no words: base64, tokens in addresses.
_MAX_TERM_CHARS = 64

# What makes a question but is not asked for: Lucene's English list with the question words, and the Chinese ones. They
# count only where a query has nothing else. (CMRC2018 nDCG@10 .981 → .987, SQuAD2 .897 → .904 by leaving them out.)
_STOPS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this"
    " to was will with who whom whose what when where which why how did do does has have had were been can could would"
    " should he she his her its from about"
)
_STOP_WORDS = frozenset(_STOPS.split())
_QUESTION_WORDS = re.compile("请问|什么|哪些|哪个|怎么|如何|多少|是否|吗|呢|的")

_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = rf"[^\W{_CJK}]+"
_RUN = re.compile(rf"([{_CJK}]+)|({_WORD}(?:[-._/:#@+'’]{{1,2}}{_WORD})*)")
_PART = re.compile(r"[^\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_APOSTROPHE = re.compile(r"['’]")
_stemmer = snowballstemmer.stemmer("english")


@dataclass(frozen=True, slots=True)
class PassageTerms:
    """What an engine indexes, with white space between. `characters` are the distinct CJK ones, in code point order."""

    words: str
    characters: str


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Each term once, in order. `characters` are those that no pair holds; they are looked up among characters."""

    words: tuple[str, ...]
    characters: tuple[str, ...]


def analyse_passage(text: str) -> PassageTerms:
    words: list[str] = []
    characters: set[str] = set()
    for cjk, word in _RUN.findall(_normalised(text)):
        if cjk:
            characters.update(cjk)
            words.extend(_pairs(cjk))
        else:
            words.extend(_word_terms(word))
    return PassageTerms(" ".join(words), " ".join(sorted(characters)))


def analyse_query(text: str) -> QueryTerms:
    text = _normalised(text[:MAX_QUERY_CHARS])
    content = _query_terms(_QUESTION_WORDS.sub(" ", text), _STOP_WORDS)
    return content if content.words or content.characters else _query_terms(text, frozenset())


@lru_cache(maxsize=1_024)
def terms_of(text: str) -> tuple[str, ...]:
    """The distinct terms of a question or a heading, of both kinds."""
    terms = analyse_query(text)
    return terms.words + terms.characters


def _query_terms(text: str, left_out: frozenset[str]) -> QueryTerms:
    words: dict[str, None] = {}
    characters: dict[str, None] = {}
    for cjk, word in _RUN.findall(text):
        if len(cjk) == 1:
            characters[cjk] = None
        elif cjk:
            words.update(dict.fromkeys(_pairs(cjk)))
        elif word not in left_out:
            words.update(dict.fromkeys(_word_terms(word)))
    return QueryTerms(tuple(words)[:MAX_QUERY_TERMS], tuple(characters)[:MAX_QUERY_TERMS])


def _normalised(text: str) -> str:
    text = simplified(unicodedata.normalize("NFKC", text)).lower()
    return _THOUSANDS.sub("", text)


def _pairs(run: str) -> list[str]:
    return [run[index : index + 2] for index in range(len(run) - 1)]


@lru_cache(maxsize=16_384)
def _word_terms(run: str) -> tuple[str, ...]:
    """The terms of a run without CJK: its parts, and the whole where connectors join several."""
    first, *rest = _APOSTROPHE.split(run)
    # What follows an apostrophe is "s" more often than a word.
    parts = _PART.findall(first) + [part for tail in rest for part in _PART.findall(tail) if len(part) > 1]
    terms = [_term(part) for part in parts]
    if len(parts) > 1 and not rest and len(run) <= _MAX_TERM_CHARS:
        terms.append(run)
    return tuple(terms)


def _term(word: str) -> str:
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    if word.isalpha() and word.isascii():
        word = str(_stemmer.stemWord(word[:_MAX_TERM_CHARS]))
    return word[:_MAX_TERM_CHARS]
