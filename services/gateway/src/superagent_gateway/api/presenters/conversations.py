"""Conversations as JSON."""

from __future__ import annotations

from typing import Any

from superagent.memory.v1 import memory_pb2 as pb
from superagent_gateway.api.presenters.events import clarify_json, sources_json
from superagent_gateway.api.presenters.values import MODES, STRATEGIES, TURN_STATES, struct_json, time_or_none


def conversation_json(conversation: pb.Conversation) -> dict[str, Any]:
    """`Conversation`."""
    return {
        "conversation_id": conversation.conversation_id,
        "title": conversation.title,
        "memory_strategy": STRATEGIES.get(conversation.memory_strategy, "UNSPECIFIED"),
        "created_at": time_or_none(conversation, "created_at"),
        "updated_at": time_or_none(conversation, "updated_at"),
        "turns_total": conversation.turns_total,
    }


def stored_turn_json(turn: pb.StoredTurn) -> dict[str, Any]:
    """`StoredTurn`; `clarify` only when the turn asked back, `tools` only when it called some."""
    data: dict[str, Any] = {
        "turn_id": turn.turn_id,
        "question": turn.question,
        "answer": turn.answer,
        **sources_json(turn.sources),
        "state": TURN_STATES.get(turn.state, "UNSPECIFIED"),
        "mode": MODES.get(turn.mode, "UNSPECIFIED"),
        "finish_reason": turn.finish_reason,
        "asked_at": time_or_none(turn, "asked_at"),
        "stored_at": time_or_none(turn, "stored_at"),
    }
    if turn.HasField("clarify"):
        data["clarify"] = clarify_json(turn.clarify)
    if turn.tools:
        data["tools"] = [
            {
                "call_id": tool.call_id,
                "name": tool.name,
                "arguments": struct_json(tool.arguments),
                "ok": tool.ok,
                "result": tool.result,
            }
            for tool in turn.tools
        ]
    return data
