"""A stream was asked for; what comes says in its content type that it is something else."""

import json
from typing import Any

import pytest

from superagent_common.errors import Unavailable
from superagent_common.llm import MODEL_FAILURES, Finished, TextDelta, ToolCall, Usage
from tests.support.model_calls import ModelAt, asking, events_of
from tests.support.raw_server import serving


def answered(body: bytes, content_type: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def completion(**message: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 2}}).encode()


async def test_an_endpoint_that_does_not_stream_gives_its_answer_at_once(model_at: ModelAt) -> None:
    async with serving(answered(completion(content="Two years."), "application/json; charset=utf-8")) as served:
        model = model_at(served.url)
        for _ in range(2):
            events = await events_of(model, asking())
            assert events == [TextDelta("Two years."), Usage("m", 10, 2, None), Finished("stop")]
        assert served.connections == 1


async def test_its_tool_calls_come_too(model_at: ModelAt) -> None:
    call = {"id": "c0", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    async with serving(answered(completion(content=None, tool_calls=[call]), "application/json")) as served:
        events = await events_of(model_at(served.url), asking())
        assert events == [ToolCall("c0", "search", "{}"), Usage("m", 10, 2, None), Finished("tool_calls")]


@pytest.mark.parametrize(
    ("body", "content_type", "reason"),
    [
        (b"<html>Sign in to the network</html>\n", "text/html", "model_bad_response"),
        (b"Bad gateway", "text/plain", "model_stream_broken"),
        (b'{"error": {"message": "overloaded", "code": 503}}', "application/json", "model_down"),
        (b'{"error": "no"}', "application/json", "model_failed"),
        (b"{", "application/json", "model_bad_response"),
        (b"[]", "application/json", "model_bad_response"),
        (b"", "text/event-stream", "model_stream_broken"),
    ],
)
async def test_what_is_no_answer_is_a_failure(model_at: ModelAt, body: bytes, content_type: str, reason: str) -> None:
    async with serving(answered(body, content_type)) as served:
        with pytest.raises(MODEL_FAILURES) as failure:
            await events_of(model_at(served.url), asking())
        assert (type(failure.value), failure.value.reason) == (Unavailable, reason)
