"""What a single question needs for its answer: the knowledge base, a tool, or nothing but a model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from superagent_orchestrator.domain.planning import chinese, english, everyday, personal, talk
from superagent_orchestrator.domain.planning.calculation import is_calculation
from superagent_orchestrator.domain.planning.identifiers import mask_literals


class Need(StrEnum):
    """What answers a question. KNOWLEDGE is what is left when no rule is sure of anything else."""

    KNOWLEDGE = "knowledge"
    WEATHER = "weather"
    NEWS = "news"
    ROUTE = "route"
    EVERYDAY = "everyday"
    CALCULATION = "calculation"
    CLOCK = "clock"
    WEB = "web"
    ACTION = "action"
    CHAT = "chat"
    TEXT = "text"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class NeedMatch:
    """The need and the words that show it (empty for KNOWLEDGE); `sure` when they can hardly mean anything else."""

    need: Need
    words: str
    sure: bool = True


_SURE = (
    (Need.WEATHER, everyday.SURE_WEATHER),
    (Need.NEWS, everyday.SURE_NEWS),
    (Need.ROUTE, everyday.SURE_ROUTE),
    (Need.CLOCK, everyday.SURE_CLOCK),
)
_LIKELY = (
    (Need.WEATHER, everyday.LIKELY_WEATHER),
    (Need.NEWS, everyday.LIKELY_NEWS),
    (Need.ROUTE, everyday.LIKELY_ROUTE),
    (Need.EVERYDAY, everyday.LIKELY_EVERYDAY),
    (Need.CLOCK, everyday.LIKELY_CLOCK),
)
_TALK = (talk.is_about_the_assistant, personal.is_verdict, personal.is_pleasantry, personal.throws_coin)
_PERSONAL = (
    (Need.TEXT, personal.SPELLING),
    (Need.CHAT, personal.CURIOUS),
    (Need.CALCULATION, personal.MATHS),
    (Need.ROUTE, personal.PLACE),
)

# The rules look at this much; a longer question is a document that is asked about.
_LOOKED_AT = 400
_SHOWN = 60


def need_of(question: str, *, catalogue_words: str, has_history: bool) -> NeedMatch:
    """What one question needs.

    `catalogue_words` are the names of the domains the caller may read: an everyday word that one of them bears is the
    company's own matter. `has_history`: whether there is a conversation that the question can be about.
    """
    text = question.strip()[:_LOOKED_AT]
    given = talk.TEXT.search(text)
    if given:
        return NeedMatch(Need.TEXT, given.group().strip()[:_SHOWN])
    drafted = talk.orders_draft(text)
    if drafted:
        return NeedMatch(Need.TEXT, drafted[:_SHOWN])
    page = everyday.WEB.search(text)
    if page:
        return NeedMatch(Need.WEB, page.group().strip()[:_SHOWN])
    spoken = _without_literals(text)
    for need, pattern in _SURE:
        found = pattern.search(spoken)
        if found:
            return NeedMatch(need, found.group().strip())
    said = talk.CONVERSATION.search(spoken) if has_history else None
    if said:
        return NeedMatch(Need.CONVERSATION, said.group().strip()[:_SHOWN])
    chat = talk.CHAT.search(spoken)
    if chat:
        return NeedMatch(Need.CHAT, chat.group().strip()[:_SHOWN])
    if any(told(text) for told in _TALK):
        return NeedMatch(Need.CHAT, text[:_SHOWN])
    if personal.asks_clock(text):
        return NeedMatch(Need.CLOCK, text[:_SHOWN])
    if is_calculation(text):
        return NeedMatch(Need.CALCULATION, text[:_SHOWN])
    if everyday.OWN_MATTER.search(personal.OWN_SETTINGS.sub("", text)) is None:
        for need, pattern in _LIKELY:
            found = pattern.search(spoken)
            if found and found.group().strip().lower() not in catalogue_words and _says_little_else(spoken, found):
                return NeedMatch(need, found.group().strip(), sure=False)
        for need, pattern in _PERSONAL:
            found = pattern.search(text)
            if found:
                return NeedMatch(need, found.group().strip()[:_SHOWN], sure=False)
        told = personal.orders_device(text)
        if told:
            return NeedMatch(Need.ACTION, told[:_SHOWN], sure=False)
    ordered = talk.orders_action(text)
    if ordered:
        return NeedMatch(Need.ACTION, ordered[:_SHOWN], sure=False)
    return NeedMatch(Need.KNOWLEDGE, "", sure=False)


def is_about_conversation(question: str, *, has_history: bool) -> bool:
    """Whether a question is about what was said before it ("repeat that"): nothing in it is to be completed."""
    return has_history and talk.CONVERSATION.search(_without_literals(question.strip()[:_LOOKED_AT])) is not None


def _without_literals(text: str) -> str:
    """What is said around quotations; the text itself when it is nothing but one."""
    masked = mask_literals(text)
    return masked if re.search(r"\w", masked) else text


def _says_little_else(masked: str, found: re.Match[str]) -> bool:
    """Whether the everyday word is what the text is about, not one word of a longer matter."""
    rest = f"{masked[: found.start()]} {masked[found.end() :]}"
    return chinese.content_size(rest) <= _LITTLE_CHINESE and english.content_size(rest) <= _LITTLE_ENGLISH


_LITTLE_CHINESE = 6  # characters: a place, a day
_LITTLE_ENGLISH = 4  # words
