"""Which language the answer is written in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from superagent_orchestrator.domain.plan import Language
from superagent_orchestrator.domain.planning.identifiers import mask_literals

_ASKED_ENGLISH = re.compile(
    r"(?:用|以|请用)\s*(?:英文|英语|English)\s*(?:来|再)?\s*(?:回答|回复|作答|说|讲|解释|介绍|总结|写)"
    r"|\b(?:answer|reply|respond|explain|write|say)\b[^.?!\n]{0,30}\bin english\b|^in english\b",
    re.IGNORECASE,
)
_ASKED_CHINESE = re.compile(
    r"(?:用|以|请用)\s*(?:中文|汉语|普通话|Chinese)\s*(?:来|再)?\s*(?:回答|回复|作答|说|讲|解释|介绍|总结|写)"
    r"|\b(?:answer|reply|respond|explain|write|say)\b[^.?!\n]{0,30}\bin (?:simplified )?chinese\b|^in chinese\b",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
# Letters of neither language: Kana, Hangul, Cyrillic, Arabic …; Latin ones with accents are Latin.
_OTHER_SCRIPT = re.compile(r"[^\W\d_A-Za-z\u00aa-\u024f\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]")
_WORD = re.compile(r"(?<![\w./:@-])[A-Za-z][a-z']+(?![\w@])")
_CHINESE_FRAME = re.compile(
    r"怎么|怎样|如何|什么|为何|为啥|是否|哪|谁|多少|多久|几[个天次点号]|吗|呢|请|帮我|介绍|解释|说明|查|是不是|有没有|区别|的"
)
_ENGLISH_FRAME = re.compile(
    r"^\W*(?:so |and |but |ok(?:ay)?,? |please |hi,? |hello,? )*"
    r"(?:what|how|why|when|where|who|whom|whose|which|is|are|was|were|do|does|did|can|could|should|would|will|may|must"
    r"|has|have|tell|explain|describe|show|list|give|find|compare|please)\b",
    re.IGNORECASE,
)


_LOOKED_AT = 2_000


@dataclass(frozen=True, slots=True)
class LanguageChoice:
    """The language and what decided it."""

    language: Language
    reason: str


def answer_language(question: str, earlier_questions: tuple[str, ...], domain_names: tuple[str, ...]) -> LanguageChoice:
    """The language asked for, else the one the question is written in, else that of the newest earlier question,
    else that of the knowledge base."""
    asked = _asked_language(question)
    if asked is not None:
        return LanguageChoice(asked, "the question asks for it")
    written = question_language(question)
    if written is not None:
        return LanguageChoice(written, "the question is written in it")
    for earlier in reversed(earlier_questions):
        spoken = question_language(earlier)
        if spoken is not None:
            return LanguageChoice(spoken, "the question has no words; an earlier one is written in it")
    kept = question_language(" ".join(domain_names))
    if kept is not None:
        return LanguageChoice(kept, "nothing is written in a language; the knowledge base is kept in it")
    return LanguageChoice(Language.ENGLISH, "no word of either language anywhere")


@lru_cache(maxsize=512)  # asked of the same question by several steps
def question_language(text: str) -> Language | None:
    """The language whose words frame `text`; None without a word of either (numbers, symbols, identifiers)."""
    text = text[:_LOOKED_AT]
    framing = mask_literals(text)
    han = len(_HAN.findall(framing))
    words = len(_WORD.findall(framing))
    if not han and not words:
        # Nothing but a quotation: what stands inside decides.
        han, words = len(_HAN.findall(text)), len(_WORD.findall(text))
    if _OTHER_SCRIPT.search(framing):
        return Language.ENGLISH
    if han and words >= 2 and _ENGLISH_FRAME.match(framing) and han <= 2 * words:
        return Language.ENGLISH
    if han and (_CHINESE_FRAME.search(framing) or 2 * han >= 3 * words):
        return Language.CHINESE
    if words:
        return Language.ENGLISH
    return Language.CHINESE if han else None


def is_unread(text: str) -> bool:
    """Whether nothing of `text` is written in a script whose words the rules know."""
    text = text[:_LOOKED_AT]
    return bool(_OTHER_SCRIPT.search(text)) and not _HAN.search(text) and not re.search(r"[A-Za-z]", text)


def _asked_language(question: str) -> Language | None:
    asked = question[:_LOOKED_AT]
    english, chinese = _ASKED_ENGLISH.search(asked), _ASKED_CHINESE.search(asked)
    if english and not chinese:
        return Language.ENGLISH
    if chinese and not english:
        return Language.CHINESE
    return None
