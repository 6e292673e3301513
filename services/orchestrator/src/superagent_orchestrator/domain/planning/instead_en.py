"""An English question that asks the one before it of something else: "what about Redis?", "and on Windows?"."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning import english
from superagent_orchestrator.domain.planning.found_en import is_looking
from superagent_orchestrator.domain.planning.pronoun_en import DETERMINER_BEFORE
from superagent_orchestrator.domain.planning.reference import Context, Missing, Resolution, continued
from superagent_orchestrator.domain.planning.topic_en import is_name, topic_of

_I = re.IGNORECASE
_END = r"[\s.!?]*$"
TAIL = " ?？.!"
PHRASE = re.compile(
    r"^(?P<where>(?P<preposition>on|in|for|with|under|during|from|at|without|using|after|before|by|as|compared (?:to"
    r"|with)|versus|vs)\s+[^?!.,;]{1,50})" + _END,
    _I,
)
_TIME = re.compile(
    r"^(?:today|tomorrow|yesterday|tonight|(?:next|last|this) (?:week|month|year|quarter|weekend)|(?:on )?(?:mon"
    r"|tues|wednes|thurs|fri|satur|sun)day|(?:in )?(?:19|20)\d\d)$",
    _I,
)
_TIME_INSIDE = re.compile(_TIME.pattern.strip("^$"), _I)
_ROLE = re.compile(
    r"\b(?:employees?|managers?|contractors?|interns?|users?|customers?|admins?|administrators?|staff|teams?|members?"
    r"|students?|vendors?|suppliers?|partners?|directors?|freelancers?|hires|[a-z]{3,}ers)$",
    _I,
)
# What can be asked of a part as well; a longer one says too much of its own, yes or no is about the whole.
_OPEN_QUESTION = re.compile(rf"^(?:{english.WH}|tell|explain|describe|show|list)\b", _I)
_MOST_CARRIED = 10
_PLACE_NAME = re.compile(r"\b(?P<preposition>in|at|for|on|to|from)\s+(?P<name>[A-Z][\w-]*(?:\s[A-Z][\w-]*)*)")


def elsewhere(where: str, preposition: str, context: Context) -> Resolution:
    """The question before under another condition ("and on Windows?")."""
    before = context.question.rstrip(TAIL)
    old = re.search(
        rf"\s{preposition}\s+(?!how\b|what\b)(?:the |a |an |my |our )?[\w.-]+(?:\s[\w.-]+){{0,2}}$", before, _I
    )
    kept = before[: old.start()] if old and topic_of(before[: old.start()]) else before
    return Resolution(
        f"{kept} {where[0].lower()}{where[1:]}?", "the question before is asked under another condition", True
    )


def instead(question: str, other: str, context: Context) -> Resolution:
    """The question before, asked of `other` ("what about Redis?", "and tomorrow?")."""
    before = context.question
    if not before:
        if english.has_content(other):
            return Resolution(question, "no question before it to carry over")
        return Resolution(question, "asks for an attribute of what is not said", missing=Missing.SUBJECT, words=other)
    reason = "the question before is asked of something else"
    phrase = PHRASE.match(other)
    if phrase:
        return elsewhere(other, phrase["preposition"], context)
    if _TIME.match(other):
        named = _TIME_INSIDE.search(before)
        text = before[: named.start()] + other + before[named.end() :] if named else f"{before.rstrip(TAIL)} {other}?"
        return Resolution(text, reason, True)
    if not english.has_content(other) and context.topic:
        return Resolution(f"{question.rstrip(TAIL)} of {context.topic}?", "an attribute of the topic before", True)
    place = _PLACE_NAME.search(before)
    if place and other[0].isupper() and place["name"] != context.topic:
        return Resolution(before[: place.start("name")] + other + before[place.end("name") :], reason, True)
    if _ROLE.search(other) and not _ROLE.search(context.topic):
        return Resolution(f"{before.rstrip(TAIL)} for {other}?", reason, True)
    opens = _OPEN_QUESTION.match(before) and len(english.words(before)) <= _MOST_CARRIED
    alike = context.topic in before and english.QUESTION_START.match(before) and not is_looking(before)
    if alike and _are_alike(other, context.topic, short=bool(opens)):
        return Resolution(before.replace(context.topic, other, 1), reason, True)
    if opens:
        return Resolution(continued(before, other), "the question before is narrowed", True)
    return _with_topic(question, other, context)


def _with_topic(question: str, other: str, context: Context) -> Resolution:
    """The question in its own words, with what was asked about before where that has a name or was looked for."""
    searched = is_looking(context.question)
    named = context.topic and (searched or is_name(context.topic))
    if not named or english.words_in_common(other, context.topic):
        return Resolution(question, "says all of what it asks about")
    if searched:
        return _another(question, context)
    return Resolution(continued(question, context.topic), "the topic before is added", True)


def _another(question: str, context: Context) -> Resolution:
    """ "How about a Thai one?": of what was looked for only the kind of thing stays."""
    kind = english.head_of(context.topic)
    one = _ONE.search(question)
    text = question[: one.start()] + kind + question[one.end() :] if one else continued(question, kind)
    return Resolution(text, f"another {kind} than the one looked for before", True)


_ONE = re.compile(r"\bones?\b(?=[\s?.!]*$)", _I)


def _are_alike(other: str, topic: str, *, short: bool) -> bool:
    """Whether `other` can take the topic's place: both names, the same kind of thing, or, with `short`, as short."""
    bare = DETERMINER_BEFORE.sub("", topic)
    names = all(any(letter.isupper() or letter.isdigit() for letter in text) for text in (other, bare))
    named, named_before = other.split(), bare.split()
    as_short = short and len(named) == len(named_before) == 1 and other[0].isupper() == bare[0].isupper()
    return bool(topic) and (names or named[-1] == named_before[-1] or as_short)
