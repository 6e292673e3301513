"""What is remembered as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from superagent.memory.v1 import memory_pb2 as pb
from superagent_gateway.api.presenters.values import time_or_none


def conversation_memory_json(summary: pb.ConversationSummary) -> dict[str, Any]:
    """`ConversationSummary`."""
    return {
        "summary": summary.text,
        "facts": list(summary.facts),
        "turns_covered": summary.turns_covered,
        "updated_at": time_or_none(summary, "updated_at"),
    }


def my_memory_json(enabled: bool, items: Iterable[pb.UserMemoryItem]) -> dict[str, Any]:
    """`GetUserMemoryResponse` and `UpdateUserMemoryResponse`."""
    return {
        "enabled": enabled,
        "items": [
            {
                "item_id": item.item_id,
                "text": item.text,
                "conversation_id": item.conversation_id or None,
                "created_at": time_or_none(item, "created_at"),
            }
            for item in items
        ],
    }
