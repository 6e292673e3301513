"""Turns of memory for tests."""

from __future__ import annotations

from superagent_common.ids import new_id
from superagent_memory.domain.conversations import Exchange, Kind, ToolUse, Turn

ANNA, BEN = "01990000-0000-7000-8000-00000000000a", "01990000-0000-7000-8000-00000000000b"


def turn(
    question: str = "q", answer: str = "a", tools: tuple[ToolUse, ...] = (), kind: Kind = "chat", turn_id: str = ""
) -> Turn:
    return Turn(
        turn_id or new_id(),
        question,
        answer,
        "TURN_STATE_COMPLETED",
        "MODE_RAG_CHAT",
        "stop",
        kind,
        1,
        0,
        b"\x08\x01",
        b"",
        tools,
    )


def exchange(question: str = "q", answer: str = "a", tools: tuple[ToolUse, ...] = (), kind: Kind = "chat") -> Exchange:
    return Exchange(new_id(), kind, question, answer, tools)


class Clock:
    """Ticks once per reading."""

    def __init__(self, at: int = 0) -> None:
        self.at = at

    def __call__(self) -> int:
        self.at += 1
        return self.at
