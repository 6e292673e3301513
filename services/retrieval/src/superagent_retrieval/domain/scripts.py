"""Which of the two scripts a text is in; embedding models score across them lower than within one."""

from __future__ import annotations

import re
from typing import Literal

Script = Literal["han", "other", "mixed"]

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LETTER = re.compile(r"[^\W\d_]")
# The beginning of a text tells.
_SAMPLE = 160


def script_of(text: str) -> Script:
    """`han` when most letters are, `other` when hardly any is; a text without letters is `mixed`."""
    sample = text[:_SAMPLE]
    letters = len(_LETTER.findall(sample))
    han = len(_HAN.findall(sample))
    if han > letters * 0.5:
        return "han"
    return "other" if letters and han <= letters * 0.05 else "mixed"
