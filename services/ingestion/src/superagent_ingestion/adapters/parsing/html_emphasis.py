"""Whether the text an HTML reader is in the middle of is bold."""

from __future__ import annotations

import re

_BOLD_TAGS = frozenset({"b", "strong"})
# Elements whose end is often left out: the next one ends them.
_SELF_ENDING = frozenset({"p", "li", "td", "th", "tr", "dt", "dd"})
_WEIGHT = re.compile(r"font-weight\s*:\s*([a-z0-9]+)", re.IGNORECASE)
_BOLD = frozenset({"bold", "bolder", "600", "700", "800", "900"})
_DEEPEST = 500
_THROUGHOUT = 0.9


class Emphasis:
    """Follows the open elements, and counts characters since the last `taken`."""

    def __init__(self) -> None:
        self._open: list[tuple[str, bool]] = []
        self._bold = self._all = 0

    def open(self, tag: str, style: str) -> None:
        if tag in _SELF_ENDING and self._open and self._open[-1][0] == tag:
            self._open.pop()
        if len(self._open) < _DEEPEST:
            inherited = bool(self._open and self._open[-1][1])
            weight = _WEIGHT.search(style)
            is_bold = weight.group(1).lower() in _BOLD if weight else tag in _BOLD_TAGS or inherited
            self._open.append((tag, is_bold))

    def close(self, tag: str) -> None:
        """Ends the innermost element of this name, with all that was left open in it."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at][0] == tag:
                del self._open[at:]
                return

    def count(self, text: str) -> None:
        characters = len("".join(text.split()))
        self._all += characters
        self._bold += characters if self._open and self._open[-1][1] else 0

    def taken(self) -> bool:
        """Whether what was counted is bold throughout; begins to count anew."""
        is_bold = self._bold > _THROUGHOUT * self._all
        self._bold = self._all = 0
        return is_bold
