"""A reply as the bytes of the OpenAI chat protocol."""

from __future__ import annotations

import itertools
import json
from functools import lru_cache
from typing import Any

from tests.support.scripted_model.script import Reply

_CHARACTERS_PER_TOKEN = 4
_TOOL_ARGUMENT_PIECES = 3
STREAM_END = b"data: [DONE]\n\n"


@lru_cache(maxsize=4096)
def stream_events(reply: Reply, model: str) -> tuple[bytes, ...]:
    """The SSE events of thinking, text and tool calls, one per delta, without the finish."""
    deltas: list[dict[str, Any]] = [{"reasoning_content": piece} for piece in _cut(reply.thinking, None)]
    deltas += [{"content": piece} for piece in _cut(reply.text, reply.deltas)]
    for index, call in enumerate(reply.tool_calls):
        head = {"index": index, "id": call.id, "type": "function"}
        deltas.append({"tool_calls": [{**head, "function": {"name": call.name, "arguments": ""}}]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
            for piece in _cut(call.arguments, _TOOL_ARGUMENT_PIECES)
        ]
    return tuple(sse(_chunk(model, delta, None)) for delta in deltas)


def finish_event(reply: Reply, model: str) -> bytes:
    return sse(_chunk(model, {}, finish_reason(reply)))


def usage_event(reply: Reply, model: str, prompt_characters: int) -> bytes:
    return sse({**_envelope("chat.completion.chunk", model), "choices": [], "usage": usage(reply, prompt_characters)})


def completion(reply: Reply, model: str, prompt_characters: int, *, finished: bool) -> bytes:
    """The body of an answer that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.tool_calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": finish_reason(reply) if finished else None}
    body = {**_envelope("chat.completion", model), "choices": [choice]}
    if reply.reports_usage:
        body["usage"] = usage(reply, prompt_characters)
    return _dump(body)


def usage(reply: Reply, prompt_characters: int) -> dict[str, int]:
    output = len(reply.text) + len(reply.thinking) + sum(len(call.arguments) for call in reply.tool_calls)
    counted = (prompt_characters // _CHARACTERS_PER_TOKEN + 1, output // _CHARACTERS_PER_TOKEN + 1)
    prompt_tokens, completion_tokens = reply.usage or counted
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }


def finish_reason(reply: Reply) -> str:
    return reply.finish_reason or ("tool_calls" if reply.tool_calls else "stop")


def error_body(message: str, code: str) -> bytes:
    return _dump({"error": {"message": message, "type": "scripted", "code": code}})


def sse(document: object) -> bytes:
    return b"data: " + _dump(document) + b"\n\n"


def _envelope(kind: str, model: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 1_700_000_000, "model": model}


def _chunk(model: str, delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {**_envelope("chat.completion.chunk", model), "choices": [choice]}


def _cut(text: str, pieces: int | None) -> list[str]:
    """The text in order, in `pieces` nearly equal parts, none of them empty."""
    if not text:
        return []
    wanted = -(-len(text) // _CHARACTERS_PER_TOKEN) if pieces is None else max(1, min(pieces, len(text)))
    borders = [len(text) * position // wanted for position in range(wanted + 1)]
    return [text[start:end] for start, end in itertools.pairwise(borders)]


def _dump(document: object) -> bytes:
    # Half a character becomes JSON's own escape, as endpoints send it.
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
