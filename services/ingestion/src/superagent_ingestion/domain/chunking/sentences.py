"""Where sentences begin, in Chinese and in languages with spaces."""

from __future__ import annotations

import re

_CLOSERS = "\"'”’」』）)】》〉］\\]"
# A full-width mark ends a sentence wherever it stands, an ASCII mark only before white space or a Han character.
# Possessive quantifiers, for without them a page of dots takes quadratic time.
_END = re.compile(
    rf"(?:[。！？｡…]++|(?<![.!?])[.!?]++(?=[{_CLOSERS}]*+(?:\s|[\u3400-\u9fff])))[{_CLOSERS}]*\s*",
)
_ABBREVIATION = re.compile(
    r"(?:^|[^\w.])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|cf|al|approx|Inc|Ltd|Co|Corp|No|Nos|Fig|Figs"
    r"|Eq|Sec|Ch|Vol|pp|ed|eds|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|[A-Z](?:\.[A-Z])+)$"
)
# "Fed. R. Civ. P. 26", "Abs. 3": a short capitalised word before an initial, a number or a section sign.
_CHAIN = re.compile(r"(?:^|[^\w])[A-Z]\w{0,4}$")
_CHAINED = re.compile(r"[A-Z]\.|[\d§]")
_ENUMERATION = re.compile(r"^\W*\d{1,3}$")


def sentence_starts(text: str, start: int, end: int) -> list[int]:
    """Offsets in text[start:end] where a sentence begins; the first is `start`.

    White space after a sentence belongs to it. Pure punctuation rules: an abbreviation that is not in the list costs a
    cut in the wrong place, never a lost character.
    """
    starts = [start]
    for match in _END.finditer(text, start, end):
        at = match.end()
        if at < end and _ends_sentence(text, starts[-1], match.start(), at):
            starts.append(at)
    return starts


def _ends_sentence(text: str, sentence: int, mark: int, following: int) -> bool:
    if text[mark] in "。！？｡":
        return True
    if text[following].islower():
        return False
    if text[mark] in "!?…":
        return True
    before = text[max(sentence, mark - 12) : mark]
    if _CHAINED.match(text, following) and _CHAIN.search(before):
        return False
    return not _ABBREVIATION.search(before) and not _ENUMERATION.match(text[sentence:mark][:8])
