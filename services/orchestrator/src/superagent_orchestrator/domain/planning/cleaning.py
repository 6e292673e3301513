"""The question as the planner reads it: bounded, without characters that no reader can see."""

from __future__ import annotations

import re

from superagent_common.errors import InvalidInput

# Longer input is a document, not a question; it belongs into an upload.
MAX_QUESTION_CHARACTERS = 32_000

# Controls except tab and newline, lone surrogates, zero-width and direction characters that can hide or reorder text.
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u200b\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff]"
)
_LINE_BREAKS = re.compile(r"\r\n?|[\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
_SPACES = re.compile(r"[ \t\u00a0\u3000]+")


def clean_question(text: str) -> str:
    """`text` without unreadable characters and surrounding space; everything a reader sees stays.

    Raises InvalidInput: `question_too_long` beyond 32,000 characters, `empty_question` when nothing readable is left.
    """
    if len(text) > MAX_QUESTION_CHARACTERS:
        raise InvalidInput(
            "question_too_long",
            f"A question may have {MAX_QUESTION_CHARACTERS} characters, this one has {len(text)}.",
            limit=str(MAX_QUESTION_CHARACTERS),
        )
    cleaned = readable(text)
    if not cleaned:
        raise InvalidInput("empty_question", "The question is empty.")
    return cleaned


def readable(text: str) -> str:
    """`text` as a reader sees it; empty when there is nothing to see."""
    shown = _UNREADABLE.sub("", _LINE_BREAKS.sub("\n", text))
    return _BLANK_LINES.sub("\n\n", _SPACES.sub(" ", shown)).strip()
