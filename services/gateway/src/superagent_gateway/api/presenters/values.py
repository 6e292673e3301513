"""Single values of contract messages as JSON."""

from __future__ import annotations

import math
from typing import Any

from google.protobuf.struct_pb2 import Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.clock import rfc3339

_EXACT_INTEGERS = 2**53


def names(enum: Any, prefix: str) -> dict[int, str]:
    """Names of an enum's numbers without their prefix."""
    return {value.number: value.name.removeprefix(prefix) for value in enum.DESCRIPTOR.values}


def numbers(names_by_number: dict[int, str]) -> dict[str, Any]:
    """The other way round; typed so that generated messages take the numbers."""
    return {name: number for number, name in names_by_number.items()}


MODES = names(plan_pb2.Mode, "MODE_")
STRATEGIES = names(plan_pb2.MemoryStrategy, "MEMORY_STRATEGY_")
PLANNERS = names(plan_pb2.PlannerKind, "PLANNER_KIND_")
STAGE_STATES = names(events_pb2.StageState, "STAGE_STATE_")
TURN_STATES = names(events_pb2.TurnState, "TURN_STATE_")
RETRIEVAL_MODES = names(events_pb2.RetrievalMode, "RETRIEVAL_MODE_")


def time_text(at: Timestamp) -> str:
    """RFC 3339 in UTC with microseconds."""
    return rfc3339(at.seconds * 1_000_000 + at.nanos // 1_000)


def time_or_none(message: Any, field: str) -> str | None:
    """A time field, None when it is not set."""
    return time_text(getattr(message, field)) if message.HasField(field) else None


def struct_json(struct: Struct) -> dict[str, Any]:
    """A Struct with sorted keys; whole numbers become integers, numbers that JSON lacks become null."""
    fields = struct.fields
    return {key: _value(fields[key]) for key in sorted(fields)}


def without_empty(pairs: dict[str, Any]) -> dict[str, Any]:
    """What is left without None and empty texts: optional fields that the contract leaves out when absent."""
    return {key: value for key, value in pairs.items() if value is not None and value != ""}


def _value(value: Value) -> Any:
    match value.WhichOneof("kind"):
        case "number_value":
            number = value.number_value
            if number.is_integer() and abs(number) <= _EXACT_INTEGERS:
                return int(number)
            return number if math.isfinite(number) else None
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "struct_value":
            return struct_json(value.struct_value)
        case "list_value":
            return [_value(item) for item in value.list_value.values]
        case _:
            return None
