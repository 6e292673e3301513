"""What the index of a corpus expects of each file, and where we hold something else to be right."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_WITHOUT = " without OCR"
_WITH = " with OCR"


@dataclass(frozen=True, slots=True)
class Seen:
    """How a file ended: READY, FAILED, REFUSED (by the upload) or HANGS, and the reason where there is one."""

    state: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.state}:{self.reason}" if self.reason else self.state


@dataclass(frozen=True, slots=True)
class Ruling:
    """An expectation that we read otherwise than it is written, and why."""

    allowed: tuple[Seen, ...]
    why: str


RULINGS = {
    "txt/empty.txt": Ruling(
        (Seen("FAILED", "empty_file"),),
        "The file has 0 bytes. The index writes what most parsers do with it, which is to return nothing without an "
        "error; the product's rule (ING-6) is that an empty file ends FAILED with a reason, for a document that is "
        "READY and can never be found helps nobody.",
    ),
    "pdf/scanned.pdf": Ruling(
        (Seen("READY"),),
        "The page is a scan, but the scanner has put the text it recognised behind the picture: this is the index's "
        "“READY with OCR”, with the OCR done before. Without that layer the file would be FAILED:no_text.",
    ),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A file of the corpus. `expected` is as the index has it; `with_ocr`: which of its cases holds."""

    path: str
    kind: str
    expected: str
    with_ocr: bool = False

    @property
    def ruling(self) -> Ruling | None:
        return RULINGS.get(self.path)

    @property
    def allowed(self) -> tuple[Seen, ...]:
        return self.ruling.allowed if self.ruling else allowed_ends(self.expected, with_ocr=self.with_ocr)


def read_index(corpus: Path, *, with_ocr: bool = False) -> Sequence[Row]:
    """The rows of INDEX.tsv; with_ocr: whether text in pictures is recognised.

    Raises OSError, and ValueError for an index without the columns or with a bad row."""
    with (corpus / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        missing = {"path", "kind", "expected"} - set(table.fieldnames or ())
        if missing:
            raise ValueError(f"INDEX.tsv has no column {', '.join(sorted(missing))}")
        rows = [Row(line["path"], line["kind"], line["expected"], with_ocr) for line in table]
    for row in rows:
        allowed_ends(row.expected, with_ocr=with_ocr)
    return rows


def allowed_ends(expected: str, *, with_ocr: bool = False) -> tuple[Seen, ...]:
    """What "READY or FAILED:unreadable" allows, or one side of "A without OCR, B with OCR".

    Raises ValueError for anything else.
    """
    ends: list[Seen] = []
    for part in re.split(r" or |, ", expected):
        if part.endswith(_WITHOUT if with_ocr else _WITH):
            continue
        state, _, reason = part.removesuffix(_WITHOUT).removesuffix(_WITH).partition(":")
        if state not in ("READY", "FAILED") or (state == "FAILED") != bool(reason):
            raise ValueError(f"what “{expected}” expects is not understood")
        ends.append(Seen(state, reason))
    return tuple(ends)
