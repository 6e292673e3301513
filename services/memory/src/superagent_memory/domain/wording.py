"""Sentences, shortening, and what two texts have in common, in Chinese and in English."""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[。！？!?；;])\s*|(?<=[.])\s+|\s*\n+\s*")
_WORD = re.compile(r"[A-Za-zÀ-ɏЀ-ӿ]{4,}")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_CJK = re.compile(r"[\u3400-\u9fff]+")
_STEM = 4


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line, none empty."""
    return [line for part in _END.split(text) if (line := " ".join(part.split()))]


def shortened(text: str, characters: int) -> str:
    """A text on one line, cut with an ellipsis when it is longer than `characters`."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[: max(characters - 1, 0)].rstrip() + "…"[:characters]


def content_words(text: str) -> set[str]:
    """What a text is about: beginnings of words of four letters or more, and pairs of Chinese characters."""
    words = {match.group().lower()[:_STEM] for match in _WORD.finditer(text)}
    for run in _CJK.findall(text):
        words.update(run[at : at + 2] for at in range(len(run) - 1))
    return words


def numbers(text: str) -> set[str]:
    """Numbers of two digits or more, without their separators: 120,000 and 120000 are the same."""
    found = {re.sub(r"\D", "", match.group()) for match in _NUMBER.finditer(text)}
    return {number for number in found if len(number) > 1}
