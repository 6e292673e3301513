"""English sentences as the rules read them: what frames a question, what carries its content, what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from superagent_orchestrator.domain.planning.english_words import (
    ATTRIBUTE,
    BREAKS,
    DETERMINER,
    EITHER,
    FRAME,
    PREPOSITION,
    TRANSITIVE,
)
from superagent_orchestrator.domain.planning.identifiers import MASK, mask_literals

AUXILIARY = (
    r"(?:is|are|was|were|am|do|does|did|can|could|should|shall|would|will|may|might|must|has|have|had|isn't|aren't"
    r"|doesn't|don't|can't|won't)"
)
WH = r"(?:what|how|why|when|where|who|whom|whose|which)"
_REQUEST = (
    r"(?:tell|explain|describe|show|list|give|find|compare|summari[sz]e|outline|define|name|identify|look|search"
    r"|check|help|provide|walk|teach"
    r"|calculate|compute|convert|translate|write|draft|recommend|suggest|i (?:want|need|would like)|i'd like|i'm looking"
    r"|let me know)"
)
OPENER = re.compile(
    r"^(?:(?:so|and|but|then|also|plus|well|ok(?:ay)?|now|hi|hello|hey|please|thanks|great|alright)\b[,.!\s]*"
    r"|(?:(?:can|could|would|will) you (?:please )?)?(?:please )?(?:tell|show|explain to|remind|help) me(?: please)?(?: about"
    r"| understand| find out)?\s+"
    r"|(?:can|could|would|will) you (?:please )?(?:explain|describe|summari[sz]e|list|clarify|outline|check|find|look up)\s+"
    r"|(?:do|does) (?:you|anyone) know\s+|(?:i|we)(?:'d| would)? (?:like|want|need|wanted) to (?:know|understand"
    r"|learn|ask)(?: about)?\s+"
    r"|i(?:'m| am) (?:wondering|curious)(?: about)?\s+|(?:what|how) about\s+|explain\s+|describe\s+|find(?: out)?\s+"
    r"|check\s+|summari[sz]e\s+|define\s+|tell me\s+)+",
    re.IGNORECASE,
)
QUESTION_START = re.compile(rf"^(?:{WH}(?:'s|'re)?|{AUXILIARY}|{_REQUEST})\b", re.IGNORECASE)
CLAUSE_START = re.compile(
    rf"(?:{WH}(?:'s|'re)?\s+\S|{AUXILIARY}\s+(?:i|we|you|they|he|she|it|there|this|that|these|those|the|a|an|my"
    r"|our|your|their|its|all|any|employees|(?-i:[A-Z]))\b"
    rf"|(?:please )?(?:tell|explain|describe|show|list|compare|summari[sz]e|define|calculate)\b\s+\S)",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"^(?:the |a |an |our |my |your |new |all )*(?:employees?|users?|customers?|people|persons?|managers?|staff"
    r"|teams?|members?|contractors?|interns?|clients?|admins?"
    r"|administrators?|company|everyone)$",
    re.IGNORECASE,
)
_WORD = re.compile(rf"[A-Za-z0-9_{MASK}][A-Za-z0-9_{MASK}'./:@#+\-]*|[\u3400-\u9fff]+")
_NOUN_BY_PLACE = re.compile(r"(?<=[DM])E|(?<=[AC])E(?=$|[FO|])")
_PHRASE = re.compile("[DM]?[AC]+(?:O[DM]?[AC]+)*")
_NEW_THING = re.compile(r"\b(?:a|an|my|our)\s+(?!few|lot|bit|little|way|there)[a-z]{3,}", re.IGNORECASE)
_ASKED_FOR = re.compile(
    r"\b(?:is|are|was|were) there\b|\bgive me\b|\bshow me\b|\bhave (?:a|an)\b|\bwhat(?: is|'s) a", re.IGNORECASE
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
_FRINGE = ".:'-/"
_LONGEST_TOPIC = 60


def words(text: str) -> list[str]:
    """The words of `text`, without trailing punctuation."""
    return [match.group().rstrip(_FRINGE) for match in _WORD.finditer(text)]


def has_content(text: str) -> bool:
    """Whether anything is named in `text`, beyond question words, verbs that need an object, and attributes.

    An attribute behind "a" or "my" is new to the conversation ("submit a request", "my password"), except where it is
    only asked for.
    """
    if any(word.lower() not in FRAME and word.lower() not in ATTRIBUTE for word in words(text)):
        return True
    return _NEW_THING.search(text) is not None and _ASKED_FOR.search(text) is None


def content_size(text: str) -> int:
    """How many words of other scripts than Chinese in `text` say something."""
    return sum(word.isascii() and word.lower() not in FRAME and word.lower() not in ATTRIBUTE for word in words(text))


def names_something(text: str) -> bool:
    """As `has_content`, with attributes ("the default port") counted as something."""
    return any(word.lower() not in FRAME for word in words(text))


def ends_with_verb(text: str) -> bool:
    """Whether the last word is a verb that waits for its object ("how do I configure")."""
    spoken = words(text)
    return bool(spoken) and spoken[-1].lower() in TRANSITIVE


def is_question(clause: str) -> bool:
    """Whether a clause asks or requests something of its own."""
    spoken = clause.strip()
    return spoken.endswith("?") or any(QUESTION_START.match(text) for text in (spoken, OPENER.sub("", spoken, count=1)))


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
    tokens = list(_WORD.finditer(masked, opener.end() if opener else 0))
    kinds = ""
    places: list[re.Match[str]] = []
    end = 0
    for token in tokens:
        if places and not masked[end : token.start()].isspace():
            kinds += "|"
            places.append(token)
        end = token.end()
        kinds += _kind(token.group().rstrip(_FRINGE).lower())
        places.append(token)
    kinds = _NOUN_BY_PLACE.sub("C", kinds).replace("E", "F").replace("MA", "MC")
    found = []
    for phrase in _PHRASE.finditer(kinds):
        if "C" in phrase.group():
            last = places[phrase.end() - 1]
            text = question[places[phrase.start()].start() : last.start() + len(last.group().rstrip(_FRINGE))]
            before = places[phrase.start() - 1].group().lower() if phrase.start() else ""
            if len(text) <= _LONGEST_TOPIC:
                found.append(_Phrase(text, _rank(text, before, question)))
    return tuple(found)


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
    return 0 if _is_name(phrase, question) else 1


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


def _is_name(phrase: str, question: str) -> bool:
    """Whether it is written like a name; the capital that opens a sentence does not count."""
    written = phrase[1:] if question.startswith(phrase) else phrase
    return any(letter.isupper() or letter.isdigit() or letter in '`"_' for letter in written)
