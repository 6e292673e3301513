"""RTF as a sequence of groups, control words, symbols and bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NEXT = re.compile(
    rb"\\([A-Za-z]{1,32})(-?\d{1,10})? ?"  # a control word
    rb"|((?:\\'[0-9A-Fa-f]{2})+)"  # bytes
    rb"|\\([^A-Za-z'])"  # a symbol
    rb"|([{}])"
    rb"|[\r\n\x00]+"
    rb"|([^\\{}\r\n\x00]+)"
    rb"|\\"
)


@dataclass(frozen=True, slots=True)
class Group:
    opens: bool


@dataclass(frozen=True, slots=True)
class Word:
    """number: the parameter, None without one."""

    name: str
    number: int | None


@dataclass(frozen=True, slots=True)
class Symbol:
    char: str


Token = Group | Word | Symbol | bytes

_OPEN, _CLOSE = Group(True), Group(False)


def tokens(data: bytes) -> Iterator[Token]:
    """Escaped bytes and plain text both come as bytes: only the font tells which characters they are."""
    at = 0
    while found := _NEXT.match(data, at):
        at = found.end()
        word, number, byte, symbol, brace, text = found.groups()
        if word is not None:
            name = word.decode("ascii")
            if name == "bin":
                at += max(int(number or 0), 0)
                continue
            yield Word(name, int(number) if number is not None else None)
        elif byte is not None:
            yield bytes.fromhex(byte.replace(b"\\'", b"").decode("ascii"))
        elif symbol is not None:
            # A backslash before a line end is a paragraph.
            if symbol in b"\r\n":
                yield Word("par", None)
            else:
                yield symbol if symbol in b"\\{}" else Symbol(symbol.decode("latin-1"))
        elif brace is not None:
            yield _OPEN if brace == b"{" else _CLOSE
        elif text is not None:
            yield text
