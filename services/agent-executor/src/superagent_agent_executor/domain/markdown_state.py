"""Where a Markdown text stands while it is written piece by piece: in code, in a link's target, or in prose."""

from __future__ import annotations

import re
from typing import NamedTuple

_SPECIAL = re.compile(r"[\[【［〔`~\n]")
_TARGET_END = re.compile(r"[)\s]")
# What may stand before a fence in its line: indents, quotes, list marks.
_PREFIX = " \t>*+-"
_FENCE = 3


class _Code(NamedTuple):
    mark: str
    length: int
    fenced: bool


class MarkdownState:
    """Told every piece of a text in order, by the method for what it is.

    Code in a line ends with the line at the latest: whether it is ever closed is not known before. A fence lasts until
    it is closed.
    """

    def __init__(self) -> None:
        self._code: _Code | None = None
        self._opening_line = False
        self._target = False
        self._line_start = True
        self._mark, self._length, self._at_start = "", 0, False
        self._last = ""

    @property
    def in_code(self) -> bool:
        return self._code is not None

    def took_whole(self, text: str) -> bool:
        """Whether nothing in this piece matters to anybody; then it has been told, else nothing happened."""
        if self._length or self._target or self._last == "]" or "](" in text or _SPECIAL.search(text):
            return False
        self._pass(text)
        return True

    def run(self, marks: str) -> None:
        """Backticks or tildes; the rest of their run may come with the next piece."""
        if marks[0] != self._mark:
            self.settle()
            self._mark, self._at_start = marks[0], self._line_start
        self._length += len(marks)

    def settle(self) -> None:
        """Something other than the run's mark follows."""
        if not self._length:
            return
        mark, length, code = self._mark, self._length, self._code
        if code is None:
            if length >= _FENCE and self._at_start:
                self._code, self._opening_line = _Code(mark, length, True), True
            elif mark == "`":
                self._code = _Code(mark, length, False)
        elif mark == code.mark:
            # A fence may also be code of one line that begins it.
            closes = length >= code.length and (self._at_start or self._opening_line)
            if closes if code.fenced else length == code.length:
                self._code = None
        self._mark, self._length = "", 0
        self._line_start, self._last = False, mark

    def newline(self) -> None:
        if self._code and not self._code.fenced:
            self._code = None
        self._opening_line = self._target = False
        self._line_start, self._last = True, "\n"

    def text(self, text: str) -> str:
        """The beginning of a piece without marks and newlines, as far as the state stays the same behind it."""
        if self._target:
            end = _TARGET_END.search(text)
            piece = text[: end.end()] if end else text
            self._target = end is None
        elif self._code:
            piece = text
        elif self._last == "]" and text[0] == "(":
            piece, self._target = text[0], True
        else:
            before, link, _ = text.partition("](")
            piece, self._target = before + link, bool(link)
        self._pass(piece)
        return piece

    def citation(self, text: str) -> str:
        """Citations as they are shown; a round bracket behind them begins no target."""
        self._pass(text)
        self._last = ""
        return text

    @property
    def in_target(self) -> bool:
        return self._target

    def _pass(self, text: str) -> None:
        if text:
            self._line_start = self._line_start and not text.strip(_PREFIX)
            self._last = text[-1]
