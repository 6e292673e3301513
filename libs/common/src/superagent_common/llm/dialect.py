"""How this endpoint's OpenAI protocol differs: learnt from its refusals, so that no user has to configure it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from superagent_common.llm.port import Message, ModelRequest, ResponseSchema, Tool

_REFUSAL_STATUSES = (400, 422)
_RESPONSE_FORMAT_WORDS = ("response_format", "response_schema", "json_schema", "json_object")
_JSON_MODE = "json_object"


class Dialect:
    """Builds request bodies; `learn` changes what the next one looks like.

    Remembered while the process lives: response formats per schema (an endpoint may refuse one schema only), and
    parameters it does not know.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._refused: set[str] = set()

    def body(self, request: ModelRequest, *, stream: bool) -> bytes:
        """The JSON body; lone surrogates, which UTF-8 cannot carry, become question marks."""
        document: dict[str, Any] = {"model": self._model, "messages": self._messages(request)}
        if stream:
            document["stream"] = True
            if "stream_options" not in self._refused:
                document["stream_options"] = {"include_usage": True}
        if request.max_output_tokens is not None:
            # OpenAI's reasoning models refuse the old name, most other endpoints do not know the new one.
            name = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
            document[name] = request.max_output_tokens
        if request.temperature is not None and "temperature" not in self._refused:
            document["temperature"] = request.temperature
        if request.tools:
            document["tools"] = list(map(tool_document, request.tools))
            if request.tool_choice == "none" and "tool_choice" not in self._refused:
                document["tool_choice"] = "none"
        response_format = self._response_format(request.response_schema)
        if response_format is not None:
            document["response_format"] = response_format
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")

    def learn(self, status: int, error_body: bytes, request: ModelRequest, *, stream: bool) -> bool:
        """Whether the refusal named something that the next body leaves out or says differently."""
        if status not in _REFUSAL_STATUSES:
            return False
        text = error_body.decode("utf-8", "replace")
        for word, feature in self._dispensable(request, stream):
            if word in text and feature not in self._refused:
                self._refused.add(feature)
                return True
        return False

    def _dispensable(self, request: ModelRequest, stream: bool) -> Iterator[tuple[str, str]]:
        """(word in the refusal, feature) of everything in the last body that can be left out or said differently."""
        schema = request.response_schema
        if schema is not None:
            # Once the schema is refused, a second refusal is of JSON mode itself.
            feature = _JSON_MODE if _feature(schema) in self._refused else _feature(schema)
            yield from ((word, feature) for word in _RESPONSE_FORMAT_WORDS)
        if stream:
            yield ("stream_options", "stream_options")
        if request.max_output_tokens is not None:
            yield ("max_completion_tokens", "max_tokens")
        if request.temperature is not None:
            yield ("temperature", "temperature")
        if request.tools and request.tool_choice == "none":
            yield ("tool_choice", "tool_choice")

    def _response_format(self, schema: ResponseSchema | None) -> dict[str, Any] | None:
        if schema is None or _JSON_MODE in self._refused:
            return None
        if _feature(schema) in self._refused:
            return {"type": "json_object"}
        described = {"name": schema.name, "schema": schema.schema, "strict": True}
        return {"type": "json_schema", "json_schema": described}

    def _messages(self, request: ModelRequest) -> list[dict[str, Any]]:
        messages = [message_document(message) for message in request.messages]
        schema = request.response_schema
        if schema is None or not self._refused & {_JSON_MODE, _feature(schema)}:
            return messages
        return with_instruction(messages, json.dumps(schema.schema, ensure_ascii=False))


def with_instruction(messages: list[dict[str, Any]], schema: str) -> list[dict[str, Any]]:
    """Messages that ask for JSON of this schema in words, for whoever cannot be held to it."""
    instruction = f"Answer with one JSON object of this JSON schema and nothing else:\n{schema}"
    # Chat templates of open models allow one system message, at the start.
    if messages and messages[0]["role"] == "system":
        messages[0]["content"] += f"\n\n{instruction}"
        return messages
    return [{"role": "system", "content": instruction}, *messages]


def tool_document(tool: Tool) -> dict[str, Any]:
    """A tool as OpenAI's protocol writes it."""
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _feature(schema: ResponseSchema) -> str:
    return f"json_schema:{schema.name}"


def message_document(message: Message) -> dict[str, Any]:
    """A message as OpenAI's protocol writes it."""
    document: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        document["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        document["tool_call_id"] = message.tool_call_id
    return document
