"""Reads the answers of the OpenAI chat protocol: server-sent events piece by piece, or one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from superagent_common.errors import ServiceError
from superagent_common.llm.failures import bad_response, failure_of_event, stream_broken
from superagent_common.llm.port import (
    Finished,
    FinishReason,
    ModelAnswer,
    ModelEvent,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    Usage,
)
from superagent_common.llm.price import Price
from superagent_common.llm.whole_characters import WholeCharacters, whole_characters

_LINE_LIMIT_BYTES = 4 * 1024 * 1024
_TOOL_CALLS_LIMIT_CHARACTERS = 4 * 1024 * 1024
# What a call counts beside its name and arguments, so that calls of nothing have an end too.
_TOOL_CALL_CHARACTERS = 1024
# Twice the longest id that providers give.
_TOOL_CALL_ID_CHARACTERS = 128
# No model reads or writes so much in one call: a larger figure is none.
_TOKENS_LIMIT = 100_000_000
_SSE_FIELDS = (b":", b"event", b"id", b"retry")
_FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
# Said by OpenRouter, vLLM and DeepSeek when the answer did not come to its end.
_BROKEN_REASONS = ("error", "abort", "insufficient_system_resource")

# What walking through a document of the wrong shape raises.
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)

_decode = json.JSONDecoder().decode


@dataclass(slots=True)
class _OpenToolCall:
    id: str
    name: str
    arguments: str


class Ending(NamedTuple):
    """What is known once the body of a stream has been read."""

    tool_calls: tuple[ToolCall, ...]
    usage: Usage | None
    finish_reason: FinishReason

    def events(self) -> Iterator[ModelEvent]:
        """What a stream ends with, in the port's order."""
        yield from self.tool_calls
        if self.usage is not None:
            yield self.usage
        yield Finished(self.finish_reason)


class ChatStreamReader:
    """Feed it the bytes of one response; it gives text and thinking at once and keeps the rest for `end`.

    Raises Unavailable for what is not the protocol and for errors the endpoint reports inside the stream.
    """

    def __init__(self, model: str, price: Price | None) -> None:
        self._model = model
        self._price = price
        self._rest = b""
        self._tool_calls: dict[int, _OpenToolCall] = {}
        self._tool_calls_characters = 0
        self._text = WholeCharacters()
        self._thinking = WholeCharacters()
        self._usage: dict[str, Any] | None = None
        self._finish_reason: str | None = None
        self._began = False
        self.done = False
        """The end marker was read: nothing of meaning follows."""
        self.started = False
        """The model has begun to speak, think or call tools."""
        self.response_model: str | None = None

    @property
    def finished(self) -> bool:
        """The answer is whole, though usage may still come."""
        return self.done or self._finish_reason is not None

    def take(self, chunk: dict[str, Any]) -> list[TextDelta | ThinkingDelta]:
        """What one chunk says, already decoded."""
        events: list[TextDelta | ThinkingDelta] = []
        try:
            if chunk.get("error"):
                raise failure_of_event(chunk["error"])
            if chunk.get("usage"):
                self._usage = chunk["usage"]
            choices = chunk.get("choices")
            if not choices:
                return events
            if self.response_model is None:
                self.response_model = chunk.get("model")
            choice = choices[0]
            delta = choice.get("delta")
            if delta:
                self._read_delta(delta, events)
            if choice.get("finish_reason"):
                self._finish_reason = _text(choice["finish_reason"])
        except _UNREADABLE as error:
            raise bad_response(f"an event that cannot be read ({type(error).__name__})") from None
        return events

    def feed(self, data: bytes) -> Iterator[TextDelta | ThinkingDelta]:
        """What the bytes complete, neighbouring pieces joined: each event costs more on its way than its reading.

        What came before a failure is given before it is raised.
        """
        waiting: list[str] = []
        kind: type[TextDelta | ThinkingDelta] = TextDelta
        failure: ServiceError | None = None
        try:
            for event in self._events(data):
                if type(event) is not kind and waiting:
                    yield kind("".join(waiting))
                    waiting.clear()
                kind = type(event)
                waiting.append(event.text)
        except ServiceError as error:
            failure = error
        if waiting:
            yield kind("".join(waiting))
        if failure:
            raise failure

    def _events(self, data: bytes) -> Iterator[TextDelta | ThinkingDelta]:
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > _LINE_LIMIT_BYTES:
            raise bad_response("a line without end")
        for line in lines:
            if line.startswith(b"data:"):
                if payload := line[5:].strip():
                    self._began = True
                    yield from self._read(payload)
            elif line and line != b"\r" and not self._began and not line.startswith(_SSE_FIELDS):
                # Later on a field that nobody knows is passed over, as the format wants it.
                raise bad_response("no event stream")

    def end(self) -> Ending:
        """Call at the end of the body. Raises Unavailable(model_stream_broken) if the answer is not whole."""
        if not self.finished:
            raise stream_broken()
        calls = _tool_calls(self._tool_calls.values())
        usage = _usage(self._usage, self._model, self._price)
        return Ending(calls, usage, _finish_reason(self._finish_reason or "stop", calls))

    def _read(self, payload: bytes) -> list[TextDelta | ThinkingDelta]:
        if payload == b"[DONE]":
            self.done = True
            return []
        try:
            chunk = _decode(payload.decode())
        except _UNREADABLE as error:
            raise bad_response(f"an event that cannot be read ({type(error).__name__})") from None
        return self.take(chunk)

    def _read_delta(self, delta: dict[str, Any], events: list[TextDelta | ThinkingDelta]) -> None:
        # DeepSeek and Qwen say reasoning_content, OpenRouter and newer vLLM reasoning.
        thinking = delta.get("reasoning_content") or delta.get("reasoning")
        if thinking:
            self.started = True
            if whole := self._thinking.next(_text(thinking)):
                events.append(ThinkingDelta(whole))
        content = delta.get("content")
        if content:
            self.started = True
            if whole := self._text.next(_text(content)):
                events.append(TextDelta(whole))
        for part in delta.get("tool_calls") or ():
            self.started = True
            self._read_tool_call(part)

    def _read_tool_call(self, part: dict[str, Any]) -> None:
        index = part.get("index")
        if index is None:
            index = len(self._tool_calls) if part.get("id") else len(self._tool_calls) - 1
        call_id, function = part.get("id"), part.get("function") or {}
        known = self._tool_calls.get(index)
        if known is not None and call_id and known.id and call_id != known.id:
            # Ollama numbers every call 0 and tells them apart by id only.
            index, known = len(self._tool_calls), None
        if known is None:
            known = self._tool_calls[index] = _OpenToolCall("", "", "")
            self._tool_calls_characters += _TOOL_CALL_CHARACTERS
        name, arguments = function.get("name") or "", function.get("arguments") or ""
        known.id = known.id or _text(call_id or "")
        known.name += name
        known.arguments += arguments
        self._tool_calls_characters += len(name) + len(arguments)
        if self._tool_calls_characters > _TOOL_CALLS_LIMIT_CHARACTERS:
            raise bad_response("tool calls without end")


