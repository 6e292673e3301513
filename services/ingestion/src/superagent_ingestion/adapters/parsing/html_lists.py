"""The list that an HTML reader is in the middle of."""

from __future__ import annotations

from superagent_ingestion.domain.blocks import Block

_NAVIGATION_ITEMS = 10
_NAVIGATION_SHARE = 0.9
_DEEPEST_INDENT = 8


class ItemList:
    """Collects the items of nested lists as the lines of one block."""

    def __init__(self, *, keep_links: bool) -> None:
        self._keep_links = keep_links
        self._numbers: list[int | None] = []
        self._lines: list[str] = []
        self._items = 0
        self._link_characters = 0
        self._text_characters = 0
        self._marker: str | None = None

    @property
    def is_open(self) -> bool:
        return bool(self._numbers)

    def open(self, *, ordered: bool, start: str) -> None:
        self._numbers.append((int(start) if start.isascii() and start.isdigit() else 1) if ordered else None)
        self._marker = None

    def close(self) -> bool:
        """True when the outermost list ended."""
        if self._numbers:
            self._numbers.pop()
        self._marker = None
        return not self._numbers

    def begin_item(self) -> None:
        if not self._numbers:
            self._numbers.append(None)
        number = self._numbers[-1]
        self._marker = "- " if number is None else f"{number}. "
        if number is not None:
            self._numbers[-1] = number + 1

    def add(self, text: str) -> None:
        indent = "  " * min(len(self._numbers) - 1, _DEEPEST_INDENT)
        for line in text.split("\n"):
            self._lines.append(indent + (self._marker if self._marker is not None else "  ") + line)
            self._items += self._marker is not None
            self._marker = None
        self._text_characters += len("".join(text.split()))

    def count_link(self, data: str) -> None:
        self._link_characters += len("".join(data.split()))

    def take(self) -> Block | None:
        """What was collected; None for nothing and for a list that only navigates."""
        navigation = (
            self._items >= _NAVIGATION_ITEMS and self._link_characters >= _NAVIGATION_SHARE * self._text_characters
        )
        lines = self._lines
        self._lines, self._items, self._link_characters, self._text_characters = [], 0, 0, 0
        if not lines or (navigation and not self._keep_links):
            return None
        return Block("list", "\n".join(lines))
