"""Rows ↔ domain."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.engine import Row

from superagent_memory.adapters.tables import conversations, summaries, turns
from superagent_memory.domain.conversations import Conversation, Exchange, ToolUse, Turn
from superagent_memory.domain.facts import Fact
from superagent_memory.domain.summary import NO_SUMMARY, Summary

CONVERSATION_COLUMNS = [conversations.c[name] for name in Conversation.__slots__]
TURN_COLUMNS = [turns.c[name] for name in Turn.__slots__]
SUMMARY_COLUMNS = [
    summaries.c.text,
    summaries.c.facts,
    summaries.c.turns_covered,
    summaries.c.messages_covered,
    summaries.c.updated_at.label("summarised_at"),
    summaries.c.revision,
]
_OF_CONVERSATION = len(CONVERSATION_COLUMNS)
STATE_COLUMNS = [*CONVERSATION_COLUMNS, *SUMMARY_COLUMNS]
"""A conversation joined with its summary."""


def conversation_of(row: Sequence[Any]) -> Conversation:
    return Conversation(*row)


def state_of(row: Row[Any]) -> tuple[Conversation, Summary]:
    """Of `STATE_COLUMNS`."""
    return conversation_of(row[:_OF_CONVERSATION]), summary_of(row[_OF_CONVERSATION : len(STATE_COLUMNS)])


def summary_of(row: Sequence[Any]) -> Summary:
    """Of `SUMMARY_COLUMNS`, which are all None without a summary."""
    text, facts, *rest = row
    return NO_SUMMARY if text is None else Summary(text, tuple(Fact(*fact) for fact in json.loads(facts)), *rest)


def summary_values(conversation_id: str, summary: Summary, revision: int) -> dict[str, Any]:
    return {
        "conversation_id": conversation_id,
        "text": summary.text,
        "facts": json.dumps([[fact.text, fact.weight] for fact in summary.facts], ensure_ascii=False),
        "turns_covered": summary.turns_covered,
        "messages_covered": summary.messages_covered,
        "updated_at": summary.updated_at,
        "revision": revision,
    }


def exchange_of(row: Sequence[Any]) -> Exchange:
    turn_id, kind, question, answer, tools = row
    return Exchange(turn_id, kind, question, answer, _tools_of(tools))


def turn_of(row: Sequence[Any]) -> Turn:
    *values, tools = row
    return Turn(*values, _tools_of(tools))


def turn_values(turn: Turn) -> Mapping[str, Any]:
    values = {name: getattr(turn, name) for name in Turn.__slots__}
    values["tools"] = (
        json.dumps(
            [[use.call_id, use.name, use.arguments, use.ok, use.result] for use in turn.tools], ensure_ascii=False
        )
        if turn.tools
        else ""
    )
    return values


def _tools_of(tools: str | None) -> tuple[ToolUse, ...]:
    return tuple(ToolUse(*use) for use in json.loads(tools)) if tools else ()
