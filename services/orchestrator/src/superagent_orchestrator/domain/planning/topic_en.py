"""What an English question is about, as a phrase that can stand in a later question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from superagent_orchestrator.domain.planning.english import AUXILIARY, FRINGE, OPENER, WORD
from superagent_orchestrator.domain.planning.english_words import (
    ATTRIBUTE,
    BREAKS,
    DETERMINER,
    EITHER,
    FRAME,
    PREPOSITION,
)
from superagent_orchestrator.domain.planning.identifiers import mask_literals

_PEOPLE = re.compile(
    r"^(?:the |a |an |our |my |your |new |all )*(?:employees?|users?|customers?|people|persons?|managers?|staff"
    r"|teams?|members?|contractors?|interns?|clients?|admins?"
    r"|administrators?|company|everyone)$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"^which (?P<kind>[a-z][\w -]{1,30}?) (?P<what>(?!(?:do|does|did)\b)(?:[a-z]+s|are|have|can)\b[^?.!]{1,60})",
    re.IGNORECASE,
)
_WHO = re.compile(
    rf"^who (?P<what>(?!{AUXILIARY}\b|'s\b)[a-z]+[^?.!]{{1,60}})|^who(?: is|'s) (?P<role>(?:the|our|my|in charge"
    rf"|responsible)\b[^?.!]{{1,60}})",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"\b(?:i|we|you|one|employees?|users?|someone|admins?|managers?)\s+(?:be able to |need to |have to |want to |still )?"
    r"(?P<action>[a-z]+\s[^?]{1,60}?)\s*\??$|^how to (?P<how>[^?]{1,60}?)\s*\??$",
    re.IGNORECASE,
)
_NOUN_BY_PLACE = re.compile(r"(?<=[DM])E|(?<=[AC])E(?=$|[FO|])")
_PHRASE = re.compile("[DM]?[AC]+(?:O[DM]?[AC]+)*")
_NAME = re.compile(r"[A-Z`\"_]|[a-z]\d|\d[a-z]")
_LONGEST_TOPIC = 60
# More words in a row are a clause whose verb is not known as one.
_MOST_WORDS = 5
# Behind these stands a verb or an adjective, if the word is written small ("I meant", "to invest", "most popular").
_BE = frozenset({"is", "are", "was", "were"})
_ASKING = frozenset({"what", "who", "which", "where", "how"})
_RELATIVE = frozenset({"that", "which", "who"})
_GREETS = re.compile(r"^(?:hi|hello|hey|that sounds?|sounds?)\b", re.IGNORECASE)
_ADVERB = re.compile(r"[a-z]{2,}(?:ally|edly|ingly|ously|ively|ently|antly|ately)")
_BEFORE_VERB = frozenset(
    {"i", "you", "we", "they", "he", "she", "it", "who", "to", "not", "be", "been", "is", "are", "was", "were", "am"}
    | {"i'm", "we're", "you're", "they're", "don't", "doesn't", "didn't", "can't", "won't", "couldn't", "dont"}
    | {"more", "most", "so", "very", "too"}
)


def topic_of(question: str, *, plural: bool = False) -> str:
    """What a question is about, as it names it; empty when it names nothing. `plural` prefers what "they" can mean."""
    opener = OPENER.match(question)
    asked = question[opener.end() if opener else 0 :]
    which = _WHICH.match(asked)
    if which:
        return f"the {which['kind']} that {which['what'].strip()}"
    found = list(_named(question))
    if plural:
        found = (
            _coordinated(_named(question), question)
            or [name for name in found if name.text.split(" of ")[0].endswith("s")]
            or found
        )
    return min(found, key=lambda name: name.rank).text if found else ""


def action_of(question: str) -> str:
    """What a question asks about doing: "Can I reset my password?" → "reset my password"; else empty."""
    asked = _ACTION.search(question)
    return (asked["action"] or asked["how"]) if asked else ""


def person_of(question: str) -> str:
    """Whom "who" asks for, as a description: "Who approves leave?" → "the person who approves leave"; else empty."""
    opener = OPENER.match(question)
    asked = _WHO.match(question[opener.end() if opener else 0 :])
    if asked is None:
        return ""
    if asked["what"]:
        return f"the person who {asked['what'].strip()}"
    role = asked["role"].strip()
    return role if role.lower().startswith(("the ", "our ", "my ")) else f"the person {role}"


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A noun phrase and how likely it is the topic: 0 a name, 1 a thing, 2 what only stands behind a preposition, 3 people."""

    text: str
    rank: int


