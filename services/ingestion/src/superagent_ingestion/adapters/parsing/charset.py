"""Bytes of unknown encoding → text."""

from __future__ import annotations

import codecs
import re

import chardet
import charset_normalizer

# UTF-32 before UTF-16: its little-endian mark begins with the other's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPES = (
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
    (re.compile(rb"\x1b(?:\$[@B]|\$\([DOPQ]|\([JI])"), "iso2022_jp_3"),
    (re.compile(rb"~\{[\x21-\x77][\x21-\x7e]"), "hz"),
)
_DECLARED = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?([A-Za-z0-9_-]{3,20})""", re.IGNORECASE)
# Of these, text in another encoding is no valid text; anything is valid Latin-1, so that a page that claims it may lie.
_STRICT = {"gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030", "big5": "big5", "big5-hkscs": "big5-hkscs"}
_STRICT |= {"shift_jis": "cp932", "shift-jis": "cp932", "windows-31j": "cp932", "euc-jp": "euc-jp", "euc-kr": "cp949"}
_SAMPLE = 200_000


# What texts in UTF-16 without a mark consist of: letters of living scripts, punctuation, Han, kana, full width, emoji.
_LIKELY = re.compile(
    "[\t\n\r -~\u00a0-\u0fff\u2000-\u206f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff00-\uffef"
    "\U0001f000-\U0001faff\U00020000-\U0003ffff]"
)
_ASCII = re.compile("[\n -~]")
_CONTROLS = bytes({*range(9), *range(0x0E, 0x1B), *range(0x1C, 0x20)})
_FEWEST = 8
# So many characters of UTF-8 are no accident; five are, now and then ("莫斯科大学" in GBK is valid UTF-8).
_CERTAIN = 16


class UndecodableText(Exception):
    """No known encoding gives text."""


def decode(data: bytes) -> tuple[str, str]:
    """Text and the name of its encoding: mark, ISO-2022 escapes, UTF-16 of narrow letters, strict UTF-8, what it
    declares when the text proves it, UTF-16 without a mark, lines of UTF-8, chardet, charset-normalizer.

    A truncated last character and single broken bytes become U+FFFD. Raises UndecodableText.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace"), encoding
    for escape, encoding in _ESCAPES:
        if escape.search(data[:_SAMPLE]):
            try:
                return data.decode(encoding), encoding
            except UnicodeDecodeError:
                continue
    if narrow := _narrow_utf16(data):
        return data.decode(narrow, errors="replace"), narrow
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return data.decode("utf-8", errors="replace"), "utf-8"
    declared = _DECLARED.search(data[:1024])
    strict = _STRICT.get(declared.group(1).decode("ascii").lower()) if declared else None
    if strict:
        try:
            return data.decode(strict), strict
        except UnicodeDecodeError:
            pass
    if wide := unmarked_utf16(data):
        return data.decode(wide, errors="replace"), wide
    if mixed := _utf8_with_others(data):
        return mixed, "utf-8"
    guessed = _guess(data[:_SAMPLE])
    if guessed is None:
        raise UndecodableText
    return data.decode(guessed, errors="replace"), guessed


def unmarked_utf16(data: bytes) -> str | None:
    """The byte order of what can only be text in UTF-16: it has bytes that no other text has, and reads as text."""
    sample = data[: min(len(data), _SAMPLE) // 2 * 2]
    if len(sample) < 2 * _FEWEST or len(sample.translate(None, _CONTROLS)) == len(sample):
        return None
    readings = [(sample.decode(encoding, errors="replace"), encoding) for encoding in ("utf-16-le", "utf-16-be")]
    # Cyrillic read in the wrong order is Han; its blanks and line breaks tell.
    readings.sort(key=lambda reading: -len(_ASCII.findall(reading[0])))
    for text, encoding in readings:
        if len(_LIKELY.findall(text)) > 0.98 * len(text):
            return encoding
    return None


def _narrow_utf16(data: bytes) -> str | None:
    """The byte order of UTF-16 that is valid UTF-8 too, because all its letters are below U+0F80 (Latin, Cyrillic)."""
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return unmarked_utf16(data) if controls > 0.25 * len(sample) else None


def _utf8_with_others(data: bytes) -> str | None:
    """Text of which only some lines are UTF-8, or all but for a few bytes; the other lines are in one other encoding."""
    lines = data.split(b"\n")
    read = [_utf8(line) for line in lines]
    mostly = sum(found for found, _ in read) >= max(_CERTAIN, sum(broken for _, broken in read))
    if mostly:
        ours = [found >= broken for found, broken in read]
    else:
        ours = [found >= _CERTAIN and not broken for found, broken in read]
        if not any(ours):
            return None
    others = b"\n".join(line for line, is_ours in zip(lines, ours, strict=True) if not is_ours)
    other = _guess(others[:_SAMPLE]) or "utf-8"
    return "\n".join(
        line.decode("utf-8" if is_ours else other, errors="replace") for line, is_ours in zip(lines, ours, strict=True)
    )


def _utf8(line: bytes) -> tuple[int, int]:
    """How many characters beyond ASCII a line has when it is read as UTF-8, and how many places are broken."""
    if line.isascii():
        return 0, 0
    text = line.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    return len(text) - len(text.encode("ascii", errors="ignore")) - broken, broken


def _guess(sample: bytes) -> str | None:
    found = chardet.detect(sample)["encoding"]
    if found is None:
        match = charset_normalizer.from_bytes(sample).best()
        found = match.encoding if match else None
    if found is None:
        return None
    try:
        return codecs.lookup(found).name
    except LookupError:
        return None
