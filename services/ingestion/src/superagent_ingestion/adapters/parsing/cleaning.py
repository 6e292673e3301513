"""Characters and line joins that every format gets wrong in its own way."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Han, kana, bopomofo and full-width punctuation: scripts that are written without spaces. Korean has spaces.
_SPACELESS = "\u2e80-\u2fdf\u3000-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_SPACE_BETWEEN_HAN = re.compile(rf"(?<=[{_SPACELESS}])[ \u00a0]+(?=[{_SPACELESS}])")
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\ud800-\udfff\ufffe\uffff]")
_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f]+")
_SPACELESS_CHARACTER = re.compile(rf"[{_SPACELESS}]")


def clean(text: str) -> str:
    """Line feeds for every kind of line break; no control, zero-width or soft-hyphen characters, no lone surrogates."""
    return _INVISIBLE.sub("", _LINE_BREAK.sub("\n", text))


def one_line(text: str) -> str:
    if text.isascii() and text.isalnum():
        # Most cells of most tables.
        return text
    return join_lines(clean(text).split("\n"))


def lines_of_prose(text: str) -> str:
    """Keeps line breaks, folds spaces inside the lines, drops empty lines."""
    lines = (_SPACES.sub(" ", line).strip() for line in clean(text).split("\n"))
    return "\n".join(line for line in lines if line)


def join_lines(lines: Sequence[str]) -> str:
    """One line out of several: a space between words, nothing between Chinese or Japanese characters."""
    parts: list[str] = []
    for raw in lines:
        line = _SPACES.sub(" ", raw).strip()
        if not line:
            continue
        if parts and not (_SPACELESS_CHARACTER.match(parts[-1][-1]) and _SPACELESS_CHARACTER.match(line)):
            parts.append(" ")
        parts.append(line)
    return "".join(parts)


def without_spaces_between_han(text: str) -> str:
    """For PDF, where such a space is a line join or a wide gap between glyphs."""
    return _SPACE_BETWEEN_HAN.sub("", text)