def answer_of(body: bytes, model: str, price: Price | None) -> tuple[ModelAnswer, str | None]:
    """The answer in a response that was not streamed, and the model that the endpoint names."""
    try:
        document = json.loads(body)
    except _UNREADABLE as error:
        raise bad_response(f"an answer that cannot be read ({type(error).__name__})") from None
    return answer_of_document(document, model, price)


def answer_of_document(document: Any, model: str, price: Price | None) -> tuple[ModelAnswer, str | None]:
    """As `answer_of`, already decoded. Raises Unavailable for what is not the protocol and for errors it reports."""
    try:
        if document.get("error"):
            raise failure_of_event(document["error"])
        choice = document["choices"][0]
        message = choice["message"]
        content = message.get("content")
        parts = [
            _OpenToolCall(part.get("id") or "", part["function"]["name"], part["function"].get("arguments") or "")
            for part in message.get("tool_calls") or ()
        ]
        calls = _tool_calls(parts)
        usage = _usage(document.get("usage"), model, price)
        if not choice.get("finish_reason"):
            raise stream_broken()
        answer = ModelAnswer(
            whole_characters(_text(content)) if content else "",
            calls,
            usage,
            _finish_reason(_text(choice["finish_reason"]), calls),
        )
    except _UNREADABLE as error:
        raise bad_response(f"an answer that cannot be read ({type(error).__name__})") from None
    return answer, document.get("model")


def _tool_calls(parts: Iterable[_OpenToolCall]) -> tuple[ToolCall, ...]:
    """Calls in order; those without an id get `call_<position>`, no arguments are an empty object."""
    calls = []
    for position, part in enumerate(parts):
        if not (isinstance(part.name, str) and part.name and isinstance(part.arguments, str)):
            raise bad_response("a tool call without a name")
        call_id = whole_characters(_text(part.id))[:_TOOL_CALL_ID_CHARACTERS] or f"call_{position}"
        calls.append(ToolCall(call_id, part.name, part.arguments or "{}"))
    return tuple(calls)


def _usage(usage: Any, model: str, price: Price | None) -> Usage | None:
    """None for what is no usage: a strange figure takes nothing from an answer."""
    try:
        input_tokens, output_tokens = int(usage["prompt_tokens"]), int(usage["completion_tokens"])
    except (*_UNREADABLE, OverflowError):
        return None
    if not (0 <= input_tokens <= _TOKENS_LIMIT and 0 <= output_tokens <= _TOKENS_LIMIT):
        return None
    cost = None if price is None else price.cost(input_tokens, output_tokens)
    return Usage(model, input_tokens, output_tokens, cost)


def _finish_reason(reason: str, calls: tuple[ToolCall, ...]) -> FinishReason:
    if reason in _BROKEN_REASONS:
        raise stream_broken()
    known = _FINISH_REASONS.get(reason, "other")
    return "tool_calls" if calls and known == "stop" else known


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
