"""What a question may refer back to, and what became of its references."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Missing(StrEnum):
    """What a question does not say and nothing before it says either."""

    REFERENT = "referent"  # "what does it cost?"
    SUBJECT = "subject"  # "how do I configure?"
    TOPIC = "topic"  # "can you help me?"
    QUESTION = "question"  # "???"


@dataclass(frozen=True, slots=True)
class Context:
    """What was said before a question.

    `topic` is what the newest telling question was about, `earlier` another one before it ("which of the two"),
    `plural` that topic as "they" would mean it, `person` whom it
    asked for, `action` what it asked how to do, `question` that question as completed, `pending` a later question that
    nobody could complete, `listed` the items of the newest answer's list, `turns_back` how far back the topic lies,
    from 1. `found` is the name that an answer gave to what was looked for, `answer` how the
    newest answer begins, `names` what questions called by a name, newest first.
    """

    topic: str = ""
    plural: str = ""
    person: str = ""
    action: str = ""
    question: str = ""
    pending: str = ""
    listed: tuple[str, ...] = ()
    turns_back: int = 0
    earlier: str = ""
    found: str = ""
    answer: str = ""
    names: tuple[str, ...] = ()


NOTHING_SAID = Context()


@dataclass(frozen=True, slots=True)
class Resolution:
    """The question with its references completed; `missing` and `words` name one that could not be."""

    text: str
    reason: str
    applied: bool = False
    missing: Missing | None = None
    words: str = ""


_ITEM = re.compile(
    r"^[ \t]*(?:\d{1,2}[.、)）]|[-*•]|第?[一二三四五六七八九十]{1,2}[、.])\s*(?P<item>[^\n]{1,200})", re.MULTILINE
)
_ITEM_END = re.compile(r"[：:，,。.;；(（\[]|\s[-–—]\s")
_LONGEST_ITEM = 40


def listed_items(answer: str) -> tuple[str, ...]:
    """The heads of the list items in an answer, in order; empty without a list of at least two."""
    heads = [
        _ITEM_END.split(match["item"].replace("**", ""), maxsplit=1)[0].strip() for match in _ITEM.finditer(answer)
    ]
    return tuple(heads) if len(heads) > 1 and all(0 < len(head) <= _LONGEST_ITEM for head in heads) else ()


def continued(question: str, words: str) -> str:
    """`question` asked again with an addition, kept together so that it stays one question."""
    asked = question.rstrip(" ?？。.!！")
    mark = question[len(asked) :].strip()
    return f"{asked} ({words.strip(' ?？。.!！')}){mark}"
