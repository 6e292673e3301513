"""Front matter of Markdown files: the part of YAML that definitions need, and a clear refusal of the rest.

Understood: `key: text`, quoted texts, `true` and `false`, lists (`[a, b]` or lines `- a`), mappings one level deep, folded
(`>`) and literal (`|`) blocks, comments. Numbers stay texts. Everything understood means the same in YAML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from superagent_common.errors import InvalidInput

Value = str | bool | list[str] | dict[str, str]

_FENCE = "---"
_KEY = re.compile(r"([A-Za-z][\w-]*):(?:\s+(.*))?")
# What would begin something else than plain text in YAML.
_NOT_PLAIN = tuple("&*!%@`{}]|>,?#\"'")
_ITEM = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'\[\]{}]+?)\s*(?:,|$)""")


def split(text: str) -> tuple[Mapping[str, Value], str]:
    """(front matter, body). Raises InvalidInput(invalid_front_matter) with the line's number."""
    lines = text.lstrip("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        raise _refused(1, "the file does not begin with ---")
    for end, line in enumerate(lines[1:], start=1):
        if line.rstrip() == _FENCE:
            return _read(lines[1:end]), "\n".join(lines[end + 1 :]).strip()
    raise _refused(len(lines), "no closing --- was found")


def _read(lines: list[str]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for number, line, below in _blocks(lines):
        match = _KEY.fullmatch(line)
        if not match:
            raise _refused(number, "expected `key: value`")
        key, rest = match[1], _without_comment(match[2] or "")
        if key in values:
            raise _refused(number, f"{key} is given twice")
        values[key] = _value(number, rest, below)
    return values


def _blocks(lines: list[str]) -> Iterator[tuple[int, str, list[str]]]:
    """(line number, line without indent, the indented lines below it)."""
    position = 0
    while position < len(lines):
        line = lines[position]
        number = position + 2
        position += 1
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] in " \t":
            raise _refused(number, "unexpected indent")
        below = []
        while position < len(lines) and (not lines[position].strip() or lines[position].startswith((" ", "- "))):
            below.append(lines[position])
            position += 1
        yield number, line.rstrip(), below


def _value(number: int, text: str, below: list[str]) -> Value:
    if text in (">", ">-", "|", "|-"):
        joint = " " if text[0] == ">" else "\n"
        return joint.join(line.strip() for line in below if line.strip())
    filled = [
        (number + offset, line.strip())
        for offset, line in enumerate(below, start=1)
        if line.strip() and not line.strip().startswith("#")
    ]
    if text:
        if filled:
            raise _refused(filled[0][0], "an indented line below a value")
        if text.startswith("["):
            return _flow_list(number, text)
        return _flag_or_text(number, text)
    if not filled:
        raise _refused(number, "the value is missing")
    if filled[0][1].startswith("- "):
        return [_text(at, _without_comment(_item_line(at, line))) for at, line in filled]
    mapping: dict[str, str] = {}
    for at, line in filled:
        match = _KEY.fullmatch(line)
        if not match or not match[2]:
            raise _refused(at, "expected `key: value`")
        mapping[match[1]] = _text(at, _without_comment(match[2]))
    return mapping


def _item_line(number: int, line: str) -> str:
    if not line.startswith("- "):
        raise _refused(number, "expected `- item`")
    return line[2:].strip()


def _flow_list(number: int, text: str) -> list[str]:
    if not text.endswith("]"):
        raise _refused(number, "a list in brackets must end on its line")
    inner, items, position = text[1:-1].strip(), [], 0
    while position < len(inner):
        match = _ITEM.match(inner, position)
        if not match:
            raise _refused(number, "a list item that cannot be read")
        items.append(_text(number, match[1]))
        position = match.end()
    return items


def _flag_or_text(number: int, text: str) -> str | bool:
    return text == "true" if text in ("true", "false") else _text(number, text)


def _text(number: int, text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text[1:-1])
    if text.startswith(_NOT_PLAIN) or ": " in text or text.endswith(":"):
        raise _refused(number, "put this text in quotes")
    return text


def _without_comment(text: str) -> str:
    """The text before ` #`, unless it is quoted."""
    text = text.strip()
    if text[:1] in ("'", '"'):
        return text
    return re.split(r"(?:^|\s)#", text, maxsplit=1)[0].rstrip()


def _refused(number: int, why: str) -> InvalidInput:
    return InvalidInput("invalid_front_matter", f"line {number}: {why}")
