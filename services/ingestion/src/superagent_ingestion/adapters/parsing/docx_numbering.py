"""Numbers that Word counts itself and writes nowhere: "第三条", "2.1", "(b)"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from superagent_ingestion.adapters.parsing.docx_styles import value
from superagent_ingestion.adapters.parsing.safe_xml import Element

_PLACE = re.compile(r"%([1-9])")
_HAN = "零一二三四五六七八九"
_CHINESE = frozenset({"chineseCounting", "chineseCountingThousand", "ideographDigital", "japaneseCounting"})
_CHINESE |= {"taiwaneseCounting", "taiwaneseCountingThousand", "koreanCounting"}


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str


class DocxNumbering:
    """Counts as the paragraphs go by, so it is asked for every numbered one, in order."""

    def __init__(self, root: Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._abstract: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for entry in root or ():
            if entry.tag == "abstractNum":
                self._levels[entry.attributes.get(":abstractNumId", "")] = _levels(entry)
            elif entry.tag == "num":
                self._abstract[entry.attributes.get(":numId", "")] = value(entry, "abstractNumId")

    def mark(self, number: str, level: int) -> str:
        """What stands before the next paragraph of this numbering; "-" for a bullet, "" for nothing."""
        abstract = self._abstract.get(number, "")
        levels = self._levels.get(abstract, {})
        here = levels.get(level)
        if here is None:
            return "-"
        counts = self._counts.setdefault(abstract, {})
        counts[level] = counts.get(level, here.start - 1) + 1
        for deeper in [depth for depth in counts if depth > level]:
            del counts[deeper]
        if here.form == "bullet":
            return "-"

        def counted(place: re.Match[str]) -> str:
            depth = int(place.group(1)) - 1
            above = levels.get(depth, here)
            return shown(
                counts.get(depth, above.start), "decimal" if depth != level and "." in here.text else above.form
            )

        return "" if here.form == "none" else _PLACE.sub(counted, here.text).strip()


def _levels(entry: Element) -> dict[int, _Level]:
    levels: dict[int, _Level] = {}
    for level in entry:
        depth, start = level.attributes.get(":ilvl", ""), value(level, "start")
        if level.tag == "lvl" and depth.isdigit():
            text = value(level, "lvlText")
            levels[int(depth)] = _Level(int(start) if start.isdigit() else 1, value(level, "numFmt") or "decimal", text)
    return levels


def shown(number: int, form: str) -> str:
    """A count as the format writes it; decimal for formats that are not known."""
    if form in _CHINESE:
        return _han(number)
    match form:
        case "lowerLetter" | "upperLetter":
            letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
            return letter if form == "lowerLetter" else letter.upper()
        case "lowerRoman" | "upperRoman":
            roman = _roman(number)
            return roman.lower() if form == "lowerRoman" else roman
        case "decimalEnclosedCircle" if 1 <= number <= 20:
            return chr(0x245F + number)
        case "decimalZero":
            return f"{number:02d}"
    return str(number)


def _han(number: int) -> str:
    if not 0 <= number < 100:
        return "".join(_HAN[int(digit)] for digit in str(number))
    tens, ones = divmod(number, 10)
    if tens == 0:
        return _HAN[ones]
    return ("" if tens == 1 else _HAN[tens]) + "十" + (_HAN[ones] if ones else "")


def _roman(number: int) -> str:
    steps = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"))
    letters = ""
    for size, letter in (*steps, (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        letters += letter * (number // size)
        number %= size
    return letters
