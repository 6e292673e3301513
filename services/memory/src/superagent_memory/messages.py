"""Contract messages ↔ domain."""

from __future__ import annotations

import json

from google.protobuf.json_format import MessageToDict, ParseDict, SerializeToJsonError
from google.protobuf.struct_pb2 import Struct

from superagent.memory.v1 import memory_pb2 as pb
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.clock import timestamp
from superagent_common.errors import InvalidInput
from superagent_common.ids import is_id
from superagent_memory.application import Context
from superagent_memory.domain.conversations import (
    FINISH_REASON_CHARACTERS,
    Conversation,
    Exchange,
    Kind,
    Strategy,
    ToolUse,
    Turn,
)
from superagent_memory.domain.summary import Summary
from superagent_memory.domain.wishes import Item

STRATEGIES: dict[int, Strategy] = {
    plan_pb2.MEMORY_STRATEGY_NONE: "none",
    plan_pb2.MEMORY_STRATEGY_SLIDING_WINDOW: "sliding_window",
    plan_pb2.MEMORY_STRATEGY_SUMMARY: "summary",
}
STRATEGY_NUMBERS = {name: number for number, name in STRATEGIES.items()}
KINDS: dict[int, Kind] = {
    pb.CONTEXT_KIND_CHAT: "chat",
    pb.CONTEXT_KIND_TOOL: "tool",
    pb.CONTEXT_KIND_ADMIN_TOOL: "admin_tool",
}
_KIND_NUMBERS = {name: number for number, name in KINDS.items()}


def turn_of(message: pb.StoredTurn) -> Turn:
    """A turn to store; one that used tools and says no kind is of kind `tool`. Raises InvalidInput."""
    _check(message)
    return Turn(
        turn_id=message.turn_id,
        question=message.question,
        answer=message.answer,
        state=events_pb2.TurnState.Name(message.state),
        mode=plan_pb2.Mode.Name(message.mode),
        finish_reason=message.finish_reason,
        kind=KINDS.get(message.kind, "tool" if message.tools else "chat"),
        asked_at=message.asked_at.ToMicroseconds(),
        stored_at=0,
        sources=message.sources.SerializeToString(),
        clarify=message.clarify.SerializeToString(),
        tools=tuple(_tool_of(tool) for tool in message.tools),
    )


def _check(message: pb.StoredTurn) -> None:
    if not is_id(message.turn_id):
        raise InvalidInput("invalid_turn_id", "A turn's id is a UUID.")
    if message.state not in events_pb2.TurnState.values() or message.mode not in plan_pb2.Mode.values():
        raise InvalidInput("invalid_turn", "A turn has a state and a mode of the contract.")
    if len(message.finish_reason) > FINISH_REASON_CHARACTERS:
        raise InvalidInput("invalid_turn", f"Why a turn ended has at most {FINISH_REASON_CHARACTERS} characters.")


def turn_message(turn: Turn) -> pb.StoredTurn:
    return pb.StoredTurn(
        turn_id=turn.turn_id,
        question=turn.question,
        answer=turn.answer,
        sources=events_pb2.Sources.FromString(turn.sources) if turn.sources else None,
        state=events_pb2.TurnState.Value(turn.state),
        mode=plan_pb2.Mode.Value(turn.mode),
        finish_reason=turn.finish_reason,
        asked_at=timestamp(turn.asked_at),
        stored_at=timestamp(turn.stored_at),
        kind=_KIND_NUMBERS[turn.kind],
        clarify=events_pb2.Clarify.FromString(turn.clarify) if turn.clarify else None,
        tools=[_tool_message(tool) for tool in turn.tools],
    )


def conversation_message(conversation: Conversation) -> pb.Conversation:
    return pb.Conversation(
        conversation_id=conversation.conversation_id,
        title=conversation.title,
        memory_strategy=STRATEGY_NUMBERS[conversation.strategy],
        created_at=timestamp(conversation.created_at),
        updated_at=timestamp(conversation.updated_at),
        turns_total=conversation.turns_total,
        unlisted=not conversation.listed,
    )


def summary_message(summary: Summary) -> pb.ConversationSummary:
    return pb.ConversationSummary(
        text=summary.text,
        facts=[fact.text for fact in summary.facts],
        turns_covered=summary.turns_covered,
        updated_at=timestamp(summary.updated_at) if summary.revision else None,
    )


def context_message(context: Context) -> plan_pb2.PlanMemory:
    return plan_pb2.PlanMemory(
        strategy=STRATEGY_NUMBERS[context.strategy],
        summary=context.summary.text,
        recent_turns=[_past_turn(turn) for turn in context.turns],
        facts=[fact.text for fact in context.summary.facts],
        long_term=context.long_term,
    )


def item_message(item: Item) -> pb.UserMemoryItem:
    return pb.UserMemoryItem(
        item_id=item.item_id,
        text=item.text,
        conversation_id=item.conversation_id,
        created_at=timestamp(item.created_at),
    )


def _past_turn(turn: Exchange) -> plan_pb2.PastTurn:
    return plan_pb2.PastTurn(
        turn_id=turn.turn_id,
        question=turn.question,
        answer=turn.answer,
        tools=[_tool_message(tool) for tool in turn.tools],
    )


def _tool_of(message: plan_pb2.ToolUse) -> ToolUse:
    try:
        arguments = json.dumps(MessageToDict(message.arguments), ensure_ascii=False)
    except (ValueError, SerializeToJsonError) as error:
        raise InvalidInput("invalid_arguments", "The arguments of a tool are JSON.") from error
    return ToolUse(message.call_id, message.name, arguments, message.ok, message.result)


def _tool_message(tool: ToolUse) -> plan_pb2.ToolUse:
    return plan_pb2.ToolUse(
        call_id=tool.call_id,
        name=tool.name,
        arguments=ParseDict(json.loads(tool.arguments), Struct()),
        ok=tool.ok,
        result=tool.result,
    )
