"""Follow-up questions without a model: from the headings and titles around the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from superagent_agent_executor.domain.evidence import Passage
from superagent_agent_executor.domain.plan import Language
from superagent_agent_executor.domain.terms import terms
from superagent_agent_executor.domain.well_formed import well_formed

FOLLOW_UPS = 3
"""EXEC-2."""
_TEMPLATES: dict[Language, tuple[str, str]] = {
    "zh": ("「{topic}」具体是怎么规定的？", "《{topic}》还讲了哪些内容？"),
    "en": ("What else does the section “{topic}” say?", "What else is covered in “{topic}”?"),
}
_TOPIC_CHARACTERS = 60
# With or without a mark such as "问：", "Q3:" or "4." in front; an answer may follow in the same line.
_QUESTION = re.compile(
    r"(?:#{1,6}\s+|[-*•]\s+)?(?:(?:问题?|追问|Q|Question)\s*\d{0,2}\s*[:：.、]\s*|\d{1,2}[.、)]\s*)?"
    r"([^?？。.!！:：|>#]{5,60}[?？])(?=\s|\Z|答|A)"
)
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_ALIKE = 0.6


def suggest(passages: Sequence[Passage], question: str, language: Language) -> tuple[str, ...]:
    """Up to three: questions that the evidence itself asks, then about its sections and documents.

    `passages` in the order they matter. What the question named already is left out.
    """
    section, document = _TEMPLATES[language]
    found: dict[str, None] = {}
    for passage in passages:
        for asked in _questions(passage.text, language):
            if len(found) < FOLLOW_UPS and not _alike(asked, question):
                found[asked] = None
    for passage in passages:
        if passage.heading_path and passage.heading_path[-1] != passage.title:
            _add(found, section, passage.heading_path[-1], question)
    for passage in passages:
        _add(found, document, passage.title, question)
    return tuple(found)[:FOLLOW_UPS]


def clean(questions: Iterable[object]) -> tuple[str, ...]:
    """What a model suggested, as up to three different lines of text."""
    lines = (" ".join(well_formed(question).split()) for question in questions if isinstance(question, str))
    return tuple(dict.fromkeys(line for line in lines if 0 < len(line) <= 200))[:FOLLOW_UPS]


def _add(found: dict[str, None], template: str, topic: str, question: str) -> None:
    topic = " ".join(topic.split())
    if topic and len(topic) <= _TOPIC_CHARACTERS and topic.lower() not in question.lower():
        found[template.format(topic=topic)] = None


def _questions(text: str, language: Language) -> Iterator[str]:
    """Lines that ask something, in the language of the answer."""
    for line in text.splitlines():
        asked = _QUESTION.match(line.replace("**", "").strip())
        if asked and bool(_CHINESE.search(asked[1])) == (language == "zh"):
            yield asked[1]


def _alike(one: str, other: str) -> bool:
    ours, theirs = terms(one), terms(other)
    shared = len(ours & theirs)
    return shared > 0 and shared >= _ALIKE * min(len(ours), len(theirs))
