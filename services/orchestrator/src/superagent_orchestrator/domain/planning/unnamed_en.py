"""Things that an English question points at as if they had been named: "this library", "the actor's age"."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning.english_words import (
    ATTRIBUTE,
    FRAME,
    KIND,
    NEEDS_NAME,
    NOT_A_THING,
    PREPOSITION,
)
from superagent_orchestrator.domain.planning.identifiers import mask_literals

# "That" points behind "of" and "about"; elsewhere it may begin a clause.
_POINTED = re.compile(
    r"\b(?P<how>this|these|the|(?:(?<=\bof )|(?<=\babout ))that)\s+"
    r"(?=(?P<what>(?:[A-Za-z][\w-]*\s?){1,5}))",
    re.IGNORECASE,
)
# "The country with the largest army" and "the author of it" are described; a name in front or behind is one.
_DESCRIBED = re.compile(r"^(?:'s)?\s*(?:of|that|who|whose|which|where|with|for|from|named|called|by|to|[A-Z\d\"'])\b")
# "This particular fund": one of them, which has a name.
_INDIVIDUAL = ("particular", "specific")
_LONGEST = 300


def unnamed_in(question: str, said: str, own: str) -> str:
    """What `question` points at and nothing names; empty when it points at nothing.

    `said` is what was said before in the conversation, `own` the names of what the person may read: neither needs a name
    again. "This X" points at any thing, "the X" at those that have a name of their own.
    """
    if len(question) > _LONGEST:
        return ""
    masked = mask_literals(question)
    known = f"{said} {own}".lower()
    for pointed in _POINTED.finditer(masked):
        words = _noun_phrase(pointed["what"])
        if not words:
            continue
        thing, end = words[-1].lower().removesuffix("'s"), pointed.start("what") + len(" ".join(words))
        if words[0].lower() in _INDIVIDUAL and re.search(rf"[A-Z][\w-]* {re.escape(words[-1])}\b", said) is None:
            return f"{pointed['how'].lower()} {' '.join(words)}"
        demonstrative = pointed["how"].lower() != "the"
        wanted = thing not in KIND and thing not in ATTRIBUTE if demonstrative else thing in NEEDS_NAME
        if not wanted or thing in NOT_A_THING or words[-1][0].isupper():
            continue
        if not demonstrative and (len(words) > 1 or _DESCRIBED.match(masked[end:])):
            continue
        # Named before, here or in the conversation.
        elsewhere = f"{known} {masked[: pointed.start()].lower()}"
        if re.search(rf"\b{re.escape(thing.removesuffix('s'))}", elsewhere) is None:
            return f"{pointed['how'].lower()} {' '.join(words)}"
    return ""


def _noun_phrase(text: str) -> list[str]:
    """The words up to the first that frames or binds."""
    words: list[str] = []
    for word in text.split():
        if word.lower() in FRAME or word.lower() in PREPOSITION or word.lower() == "of":
            break
        words.append(word)
    return words
