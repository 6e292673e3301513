"""Checks citation markers while an answer streams: what does not exist never reaches the reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from superagent_agent_executor.domain.markdown_state import MarkdownState

MARKER_CHARACTERS = 64
"""Longest marker; what is held back is never longer than this and the beginning of an address."""

_SPACE = r"[^\S\n]*"
_TO = r"[\-–—~～至]"
_AND = r"[,，、;；]"
_BRACKET = r"[\[【［〔]"
_PART = rf"\d{{1,3}}(?:{_SPACE}{_TO}{_SPACE}\d{{1,3}})?"
# [3], [1, 2], [1-3], 【3】, ［３］, [^3]; `\d` takes full-width digits, too.
_REST = rf"\^?{_SPACE}({_PART}(?:{_SPACE}{_AND}{_SPACE}{_PART})*){_SPACE}\^?[\]】］〕]"
_MARKER = re.compile(_BRACKET + _REST)
# What could still become one.
_OPEN = re.compile(_BRACKET + r"[\^\d,，、;；\-–—~～至 \t\u00a0\u3000]*\Z")
_OPEN_AT_END = re.compile(rf"{_BRACKET}[^\[【［〔]*\Z")
_RANGE = re.compile(rf"(\d{{1,3}})(?:{_SPACE}{_TO}{_SPACE}(\d{{1,3}}))?")
_RUN = re.compile(r"`+|~+")
_TEXT = re.compile(r"[^\[【［〔`~\n]+")
_TEXT_OR_BRACKET = re.compile(r"[^`~\n]+")
# Not behind a name: that is an index.
_OWN_MARKS = re.compile(rf"{_BRACKET}(?<![A-Za-z0-9_)\]].){_REST}(?:{_BRACKET}{_REST})*")
_LINKS = tuple(
    f"{opening}{scheme}" for opening in ("(", "(<", "](", "](<") for scheme in ("http://", "https://", "mailto:")
)
"""What makes a link of a marker: `[1](https://…`, `[[1]](https://…`; other round brackets are words behind it."""
_ASCII_MARK = re.compile(r"\[(\d{1,3})\]")


def unmarked(text: str) -> str:
    """A document's text with its own reference marks in round brackets, so that nobody takes them for citations."""
    return _OWN_MARKS.sub(lambda marks: _MARKER.sub(r"(\1)", marks[0]), text)


def quoted(text: str) -> str:
    """As `unmarked`, and nothing that a page would take for a citation is left: an index gets full-width brackets."""
    return _ASCII_MARK.sub("［\\1］", unmarked(text))


class CitationChecker:
    """Feeds on deltas, gives text with only known markers, each written `[n]`.

    A marker may be split over deltas: what could become one is held back until it is decided. Code and links to an
    address stay as they are, so a marker at the end of a delta waits for what follows it.
    """

    def __init__(self, known: Set[int]) -> None:
        self._known = known
        self._held = ""
        self._open = ""
        self._is_torn = False
        self._state = MarkdownState()
        self.cited: list[int] = []
        """Known numbers in the order they were first cited."""

    def feed(self, delta: str) -> str:
        """Text that may be shown now."""
        if not self._held and self._state.took_whole(delta):
            return self._mended(delta) if self._open else delta
        text, self._held = self._held + delta, ""
        return "".join(map(self._mended, self._pieces(text, final=False)))

    def cite(self, number: int) -> None:
        """A citation that does not come by way of the text."""
        if number in self._known and number not in self.cited:
            self.cited.append(number)

    def finish(self) -> str:
        """What is left when the answer ends."""
        text, self._held = self._held, ""
        return "".join(map(self._mended, self._pieces(text, final=True)))

    def _mended(self, piece: str) -> str:
        """The piece, so that what stood around a removed marker ("[9[7]]") makes none: its bracket is not closed."""
        whole = self._open + piece
        while self._is_torn and (marker := _MARKER.match(whole)):
            whole = whole[: marker.end() - 1] + whole[marker.end() :]
        shown = whole[len(self._open) :]
        last = _OPEN_AT_END.search(whole)
        is_open = last is not None and len(last[0]) < MARKER_CHARACTERS and _OPEN.match(last[0]) is not None
        self._is_torn = self._is_torn and is_open
        self._open = last[0] if last and is_open else ""
        return shown

    def _pieces(self, text: str, *, final: bool) -> Iterator[str]:
        at, state = 0, self._state
        while at < len(text):
            run = _RUN.match(text, at)
            if run:
                state.run(run[0])
                at = run.end()
                yield run[0]
                continue
            state.settle()
            if text[at] == "\n":
                state.newline()
                piece = "\n"
            elif state.in_code or state.in_target:
                piece = state.text(_whole(_TEXT_OR_BRACKET, text, at))
            elif plain := _TEXT.match(text, at):
                piece = state.text(plain[0])
            else:
                marker = _MARKER.match(text, at, at + MARKER_CHARACTERS)
                if not final and (_needs_more(text, marker) if marker else _may_become_one(text, at)):
                    self._held = text[at:]
                    return
                numbers = None if marker is None or _is_link(text, marker) else self._cited(marker[1])
                if marker and numbers is not None:
                    at = marker.end()
                    if shown := "".join(f"[{number}]" for number in numbers):
                        yield state.citation(shown)
                    else:
                        self._is_torn = bool(self._open)
                    continue
                piece = state.text(text[at])
            at += len(piece)
            yield piece

    def _cited(self, listed: str) -> list[int] | None:
        """The known numbers of a marker; None for what is none, such as an interval from zero."""
        wanted: dict[int, None] = {}
        for first, last in _RANGE.findall(listed):
            begin, end = int(first), int(last or first)
            if last and not 0 < begin < end:
                return None
            wanted |= dict.fromkeys(range(begin, end + 1))
        kept = [number for number in wanted if number in self._known]
        self.cited.extend(number for number in kept if number not in self.cited)
        return kept


def _whole(pattern: re.Pattern[str], text: str, at: int) -> str:
    match = pattern.match(text, at)
    assert match, "neither a run nor a newline"
    return match[0]


def _needs_more(text: str, marker: re.Match[str]) -> bool:
    """Whether what follows decides if this is a link, and is not there yet."""
    behind = _behind(text, marker)
    return marker[0][0] == "[" and any(len(behind) < len(link) and link.startswith(behind) for link in _LINKS)


def _is_link(text: str, marker: re.Match[str]) -> bool:
    return marker[0][0] == "[" and _behind(text, marker).startswith(_LINKS)


def _behind(text: str, marker: re.Match[str]) -> str:
    return text[marker.end() : marker.end() + max(map(len, _LINKS))].lower()


def _may_become_one(text: str, at: int) -> bool:
    return len(text) - at < MARKER_CHARACTERS and _OPEN.match(text, at) is not None
