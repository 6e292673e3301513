"""What every bench prints: figures beside floors and targets, and under which circumstances they were measured."""

from __future__ import annotations

import os
import platform
import statistics
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

_COLUMNS = ("", "figure", "floor", "ratio", "target", "")


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a table.

    `floor` is the same thing done in the barest way in the same run. `at_most` or `at_least` is the target: of the
    figure, or of figure / floor when `target_of` says so.
    """

    what: str
    value: float
    unit: str = ""
    floor: float | None = None
    at_most: float | None = None
    at_least: float | None = None
    target_of: Literal["figure", "ratio"] = "figure"

    @property
    def ratio(self) -> float | None:
        """How many times the floor; None without one."""
        return self.value / self.floor if self.floor else None

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None when there is none."""
        judged = self.value if self.target_of == "figure" else self.ratio
        if judged is None or (self.at_most is None and self.at_least is None):
            return None
        return (self.at_most is None or judged <= self.at_most) and (self.at_least is None or judged >= self.at_least)

    def cells(self) -> tuple[str, ...]:
        target, sign = (self.at_most, "≤") if self.at_most is not None else (self.at_least, "≥")
        times = "x" if self.target_of == "ratio" else ""
        verdict = {None: "", True: "OK", False: "not reached"}[self.reached]
        return (
            self.what,
            f"{_number(self.value)} {self.unit}".rstrip(),
            "" if self.floor is None else _number(self.floor),
            "" if self.ratio is None else f"{_number(self.ratio)}x",
            "" if target is None else f"{sign} {target:g}{times}",
            verdict,
        )


def table(title: str, figures: Sequence[Figure]) -> str:
    """The figures in columns, names to the left and numbers to the right, under a line on the machine."""
    rows = [_COLUMNS, *(figure.cells() for figure in figures)]
    widths = [max(_width(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    lines = [f"\n{title}   ({_machine()})"]
    for row in rows:
        cells = [
            _pad(cell, width, to_left=column in (0, 5))
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def show(title: str, figures: Sequence[Figure]) -> None:
    """Prints the table."""
    sys.stdout.write(table(title, figures) + "\n")
    sys.stdout.flush()


def progress(text: str) -> None:
    """Says on standard error what is being done."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def percentile(values: Sequence[float], percent: float) -> float:
    """The value at a percentage of the sorted ones, nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def _machine() -> str:
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{os.cpu_count()} cores, load {load}, Python {platform.python_version()}"


def _number(value: float) -> str:
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _pad(text: str, width: int, *, to_left: bool) -> str:
    blanks = " " * (width - _width(text))
    return text + blanks if to_left else blanks + text
