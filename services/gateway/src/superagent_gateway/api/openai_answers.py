"""A turn as a chat completion, whole or in chunks."""

from __future__ import annotations

import json
from typing import Any

from superagent.orchestrator.v1 import events_pb2 as pb
from superagent_gateway.api.openai_errors import error_body
from superagent_gateway.api.presenters.events import degraded_json, is_full, sources_json
from superagent_gateway.api.problems import whole_seconds

_LENGTHS = frozenset(("length", "limit"))
_DONE = b"data: [DONE]\n\n"


class Completion:
    """What a turn has said so far, in OpenAI's shapes; `superagent` is ours."""

    def __init__(self, model: str, turn_id: str, conversation_id: str) -> None:
        self._model = model
        self._id = f"chatcmpl-{turn_id}"
        self._created = 0
        self._text: list[str] = []
        self._usage = pb.Usage()
        self._finish_reason = ""
        self._own: dict[str, Any] = {"turn_id": turn_id, "conversation_id": conversation_id}
        self._degraded: list[dict[str, Any]] = []
        self.error: pb.TurnError | None = None

    def take(self, event: pb.TurnEvent) -> str:
        """Takes the next event; gives the text that it adds to the answer."""
        text = ""
        match event.WhichOneof("payload"):
            case "accepted":
                self._created = event.at.seconds
            case "delta":
                text = event.delta.text
            case "clarify" if event.clarify.choices:
                # The question itself has come as text.
                text = "\n" + "".join(f"\n- {choice}" for choice in event.clarify.choices)
            case "sources":
                self._own |= sources_json(event.sources)
            case "degraded":
                self._degraded.append(degraded_json(event.degraded))
            case "follow_ups":
                self._own["follow_ups"] = list(event.follow_ups.questions)
            case "usage":
                self._usage = event.usage
            case "done":
                self._finish_reason = event.done.finish_reason
            case "error":
                self.error = event.error
        if text:
            self._text.append(text)
        return text

    def whole(self) -> dict[str, Any]:
        """The answer that is not streamed."""
        message = {"role": "assistant", "content": "".join(self._text), "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._finish}
        return {
            **self._envelope("chat.completion"),
            "choices": [choice],
            "usage": self.usage,
            "superagent": self.superagent,
        }

    def chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> dict[str, Any]:
        """One chunk of the answer that is streamed."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._envelope("chat.completion.chunk"), "choices": [choice], **more}

    def last_chunk(self) -> dict[str, Any]:
        return self.chunk({}, self._finish, superagent=self.superagent)

    def usage_chunk(self) -> dict[str, Any]:
        return {**self._envelope("chat.completion.chunk"), "choices": [], "usage": self.usage}

    @property
    def usage(self) -> dict[str, int]:
        spent, said = self._usage.input_tokens, self._usage.output_tokens
        return {"prompt_tokens": spent, "completion_tokens": said, "total_tokens": spent + said}

    @property
    def superagent(self) -> dict[str, Any]:
        """Where the answer comes from, and how to go on: ids, sources, degradations, the turn's own reason to end."""
        return {**self._own, "degraded": self._degraded, "finish_reason": self._finish_reason}

    @property
    def started(self) -> dict[str, Any]:
        """The first chunk: it names the turn, so that it can be stopped or taken up elsewhere."""
        names = {name: self._own[name] for name in ("turn_id", "conversation_id")}
        return self.chunk({"role": "assistant", "content": ""}, superagent=names)

    @property
    def _finish(self) -> str:
        if self._finish_reason == "content_filter":
            return "content_filter"
        return "length" if self._finish_reason in _LENGTHS else "stop"

    def _envelope(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._model}


class CompletionStream:
    """`StreamShape` of a chat completion; a turn that fails, or a stream that breaks, is an `error` in it."""

    def __init__(self, completion: Completion, *, include_usage: bool) -> None:
        self._completion = completion
        self._include_usage = include_usage

    def frame(self, event: pb.TurnEvent) -> bytes:
        completion = self._completion
        text = completion.take(event)
        match event.WhichOneof("payload"):
            case "accepted":
                return _data(completion.started)
            case "done":
                last = _data(completion.last_chunk())
                return last + (_data(completion.usage_chunk()) if self._include_usage else b"") + _DONE
            case "error":
                return _data(turn_error_body(event.error)) + _DONE
        return _data(completion.chunk({"content": text})) if text else b""

    @property
    def broken(self) -> bytes:
        where = self._completion.superagent["turn_id"]
        return _data(
            error_body(503, "stream_broken", f"The stream broke; the turn goes on: /api/v1/turns/{where}/events")
        )


def turn_error_body(error: pb.TurnError) -> dict[str, Any]:
    """A turn that failed, as OpenAI's error."""
    return error_body(turn_error_status(error), error.reason, error.message)


def turn_error_status(error: pb.TurnError) -> int:
    """The HTTP status of a turn that failed."""
    if is_full(error):
        return 429
    return 503 if error.retryable else 500


def turn_error_headers(error: pb.TurnError) -> dict[str, str]:
    """What an HTTP answer says of a turn that failed beside its body."""
    return {"retry-after": str(whole_seconds(error.retry_after_seconds))} if is_full(error) else {}


def _data(document: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"
