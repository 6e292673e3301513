"""Headings that a question names: by their words, or by their number, as in "what does chapter 3 say" (RAG-10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Terms = Callable[[str], tuple[str, ...]]
"""The searchable terms of a text, each once, question words left out: the keyword engines' own analysis."""

_PART_WORDS = {
    "章": "chapter", "chapter": "chapter",
    "节": "section", "節": "section", "section": "section",
    "条": "article", "條": "article", "article": "article", "clause": "article",
    "部分": "part", "篇": "part", "part": "part",
    "附录": "appendix", "附錄": "appendix", "appendix": "appendix",
}  # fmt: skip
_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_HAN_NUMBER = "零〇一二两三四五六七八九十百"
# No part of a document has a longer number, and Python refuses to write one of thousands of digits.
_NUMBER, _HAN = r"\d{1,9}(?:\.\d{1,9})*", rf"[{_HAN_NUMBER}]{{1,9}}"
_CHINESE = re.compile(rf"第\s*({_NUMBER}|{_HAN})\s*(章|节|節|条|條|部分|篇)")
_ENGLISH = re.compile(
    rf"\b(chapter|section|article|clause|part|appendix)\s+({_NUMBER}|[ivxl]{{1,9}}|[a-h])\b", re.IGNORECASE
)
_APPENDIX = re.compile(rf"(附录|附錄)\s*([a-hA-H]|\d{{1,9}}(?!\d)|{_HAN}(?![{_HAN_NUMBER}]))")
_BARE = re.compile(r"(?<![\w.])(\d{1,9}(?:\.\d{1,9})+)(?=\s*[节節]|\s+section)")
# What a heading begins with: "3.2 Leave", "三、请假", "IV. Scope".
_LEADING = re.compile(rf"\s*(?:({_NUMBER})[.、)）]?(?=\s|[^\W\d])|({_HAN})、|([IVXL]{{1,9}})[.、)])")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50}

# Less of a heading than this says that the question is about something else.
_LEAST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Reference:
    """A numbered part of a document; `part` is empty where only its number is known."""

    part: str
    number: str

    def names(self, heading: Reference) -> bool:
        return self.number == heading.number and (self.part == heading.part or not self.part or not heading.part)


def references(text: str) -> tuple[Reference, ...]:
    """The numbered parts that a question names, each once, in order."""
    found: list[tuple[int, Reference]] = []
    for match in _CHINESE.finditer(text):
        found.append((match.start(), Reference(_PART_WORDS[match[2]], _number(match[1]))))
    for match in (*_ENGLISH.finditer(text), *_APPENDIX.finditer(text)):
        found.append((match.start(), Reference(_PART_WORDS[match[1].lower()], _number(match[2]))))
    for match in _BARE.finditer(text):
        found.append((match.start(), Reference("section", match[1])))
    return tuple(dict.fromkeys(reference for _, reference in sorted(found, key=lambda each: each[0])))


def heading_reference(heading: str) -> Reference | None:
    """The number that a heading carries."""
    if named := references(heading):
        return named[0]
    if leading := _LEADING.match(heading):
        return Reference("", _number(leading[1] or leading[2] or leading[3]))
    return None


def heading_question(question: str) -> str:
    """The question with its references in every way that headings are written, for a search among headings."""
    ways = [way for reference in references(question) for way in _ways(reference)]
    return " ".join((question, *ways))


def heading_share(
    heading_path: Sequence[str], asked: frozenset[str], named: Sequence[Reference], terms: Terms
) -> float:
    """How much the question is about one of the headings, 0 … 2.

    2 where it names a heading's number; else the share of a heading's terms that it holds, of the heading that it holds
    most of; 0 when that is less than half.
    """
    best = 0.0
    for heading in heading_path:
        own = heading_reference(heading) if named else None
        if own and any(reference.names(own) for reference in named):
            return 2.0
        words = terms(_without_number(heading)) or terms(heading)
        if words:
            best = max(best, sum(word in asked for word in words) / len(words))
    return best if best >= _LEAST_SHARE else 0.0


def _without_number(heading: str) -> str:
    """What a heading says besides its number."""
    for pattern in (_CHINESE, _ENGLISH, _APPENDIX):
        heading = pattern.sub(" ", heading, count=1)
    leading = _LEADING.match(heading)
    return heading[leading.end() :] if leading else heading


def _number(text: str) -> str:
    """`3`, `3.2`, `iv`, `二十三` as digits; a letter as itself."""
    lowered = text.lower().strip(".")
    if lowered and all(character in _ROMAN for character in lowered):
        values = [_ROMAN[character] for character in lowered]
        behind = [*values[1:], 0]
        return str(sum(-value if value < after else value for value, after in zip(values, behind, strict=True)))
    if lowered and all(character in _HAN_NUMBER for character in lowered):
        return str(_han_number(lowered))
    return ".".join(part.lstrip("0") or "0" for part in lowered.split(".")) if lowered[:1].isdigit() else lowered


def _han_number(text: str) -> int:
    total, digit = 0, 0
    for character in text:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        else:
            digit = _DIGITS[character] if "十" in text or "百" in text else digit * 10 + _DIGITS[character]
    return total + digit


def _ways(reference: Reference) -> list[str]:
    number, part = reference.number, reference.part or "section"
    ways = [f"{part} {number}", number]
    han = _as_han(number)
    sign = {"chapter": "章", "section": "节", "article": "条", "part": "部分"}.get(part)
    if sign:
        ways += [f"第{number}{sign}"] + ([f"第{han}{sign}"] if han else [])
    if part == "appendix":
        ways.append(f"附录{number}")
    return ways


def _as_han(number: str) -> str:
    """1 to 99 in Chinese; empty for anything else."""
    if not number.isdigit() or not 0 < int(number) < 100:
        return ""
    tens, ones = divmod(int(number), 10)
    digits = "零一二三四五六七八九"
    return ("" if tens < 2 else digits[tens]) + ("十" if tens else "") + (digits[ones] if ones else "")
