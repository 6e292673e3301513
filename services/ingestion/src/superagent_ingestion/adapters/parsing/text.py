"""Plain text: paragraphs out of lines, and the headings that books and rules write in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from superagent_ingestion.adapters.parsing.cleaning import clean, join_lines, lines_of_prose
from superagent_ingestion.domain.blocks import Block

_NUMERAL = r"(?:[0-9]{1,4}|[IVXLCDM]{1,8}|ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN|ELEVEN|TWELVE|THIRTEEN"
_NUMERAL += r"|FOURTEEN|FIFTEEN|SIXTEEN)"
_HAN_NUMERAL = r"[0-9零〇一二两三四五六七八九十百千]{1,6}"
_HEADINGS = (
    (re.compile(rf"(?:book|part|volume)\s+{_NUMERAL}(?:\W.*)?", re.IGNORECASE), 1),
    (re.compile(rf"第{_HAN_NUMERAL}[部卷篇编](?:[\s:：].*)?"), 1),
    (re.compile(rf"chapter\s+{_NUMERAL}(?:\W.*)?", re.IGNORECASE), 2),
    (re.compile(rf"第{_HAN_NUMERAL}[章回](?:[\s:：].*)?"), 2),
    (re.compile(rf"第{_HAN_NUMERAL}节(?:[\s:：].*)?"), 3),
)
_LONGEST_HEADING = 80
_BULLET = re.compile(r"\s*(?:[-*•·●◦–]|\(?\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[、)）])\s*\S")
# Characters as wide as two letters: Hangul, Han, kana, full-width forms.
_WIDE = re.compile(r"[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]")
# A line wider than this (in columns) was not wrapped by hand or by a mail program.
_WIDEST_WRAP = 120
_NARROWEST_WRAP = 40


def text_blocks(text: str) -> list[Block]:
    """Blocks of plain text. Hard-wrapped lines are joined; other line breaks stay or begin a paragraph."""
    lines = clean(text).expandtabs(4).split("\n")
    wrap = _wrap_width(lines)
    blocks: list[Block] = []
    for group in _groups(lines):
        for paragraph in _paragraphs(group, wrap):
            blocks.append(_block(paragraph))
    return blocks


def unwrapped(text: str) -> str:
    """One paragraph without the line breaks of hard wrapping."""
    lines = clean(text).split("\n")
    return lines_of_prose("\n".join(_unwrap(lines, _wrap_width(lines)) if len(lines) > 1 else lines))


def _block(paragraph: list[str]) -> Block:
    text = lines_of_prose("\n".join(paragraph))
    if len(paragraph) == 1:
        level = _heading_level(text)
        if level:
            return Block("heading", text, level)
    bullets = sum(bool(_BULLET.match(line)) for line in paragraph)
    return Block("list" if bullets == len(paragraph) else "paragraph", text)


def _heading_level(line: str) -> int:
    if len(line) > _LONGEST_HEADING or line.endswith(("。", "，", ",", ";", "；")):
        return 0
    return next((level for pattern, level in _HEADINGS if pattern.fullmatch(line)), 0)


def _groups(lines: list[str]) -> Iterator[list[str]]:
    """Runs of lines between empty ones."""
    group: list[str] = []
    for line in lines:
        if line.strip():
            group.append(line)
        elif group:
            yield group
            group = []
    if group:
        yield group


def _paragraphs(group: list[str], wrap: int) -> Iterator[list[str]]:
    """Splits a group where a line can only be a paragraph of its own: a heading, an indented or a very long line."""
    paragraph: list[str] = []
    for line in _unwrap(group, wrap):
        alone = _heading_level(line.strip()) > 0 or _width(line) > _WIDEST_WRAP
        indented = line.startswith(("\u3000", "  ")) and not _BULLET.match(line)
        if paragraph and (alone or indented):
            yield paragraph
            paragraph = []
        paragraph.append(line)
        if alone:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def _unwrap(lines: list[str], wrap: int) -> list[str]:
    """Joins a line with the next one where the next one's first word would not have fitted."""
    if not wrap:
        return lines
    joined: list[list[str]] = []
    room = wrap
    for line in lines:
        if not line.strip():
            joined.append([""])
            room = wrap
            continue
        if joined and room < _first_word_width(line) and not _BULLET.match(line) and not line.startswith("\u3000"):
            joined[-1].append(line)
        else:
            joined.append([line])
        room = wrap - _width(line.rstrip()) - 1
    return [parts[0] if len(parts) == 1 else _indent(parts[0]) + join_lines(parts) for parts in joined]


def _wrap_width(lines: list[str]) -> int:
    """The column at which the text is hard-wrapped, 0 when it is not."""
    widths = sorted(_width(line.rstrip()) for line in lines if line.strip())
    if len(widths) < 3:
        return 0
    widest = widths[int(len(widths) * 0.98)]
    full = sum(width >= 0.8 * widest for width in widths)
    return widest if _NARROWEST_WRAP <= widest <= _WIDEST_WRAP and full >= 0.3 * len(widths) else 0


def _width(line: str) -> int:
    return len(line) if line.isascii() else len(line) + len(_WIDE.findall(line))


def _first_word_width(line: str) -> int:
    stripped = line.lstrip()
    return 2 if _WIDE.match(stripped) else _width(stripped.split(maxsplit=1)[0])


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
