"""Turn events as JSON, as frames of an event stream, and as messages of a WebSocket."""

from __future__ import annotations

import json
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any

from superagent.orchestrator.v1 import events_pb2 as pb
from superagent_common.clock import rfc3339
from superagent_gateway.api.presenters.plan import budget_json, plan_json
from superagent_gateway.api.presenters.values import (
    RETRIEVAL_MODES,
    STAGE_STATES,
    struct_json,
    time_or_none,
    time_text,
    without_empty,
)
from superagent_gateway.api.problems import whole_seconds

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def frame(event: pb.TurnEvent) -> bytes:
    """One server-sent event; the same event is the same bytes on every replica."""
    return f"event: {_name(event)}\nid: {event.sequence}\ndata: {_data(event)}\n\n".encode()


def interrupted_frame(turn_id: str, after: int, at: int) -> bytes:
    """What a stream says last that ends before its turn: where the rest is to be had.

    No event of the turn: it has no id, and number 0, which no event has, so that nobody resumes behind it. `at`:
    microseconds since the epoch.
    """
    data = {
        "turn_id": turn_id,
        "sequence": 0,
        "at": rfc3339(at),
        "after": after,
        "reason": "stream_broken",
        "message": f"The stream ended before its turn. What comes behind {after} is at {turn_events_path(turn_id)}.",
    }
    return f"event: interrupted\ndata: {_encode(data)}\n\n".encode()


def turn_events_path(turn_id: str) -> str:
    """Where a turn's events are."""
    return f"/api/v1/turns/{turn_id}/events"


def message(event: pb.TurnEvent) -> str:
    """One message of a WebSocket: the data of the server-sent event behind a `type`, which is its name."""
    return f'{{"type":"{_name(event)}",{_data(event)[1:]}'


def _name(event: pb.TurnEvent) -> str:
    # A payload that this version does not know is passed on by number only, so that the sequence stays gapless.
    return event.WhichOneof("payload") or "unknown"


def _data(event: pb.TurnEvent) -> str:
    if event.HasField("delta"):
        # Most events are these: written without building a dict.
        return (
            f'{{"turn_id":{encode_basestring(event.turn_id)},"sequence":{event.sequence},'
            f'"at":"{time_text(event.at)}","text":{encode_basestring(event.delta.text)}}}'
        )
    return _encode(event_json(event))


def event_json(event: pb.TurnEvent) -> dict[str, Any]:
    """`turn_id`, `sequence`, `at` and the fields of the payload."""
    data = {"turn_id": event.turn_id, "sequence": event.sequence, "at": time_text(event.at)}
    name = event.WhichOneof("payload")
    return data | _PAYLOADS[name](getattr(event, name)) if name else data


def stage_json(stage: pb.Stage) -> dict[str, Any]:
    """`Stage`; `started_at` is null when the stage was skipped before it began."""
    return {
        "name": stage.name,
        "state": STAGE_STATES.get(stage.state, "UNSPECIFIED"),
        "started_at": time_or_none(stage, "started_at"),
        "duration_ms": round(stage.duration_ms, 3),
        "detail": struct_json(stage.detail),
    }


def sources_json(sources: pb.Sources) -> dict[str, Any]:
    """`Sources`, in the order of their citation numbers."""
    return {
        "sources": [_source(source) for source in sources.sources],
        "retrieval_mode": RETRIEVAL_MODES.get(sources.retrieval_mode, "UNSPECIFIED"),
    }


def clarify_json(clarify: pb.Clarify) -> dict[str, Any]:
    """`Clarify`."""
    return {"question": clarify.question, "choices": list(clarify.choices)}


def degraded_json(degraded: pb.Degraded) -> dict[str, Any]:
    """`Degraded`."""
    return {"tier": degraded.tier, "reason": degraded.reason}


def error_json(error: pb.TurnError) -> dict[str, Any]:
    """`TurnError`."""
    told = {"reason": error.reason, "message": error.message, "retryable": error.retryable}
    return told | ({"retry_after": whole_seconds(error.retry_after_seconds)} if is_full(error) else {})


def is_full(error: pb.TurnError) -> bool:
    """Whether a rate or a queue was full: asking again is a matter of time."""
    return error.HasField("retry_after_seconds")


def _source(source: pb.Source) -> dict[str, Any]:
    return {
        "citation_id": source.citation_id,
        "document_id": source.document_id,
        "title": source.title,
        "heading_path": list(source.heading_path),
        **pages_json(source),
        "snippet": source.snippet,
        "domain": source.domain,
        "child_ids": list(source.child_ids),
    }


def pages_json(message: Any) -> dict[str, int]:
    """`page_from` and `page_to`, left out for formats without pages."""
    return {field: getattr(message, field) for field in ("page_from", "page_to") if message.HasField(field)}


def _usage(usage: pb.Usage) -> dict[str, Any]:
    return {
        "model": usage.model,
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cost": usage.cost,
        "model_calls": usage.model_calls,
        "tool_calls": usage.tool_calls,
        **without_empty(
            {
                "limits": budget_json(usage.limits) if usage.HasField("limits") else None,
                "estimated": usage.estimated or None,
            }
        ),
    }


def _text(message: pb.Delta | pb.Thinking) -> dict[str, Any]:
    return {"text": message.text}


_PAYLOADS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "accepted": lambda accepted: {"conversation_id": accepted.conversation_id},
    "stage": stage_json,
    "plan": plan_json,
    "clarify": clarify_json,
    "thinking": _text,
    "tool_call": lambda call: {"id": call.id, "name": call.name, "arguments": struct_json(call.arguments)},
    "tool_result": lambda result: {
        "id": result.id,
        "ok": result.ok,
        "summary": result.summary,
        "duration_ms": round(result.duration_ms, 3),
    },
    "approval_required": lambda asked: {
        "id": asked.id,
        "tool": asked.tool,
        "arguments": struct_json(asked.arguments),
        "risk": asked.risk,
    },
    "delta": _text,
    "sources": sources_json,
    "follow_ups": lambda follow_ups: {"questions": list(follow_ups.questions)},
    "usage": _usage,
    "degraded": degraded_json,
    "queued": lambda queued: {"position": queued.position, "model": queued.model},
    "done": lambda done: {"finish_reason": done.finish_reason},
    "error": error_json,
}
