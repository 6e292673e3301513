"""Identifiers: order numbers, setting names, error codes. They are indexed whole, and a passage that holds one of the
question's verbatim goes to the top (RAG-5)."""

from __future__ import annotations

import re

# Letters, digits and underscores, with single or double connectors between them.
_RUN = re.compile(r"[A-Za-z0-9_]+(?:[-./:#@+]{1,2}[A-Za-z0-9_]+)*")
# Longer runs name nothing, and to look for what tells in one of 8,000 letters takes seconds: its cost is the square.
_LONGEST = 128
_TELLING = re.compile(
    r"[A-Za-z0-9]_+[A-Za-z0-9]"  # max_connections
    r"|[A-Za-z]{2,}(?:\.[A-Za-z]{2,}){2,}"  # spring.datasource.url
    r"|[A-Za-z]{2,}::[A-Za-z]{2,}"  # std::move
    r"|\d{5,}"  # 20231105
    r"|\d+(?:\.\d+){2,}"  # 10.0.3.1
    r"|[a-z]{2,}[A-Z][a-z]+[A-Z]"  # maxPoolSize
    r"|\b(?=[A-Za-z0-9]*[A-Za-z])(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{3,}\b"  # E1042
    r"|[A-Za-z]+-\d|\d-[A-Za-z]+"  # GPT-4, A-17
)
_EVERYDAY = re.compile(
    r"\d+(?:st|nd|rd|th|s|am|pm|km|kg|cm|mm|m|ms|px|gb|mb|kb|k|bn)"  # 20th, 1990s, 5km
    r"|(?:mid|pre|post|late|early)?-?\d{4}s?(?:-\d{2,4}s?)?"  # 1914-1918
    r"|\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}"  # dates
    r"|\d+-(?:year|day|month|week|hour|minute|mile|foot|inch|point|yard|story|time|volume|member)s?(?:-\w+)?",
    re.IGNORECASE,
)


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers of `text` in order, each once, in lower case."""
    runs = (run for run in _RUN.findall(text) if len(run) <= _LONGEST)
    found = (run for run in runs if _TELLING.search(run) and not _EVERYDAY.fullmatch(run))
    return tuple(dict.fromkeys(run.lower() for run in found))


def position_of(identifier: str, lowered: str) -> int:
    """Where `identifier` stands as a whole in a text that is in lower case already; -1 for nowhere."""
    at = lowered.find(identifier)
    while at >= 0:
        end = at + len(identifier)
        if not _continues(lowered[at - 1 : at]) and not _continues(lowered[end : end + 1]):
            return at
        at = lowered.find(identifier, at + 1)
    return -1


def _continues(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")
