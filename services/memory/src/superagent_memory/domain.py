"""Conversations and the windows that turns see of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from superagent_common.errors import InvalidInput

Strategy = Literal["none", "sliding_window", "summary"]
Kind = Literal["chat", "tool", "admin_tool"]

SLIDING_WINDOW_TURNS = 6
"""MEM-3."""
VERBATIM_TURNS = 4
"""MEM-2."""
VERBATIM_CHARACTERS = 2_200
"""MEM-2: characters of the verbatim turns together."""
TITLE_CHARACTERS = 200
_GIVEN_TITLE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Conversation:
    """Times are microseconds since the epoch."""

    conversation_id: str
    user_id: str
    title: str
    strategy: Strategy
    created_at: int
    updated_at: int
    turns_total: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """A stored turn. `sources` and `clarify` are serialised contract messages that memory only keeps."""

    turn_id: str
    question: str
    answer: str
    state: str
    mode: str
    finish_reason: str
    kind: Kind
    asked_at: int
    stored_at: int
    sources: bytes = b""
    clarify: bytes = b""

    @property
    def characters(self) -> int:
        return len(self.question) + len(self.answer)


def turns_needed(strategy: Strategy) -> int:
    """How many of the newest turns a strategy looks at."""
    return {"none": 0, "sliding_window": SLIDING_WINDOW_TURNS, "summary": VERBATIM_TURNS}[strategy]


def window(strategy: Strategy, newest_turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns that go into a plan verbatim, oldest first.

    With `summary`, as many whole turns as fit 2,200 characters (MEM-2); the newest always comes, its answer cut to fit.
    """
    needed = turns_needed(strategy)
    turns = tuple(newest_turns)[-needed:] if needed else ()
    if strategy != "summary" or not turns:
        return turns
    kept = [_cut(turns[-1], VERBATIM_CHARACTERS)]
    left = VERBATIM_CHARACTERS - kept[0].characters
    for turn in reversed(turns[:-1]):
        left -= turn.characters
        if left < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def title_from(question: str) -> str:
    """A conversation's first title: the beginning of its first question, on one line."""
    line = " ".join(question.split())
    return line if len(line) <= _GIVEN_TITLE_CHARACTERS else line[: _GIVEN_TITLE_CHARACTERS - 1] + "…"


def checked_title(title: str) -> str:
    """A title as a person may give it. Raises InvalidInput."""
    title = " ".join(title.split())
    if not 1 <= len(title) <= TITLE_CHARACTERS:
        raise InvalidInput("invalid_title", f"A title has 1 to {TITLE_CHARACTERS} characters.")
    return title


def _cut(turn: Turn, characters: int) -> Turn:
    if turn.characters <= characters:
        return turn
    question = turn.question[:characters]
    return replace(turn, question=question, answer=turn.answer[: characters - len(question)])
