"""Where sentences begin, in Chinese and in languages with spaces."""

from __future__ import annotations

import re

_CLOSERS = "\"'”’」』）)】》〉］\\]"
# An ASCII full stop ends a sentence only before white space, and not behind an initial or a title.
_END = re.compile(
    rf"(?:[。！？｡…；]+|(?<!\b[A-Za-z])(?<!\b[DMS]r)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bNo)(?<!\bvs)[.!?]+"
    rf"(?=[{_CLOSERS}]*\s))[{_CLOSERS}]*\s*|\n\s*"
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each sentence or line; together they are the whole text, white space goes with what it follows."""
    cuts = [match.end() for match in _END.finditer(text)]
    if not cuts or cuts[-1] < len(text):
        cuts.append(len(text))
    return list(zip([0, *cuts[:-1]], cuts, strict=True))
