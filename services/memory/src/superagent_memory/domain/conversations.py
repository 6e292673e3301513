"""Conversations and their turns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from superagent_common.errors import InvalidInput

Strategy = Literal["none", "sliding_window", "summary"]
Kind = Literal["chat", "tool", "admin_tool"]

TITLE_CHARACTERS = 200
FINISH_REASON_CHARACTERS = 40
TOOL_RESULT_CHARACTERS = 2_000
"""As the contract says; what comes longer is cut."""
_GIVEN_TITLE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Conversation:
    """Times are microseconds since the epoch. A draft title was made of the first question; a model may better it.

    One that is not listed was begun by a client that keeps its conversations itself; its second turn lists it.
    """

    conversation_id: str
    user_id: str
    title: str
    title_is_draft: bool
    strategy: Strategy
    created_at: int
    updated_at: int
    turns_total: int = 0
    messages_total: int = 0
    listed: bool = True


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool together with its result, so that nothing can part them. `arguments` is a JSON object as text."""

    call_id: str
    name: str
    arguments: str
    ok: bool
    result: str

    @property
    def characters(self) -> int:
        return len(self.name) + len(self.arguments) + len(self.result)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a turn is for those that come after it."""

    turn_id: str
    kind: Kind
    question: str
    answer: str
    tools: tuple[ToolUse, ...] = ()

    @property
    def characters(self) -> int:
        return len(self.question) + len(self.answer) + sum(tool.characters for tool in self.tools)

    @property
    def messages(self) -> int:
        """A question, an answer, and two for each use of a tool: the call and its result."""
        return messages_of(self.tools)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as a person sees it. `sources` and `clarify` are serialised contract messages that memory only keeps."""

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
    tools: tuple[ToolUse, ...] = ()


def stored_bytes(turn: Turn) -> int:
    """What a turn has in a message, about."""
    texts = [turn.question, turn.answer]
    for tool in turn.tools:
        texts += (tool.name, tool.arguments, tool.result)
    return len(turn.sources) + len(turn.clarify) + sum(len(text.encode()) for text in texts)


def messages_of(tools: tuple[ToolUse, ...]) -> int:
    """Messages of a turn with these uses of tools."""
    return 2 + 2 * len(tools)


def storable(turn: Turn) -> Turn:
    """The turn as every database takes it: without NUL, tool results within their limit."""
    return replace(
        turn,
        question=without_nul(turn.question),
        answer=without_nul(turn.answer),
        tools=tuple(
            replace(
                tool,
                name=without_nul(tool.name),
                arguments=without_nul(tool.arguments),
                result=without_nul(tool.result)[:TOOL_RESULT_CHARACTERS],
            )
            for tool in turn.tools
        ),
    )


def without_nul(text: str) -> str:
    """PostgreSQL takes no NUL, and SQLite ends texts at it."""
    return text.replace("\0", "") if "\0" in text else text


def wants_title(conversation: Conversation) -> bool:
    """Whether a model may name it: somebody sees it in a list, and nobody has named it."""
    return conversation.title_is_draft and conversation.listed and conversation.turns_total > 0


def title_from(question: str) -> str:
    """A conversation's first title: the beginning of its first question, on one line."""
    line = " ".join(without_nul(question).split())
    return line if len(line) <= _GIVEN_TITLE_CHARACTERS else line[: _GIVEN_TITLE_CHARACTERS - 1] + "…"


def checked_title(title: str) -> str:
    """A title as a person may give it. Raises InvalidInput."""
    title = " ".join(without_nul(title).split())
    if not 1 <= len(title) <= TITLE_CHARACTERS:
        raise InvalidInput("invalid_title", f"A title has 1 to {TITLE_CHARACTERS} characters.")
    return title