@lru_cache(maxsize=512)  # a conversation's earlier questions are read again with each turn
def _named(question: str) -> tuple[_Phrase, ...]:
    """The noun phrases that carry content, in order: "the expense policy", "terms of service"."""
    masked = mask_literals(question)
    opener = OPENER.match(masked)
    tokens = list(WORD.finditer(masked, opener.end() if opener else 0))
    kinds = ""
    places: list[re.Match[str]] = []
    end = 0
    for token in tokens:
        if places and (not masked[end : token.start()].isspace() or question[token.start()] in "(（"):
            kinds += "|"
            places.append(token)
        end = token.end()
        written = token.group().rstrip(FRINGE)
        said = [place.group().lower() for place in places[-2:]]
        relative = written in _RELATIVE and kinds[-1:] in ("C", "A")  # "a restaurant that serves"
        verb = said[-1:] and said[-1] in _RELATIVE and kinds[-1:] == "F" and written.islower()
        kinds += "F" if relative or verb or _is_verb_here(written, said) else _kind(written.lower())
        places.append(token)
    kinds = _NOUN_BY_PLACE.sub("C", kinds).replace("E", "F").replace("MA", "MC")
    found = []
    for phrase in _PHRASE.finditer(kinds):
        if "C" in phrase.group():
            last = places[phrase.end() - 1]
            text = question[places[phrase.start()].start() : last.start() + len(last.group().rstrip(FRINGE))].strip(
                "()（）"
            )
            before = places[phrase.start() - 1].group().lower() if phrase.start() else ""
            short = len(text) <= _LONGEST_TOPIC and len(phrase.group().split("O")[0]) <= _MOST_WORDS
            if short and re.search(r"[^\W\d]", text) and _GREETS.match(text) is None:
                found.append(_Phrase(text, _rank(text, before, question)))
    return tuple(found)


def _is_verb_here(written: str, said: list[str]) -> bool:
    """Whether a word is a verb or adjective by its form and the two words before it, so that it can be no topic."""
    before = said[-1] if said else ""
    if before in _BE and (len(said) == 1 or said[0] in _ASKING):  # "What are travel allowances?"
        return False
    if (before and not written.islower()) or written in DETERMINER or written in ATTRIBUTE or written in EITHER:
        return False
    participle = len(written) > 4 and written.endswith("ed") and before not in DETERMINER and before[-2:] != "ly"
    if _ADVERB.fullmatch(written):  # "historically", but "a moderately priced room"
        return before not in DETERMINER
    opening = not before and written.lower().endswith("ing")  # "Talking about …"
    return participle or opening or before in _BEFORE_VERB


def _coordinated(found: tuple[_Phrase, ...], question: str) -> list[_Phrase]:
    """ "Redis and Memcached", where two neighbours are joined by "and" or "or"."""
    for first, second in pairwise(found):
        joined = re.search(rf"{re.escape(first.text)},? (?:and|or) {re.escape(second.text)}", question)
        if joined:
            return [_Phrase(joined.group(), 0)]
    return []


def _rank(phrase: str, before: str, question: str) -> int:
    if _PEOPLE.match(phrase):
        return 3
    if before in PREPOSITION:
        return 2
    return 0 if is_name(phrase, question) else 1


def _kind(word: str) -> str:
    if word in ("my", "our"):
        return "M"
    if word in DETERMINER:
        return "D"
    if word == "of":
        return "O"
    if word in EITHER:
        return "E"
    if word in FRAME or word in BREAKS:
        return "F"
    return "A" if word in ATTRIBUTE else "C"


def names_in(question: str) -> tuple[str, ...]:
    """The names of several words in a question ("Red Hat OpenShift")."""
    return tuple(phrase.text for phrase in _named(question) if " " in phrase.text and is_name(phrase.text, question))


def is_name(phrase: str, question: str = "") -> bool:
    """Whether it is written like a name or code; the capital that opens the question or phrase alone does not count."""
    written = phrase[1:] if (question or phrase).startswith(phrase) else phrase
    return _NAME.search(written) is not None
