"""Follow-up questions without a model: from the headings and titles around the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from superagent_agent_executor.domain.evidence import Passage
from superagent_agent_executor.domain.plan import Language
from superagent_agent_executor.domain.well_formed import well_formed

FOLLOW_UPS = 3
"""EXEC-2."""
_TEMPLATES: dict[Language, tuple[str, str]] = {
    "zh": ("「{topic}」具体是怎么规定的？", "《{topic}》还讲了哪些内容？"),
    "en": ("What else does the section “{topic}” say?", "What else is covered in “{topic}”?"),
}
_TOPIC_CHARACTERS = 60


def suggest(passages: Sequence[Passage], question: str, language: Language) -> tuple[str, ...]:
    """Up to three questions about sections and documents of the evidence that the question did not name."""
    section, document = _TEMPLATES[language]
    found: dict[str, None] = {}
    for passage in passages:
        if passage.heading_path:
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
