"""English sentences as the rules read them: what frames a question, what carries its content, what it is about."""

from __future__ import annotations

import re

from superagent_orchestrator.domain.planning.english_words import (
    ATTRIBUTE,
    FRAME,
    TRANSITIVE,
)
from superagent_orchestrator.domain.planning.identifiers import MASK

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
WORD = re.compile(rf"[A-Za-z0-9_{MASK}][A-Za-z0-9_{MASK}'./:@#+\-]*|[\u3400-\u9fff]+")
_NEW_THING = re.compile(r"\b(?:a|an|my|our)\s+(?!few|lot|bit|little|way|there)[a-z]{3,}", re.IGNORECASE)
_ASKED_FOR = re.compile(
    r"\b(?:is|are|was|were) there\b|\bgive me\b|\bshow me\b|\bhave (?:a|an)\b|\bwhat(?: is|'s) a", re.IGNORECASE
)
FRINGE = ".:'-/"


def words(text: str) -> list[str]:
    """The words of `text`, without trailing punctuation."""
    return [match.group().rstrip(FRINGE) for match in WORD.finditer(text)]


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


def head_of(phrase: str) -> str:
    """The kind of thing that a phrase names: "a room with a view" → "room"."""
    head = re.split(r"\s(?:of|that|which|with|in|serving|for)\s", phrase, maxsplit=1)[0].split()
    return head[-1] if head else phrase


def is_plural(phrase: str) -> bool:
    """Whether a phrase names several things: "it" cannot mean them; a name ("Kubernetes", "AWS") counts as one."""
    head = re.split(r"\s(?:of|that|which|with|in|for)\s", phrase, maxsplit=1)[0]
    return re.search(r"(?:^|\s)[a-z][a-z'’-]*(?<![sui'’])s$", head) is not None


def words_in_common(one: str, other: str) -> bool:
    """Whether the same thing is named in both, in the singular or the plural."""
    named = [
        {word.lower().removesuffix("s") for word in words(text) if word.lower() not in FRAME} for text in (one, other)
    ]
    return not named[0].isdisjoint(named[1])


def ends_with_verb(text: str) -> bool:
    """Whether the last word is a verb that waits for its object ("how do I configure")."""
    spoken = words(text)
    return bool(spoken) and spoken[-1].lower() in TRANSITIVE


def is_question(clause: str) -> bool:
    """Whether a clause asks or requests something of its own."""
    spoken = clause.strip()
    return spoken.endswith("?") or any(QUESTION_START.match(text) for text in (spoken, OPENER.sub("", spoken, count=1)))


def without_opener(asked: str) -> str:
    """`asked` behind the words that only address the assistant."""
    opener = OPENER.match(asked)
    return asked[opener.end() :] if opener else asked
