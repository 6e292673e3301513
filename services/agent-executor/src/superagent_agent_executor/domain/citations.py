"""Checks citation markers while an answer streams: what does not exist never reaches the reader."""

from __future__ import annotations

import re
from collections.abc import Set

# [3], [1, 2], 【3】, [^3]; a marker is at most 24 characters, so that little text is ever held back.
_MARKER = re.compile(r"[\[【]\^?\s*(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\s*[\]】]")
_OPEN = re.compile(r"[\[【][\^\d\s,，、]{0,23}\Z")
_NUMBER = re.compile(r"\d{1,3}")


class CitationChecker:
    """Feeds on deltas, gives text with only known markers, each written `[n]`.

    A marker may be split over deltas: what could become one is held back until it is decided. A bracket that a `(`
    follows is a Markdown link and stays as it is, so a marker at the end of a delta waits for the next character.
    """

    def __init__(self, known: Set[int]) -> None:
        self._known = known
        self._held = ""
        self.cited: list[int] = []
        """Known numbers in the order they were first cited."""

    def feed(self, delta: str) -> str:
        """Text that may be shown now."""
        text = self._held + delta
        open_marker = _OPEN.search(text)
        end = open_marker.start() if open_marker else len(text)
        for marker in _MARKER.finditer(text):
            if marker.end() == len(text):
                end = marker.start()
        self._held = text[end:]
        return self._checked(text[:end], self._held[:1])

    def finish(self) -> str:
        """What is left when the answer ends."""
        text, self._held = self._held, ""
        return self._checked(text, "")

    def _checked(self, text: str, following: str) -> str:
        def known_only(match: re.Match[str]) -> str:
            behind = text[match.end() : match.end() + 1] or following
            if behind == "(":
                return match[0]
            numbers = [int(number) for number in _NUMBER.findall(match[1])]
            kept = [number for number in dict.fromkeys(numbers) if number in self._known]
            self.cited.extend(number for number in kept if number not in self.cited)
            return "".join(f"[{number}]" for number in kept)

        return _MARKER.sub(known_only, text)
