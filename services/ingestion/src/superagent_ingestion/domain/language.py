"""Which language most of a text is in, as far as retrieval treats languages differently."""

from __future__ import annotations

import re

from superagent_ingestion.domain.blocks import Language

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ebef]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_WORD = re.compile(r"[^\W\d_]+")
# Without those that are common words of German, Dutch, French or the Scandinavian languages too.
_ENGLISH_FUNCTION_WORD = re.compile(
    r"\b(?:and|are|be|been|but|by|can|from|has|have|is|it|its|may|must|not|of|our|shall|should|such|than|that|the|their"
    r"|them|then|there|these|they|this|to|were|what|when|which|who|will|with|would|you|your)\b",
    re.IGNORECASE,
)
_SAMPLE = 50_000


def detect_language(text: str) -> Language:
    """Judges the first 50,000 characters: Chinese by its characters, English by its function words.

    A text counts as Chinese from three Han characters in ten letters on (manuals mix in much English), unless kana
    show that it is Japanese, and as English when every eighth word is a function word (running English has every
    second or third, other Latin languages hardly any).
    """
    sample = text[:_SAMPLE]
    han = len(_HAN.findall(sample))
    words = _WORD.findall(sample)
    letters = sum(map(len, words))
    if letters == 0:
        return "und"
    if han >= 0.3 * letters:
        return "zh" if len(_KANA.findall(sample)) < 0.1 * han else "und"
    return "en" if len(_ENGLISH_FUNCTION_WORD.findall(sample)) >= len(words) / 8 else "und"
