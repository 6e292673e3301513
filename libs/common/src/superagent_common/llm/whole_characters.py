"""Text that everything behind can carry: in no UTF-8 is half a character, in no PostgreSQL a NUL."""

from __future__ import annotations

_FIRST_HALVES = ("\ud800", "\udbff")


class WholeCharacters:
    """For one stream of text. A character whose halves come in two pieces comes whole with the second.

    A half without its other one becomes a question mark, or nothing at the end of the stream.
    """

    def __init__(self) -> None:
        self._half = ""

    def next(self, piece: str) -> str:
        """What of the text is certain by now; may be empty."""
        text = self._half + piece
        if not text.isascii():
            self._half = text[-1] if _FIRST_HALVES[0] <= text[-1] <= _FIRST_HALVES[1] else ""
            text = _mended(text.removesuffix(self._half))
        return text.replace("\0", "")


def whole_characters(text: str) -> str:
    """The same for text that is there in one piece; a half at its end is one without its other, too."""
    return _mended(text).replace("\0", "")


def _mended(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\ufffd", "?")
    return text
