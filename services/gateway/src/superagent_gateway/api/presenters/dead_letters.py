"""Events that were given up as JSON."""

from __future__ import annotations

from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError, Message

from superagent.common.v1.common_pb2 import DeadLetter
from superagent.ingestion.v1 import ingestion_pb2
from superagent.orchestrator.v1 import events_pb2
from superagent_common.bus.topics import (
    DOCUMENT_DELETED,
    DOCUMENT_FAILED,
    DOCUMENT_INDEXED,
    DOCUMENT_UPLOADED,
    TURN_COMPLETED,
)
from superagent_gateway.api.presenters.values import time_text

_EVENTS: dict[str, type[Message]] = {
    DOCUMENT_UPLOADED: ingestion_pb2.DocumentUploaded,
    DOCUMENT_INDEXED: ingestion_pb2.DocumentIndexed,
    DOCUMENT_FAILED: ingestion_pb2.DocumentFailed,
    DOCUMENT_DELETED: ingestion_pb2.DocumentDeleted,
    TURN_COMPLETED: events_pb2.TurnCompleted,
}


def dead_letter_json(service: str, letter: DeadLetter) -> dict[str, Any]:
    """A dead letter of a service."""
    return {
        "service": service,
        "event_id": letter.event_id,
        "topic": letter.topic,
        "key": letter.key,
        "reason": letter.reason,
        "attempts": letter.attempts,
        "failed_at": time_text(letter.failed_at),
        "payload": _event(letter),
    }


def _event(letter: DeadLetter) -> dict[str, Any] | None:
    """None for what no contract describes, which may be why it was given up."""
    kind = _EVENTS.get(letter.topic)
    if kind is None:
        return None
    try:
        return MessageToDict(kind.FromString(letter.payload), preserving_proto_field_name=True)
    except DecodeError:
        return None
