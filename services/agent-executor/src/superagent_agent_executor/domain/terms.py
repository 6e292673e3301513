"""What a text is about, for comparing texts within a few passages: words, and pairs of Chinese characters."""

from __future__ import annotations

import re

from superagent_common.traditional import simplified

_WORD = re.compile(r"[a-z0-9_][a-z0-9_.\-]*[a-z0-9_]|[a-z0-9]")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_STOP = frozenset(
    "a an and are as at be by do does for from how i in is it me my of on or that the this to was what when where "  # noqa: SIM905
    "which who why will with you your 的 了 吗 呢 是 在 什么 怎么 么办 多少 哪些 如何 可以".split()
)


def terms(text: str) -> set[str]:
    """Lower case, without words that say nothing; traditional characters as their simplified ones."""
    lowered = simplified(text.lower())
    words = {_stem(word) for word in _WORD.findall(lowered)}
    pairs = {run[i : i + 2] for run in _CJK.findall(lowered) for i in range(max(1, len(run) - 1))}
    return (words | pairs) - _STOP


def _stem(word: str) -> str:
    # Enough for matching within one passage: plural and third person.
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
