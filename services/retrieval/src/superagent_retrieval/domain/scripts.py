"""Which of the two scripts a text is in; embedding models score across them lower than within one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Script = Literal["han", "other", "mixed"]

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LETTER = re.compile(r"[^\W\d_]")
# The beginning of a text tells.
_SAMPLE = 160


def script_of(text: str) -> Script:
    """`han` when most letters are, `other` when hardly any is; a text without letters is `mixed`."""
    return _script_of_sample(text[:_SAMPLE])


# A search looks at the same passages for several reasons, and the next one often finds them again.
@lru_cache(maxsize=4_096)
def _script_of_sample(sample: str) -> Script:
    letters = len(_LETTER.findall(sample))
    han = len(_HAN.findall(sample))
    if han > letters * 0.5:
        return "han"
    return "other" if letters and han <= letters * 0.05 else "mixed"
