"""What of a passage can be quoted: whole lines, each with what it needs to be understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from superagent_agent_executor.domain.evidence import Passage

QUOTE_WIDTH = 480
"""Of a quote, in narrow characters; a Chinese one counts as two."""
_HEADING_CHARACTERS = 40
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]")
_BULLET = re.compile(r"[-*+•●▪◦·‣]\s+")
_MARKS = re.compile(r"(?:#{1,6}\s+|>\s*|[-*+•●▪◦·‣]\s+)+")
# Pictures, and the bold that a line leaves open.
_DEBRIS = re.compile(r"!\[\[?[^\]]*\]\]?(?:\([^)]*\))?|\*\*")
_REFERENCE = re.compile(r"(?:\d{1,3}\.\s*)?\^")
_TABLE_RULE = re.compile(r"[|\-: ]+")
_ENDS = "。！？!?；;."
# A mark that a text was cut, behind a sentence that is whole.
_CUT_MARK = re.compile(rf"(?<=[{_ENDS}])\s*…$")


@dataclass(frozen=True, slots=True)
class Quotable:
    """`text` is shown; `heading` is what it stands under."""

    text: str
    heading: str


def quotables(passage: Passage) -> Iterator[Quotable]:
    """In reading order. A question takes its answer along, an introduction its list, a table row its header's names."""
    headings = {passage.title, *passage.heading_path}
    heading = ""
    header: tuple[str, ...] = ()
    group: list[str] = []
    for line in passage.text.splitlines():
        raw = line.strip()
        if raw.startswith("|"):
            yield from _closed(group, heading)
            header, row = _table_row(raw, header)
            if row:
                yield Quotable(row, heading)
            continue
        header = ()
        bullet = bool(_BULLET.match(raw))
        text = " ".join(_DEBRIS.sub("", _MARKS.sub("", raw, count=1)).split())
        text = _CUT_MARK.sub("", text)
        if not any(character.isalnum() for character in text) or _REFERENCE.match(text):
            continue
        if not bullet and (text in headings or (len(text) <= _HEADING_CHARACTERS and text[-1].isalnum())):
            yield from _closed(group, heading)
            heading = text
        elif text.endswith(("?", "？", ":", "：")) and not (bullet and group):
            yield from _closed(group, heading)
            group.append(text)
        elif group and (bullet or len(group) == 1) and width(" ".join((*group, text))) <= QUOTE_WIDTH:
            group.append(text)
        else:
            yield from _closed(group, heading)
            yield Quotable(text, heading)
    yield from _closed(group, heading)


def width(text: str) -> int:
    """In narrow characters."""
    return len(text) + len(_WIDE.findall(text))


def _closed(group: list[str], heading: str) -> Iterator[Quotable]:
    """The group as one quote, and the group emptied; what introduces nothing is left out."""
    if len(group) > 1:
        yield Quotable(_joined(group), heading)
    group.clear()


def _joined(parts: Sequence[str]) -> str:
    text = parts[0]
    for part in parts[1:]:
        between = " " if text[-1] in f"{_ENDS}:：,，、…" else "；" if _WIDE.match(text[-1]) else "; "
        text += between + part
    return text


def _table_row(line: str, header: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """(the table's header, the row in words; empty for the header itself and the rule below it)."""
    cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
    if not header:
        return cells, ""
    if _TABLE_RULE.fullmatch(line):
        return header, ""
    named = zip(header, cells, strict=False)
    return header, "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)
