"""A model's answer about topics: read strictly, refused with words that the model can mend it by."""

from __future__ import annotations

import json
import re

_LONGEST_REPLY = 8_000
# The whole answer in one fence is the answer; text around a fence is prose.
_FENCED = re.compile(r"```(?:json|JSON)?[ \t]*\n(?P<inside>.*?)\n?```", re.DOTALL)


class BadReply(Exception):
    """The answer says no topics; the text says why, for the model and for the log."""


def read_topics(text: str, shown: range) -> frozenset[int]:
    """The numbers of an answer, all of which are of passages that were shown. Raises BadReply."""
    if len(text) > _LONGEST_REPLY:
        raise BadReply(f"It is longer than {_LONGEST_REPLY:,} characters.")
    fenced = _FENCED.fullmatch(text.strip())
    try:
        said = json.loads(fenced["inside"] if fenced else text)
    except (ValueError, RecursionError):
        raise BadReply("It is not one JSON object.") from None
    topics = said.get("topics") if isinstance(said, dict) else None
    if not isinstance(topics, list) or any(type(number) is not int for number in topics):
        raise BadReply('It is not an object whose "topics" is a list of whole numbers.')
    if strangers := sorted(number for number in topics if number not in shown):
        raise BadReply(f"There is no passage {strangers[0]}: those shown are {shown[0]} to {shown[-1]}.")
    return frozenset(topics)
