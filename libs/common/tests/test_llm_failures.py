import asyncio
import email.utils
import time
from contextlib import aclosing

import pytest

from superagent_common.errors import Exhausted, ServiceError, Timeout, Unavailable
from superagent_common.llm import (
    MODEL_FAILURES,
    Finished,
    ModelAnswer,
    ModelEvent,
    OpenAICompatibleModel,
    TextDelta,
    Timeouts,
    openai_compatible,
)
from tests.support.model_calls import ModelAt, asking, events_of, text_of
from tests.support.raw_server import serving
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel, ScriptedToolCall

STREAMED_OR_NOT = pytest.mark.parametrize("streaming", [True, False])


async def call(model: OpenAICompatibleModel, streaming: bool) -> list[ModelEvent] | ModelAnswer:
    return await (events_of(model, asking()) if streaming else model.complete(asking()))


async def failure_of(model: OpenAICompatibleModel, streaming: bool) -> ServiceError:
    with pytest.raises(MODEL_FAILURES) as failure:
        await call(model, streaming)
    return failure.value


async def partial_then_failure(model: OpenAICompatibleModel) -> tuple[str, ServiceError]:
    events: list[ModelEvent] = []
    with pytest.raises(MODEL_FAILURES) as failure:
        async with aclosing(model.stream(asking())) as stream:
            async for event in stream:
                events.append(event)
    assert not any(isinstance(event, Finished) for event in events)
    return text_of(events), failure.value


@STREAMED_OR_NOT
@pytest.mark.parametrize(
    ("status", "kind", "reason"),
    [
        (400, Unavailable, "model_rejected_request"),
        (401, Unavailable, "model_auth"),
        (402, Unavailable, "model_payment_required"),
        (403, Unavailable, "model_auth"),
        (404, Unavailable, "model_not_found"),
        (408, Timeout, "model_timeout"),
        (413, Unavailable, "model_rejected_request"),
        (429, Exhausted, "model_rate_limited"),
        (500, Unavailable, "model_down"),
        (503, Unavailable, "model_down"),
        (504, Timeout, "model_timeout"),
    ],
)
async def test_each_status_has_its_kind_and_reason(
    scripted_model: ScriptedModel,
    model_at: ModelAt,
    streaming: bool,
    status: int,
    kind: type[ServiceError],
    reason: str,
) -> None:
    failing = Failure("status", status=status, error_code="some_code", message="the prompt was: secret")
    scripted_model.answer_with(default=Reply(failure=failing))
    failure = await failure_of(model_at(scripted_model.base_url), streaming)
    assert type(failure) is kind
    assert failure.reason == reason
    assert failure.message == f"the model endpoint answered {status} (some_code)"


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ("7", 7, 7),
        ("1.5", 1.5, 1.5),
        (600, 400, 600),
        (-600, 0, 0),
        ("999999", 3600, 3600),
        ("9" * 400, 3600, 3600),
        ("-5", 5, 5),
        ("soon", 5, 5),
        (None, 5, 5),
    ],
)
async def test_a_rate_limit_says_when_to_come_back(
    scripted_model: ScriptedModel, model_at: ModelAt, header: str | int | None, low: float, high: float
) -> None:
    """A number stands for the date so many seconds from now."""
    if isinstance(header, int):
        header = email.utils.formatdate(time.time() + header, usegmt=True)
    scripted_model.answer_with(default=Reply(failure=Failure("status", status=429, retry_after=header)))
    failure = await failure_of(model_at(scripted_model.base_url), streaming=True)
    assert isinstance(failure, Exhausted)
    assert low <= failure.retry_after_seconds <= high


@STREAMED_OR_NOT
async def test_an_endpoint_nobody_serves_is_down(model_at: ModelAt, unused_tcp_port: int, streaming: bool) -> None:
    failure = await failure_of(model_at(f"http://127.0.0.1:{unused_tcp_port}/v1"), streaming)
    assert (type(failure), failure.reason) == (Unavailable, "model_down")


@STREAMED_OR_NOT
@pytest.mark.parametrize("host", ["a..b", "a" * 70 + ".example"])
async def test_a_name_that_no_resolver_takes_is_down(model_at: ModelAt, host: str, streaming: bool) -> None:
    failure = await failure_of(model_at(f"http://{host}/v1"), streaming)
    assert (type(failure), failure.reason) == (Unavailable, "model_down")


async def test_text_before_a_cut_is_delivered_and_then_the_break_is_told(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(default=Reply(text="abcdefgh", deltas=8, failure=Failure("cut", after_deltas=3)))
    text, failure = await partial_then_failure(model_at(scripted_model.base_url))
    assert text == "abc"
    assert (type(failure), failure.reason) == (Unavailable, "model_stream_broken")


async def test_a_stream_that_ends_without_a_finish_is_broken(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(default=Reply(text="abcdefgh", deltas=8, failure=Failure("no_finish", after_deltas=8)))
    text, failure = await partial_then_failure(model_at(scripted_model.base_url))
    assert text == "abcdefgh"
    assert failure.reason == "model_stream_broken"
    assert (await failure_of(model_at(scripted_model.base_url), streaming=False)).reason == "model_stream_broken"


async def test_garbage_in_a_stream_is_a_bad_response(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(default=Reply(text="abcdefgh", deltas=8, failure=Failure("garbage", after_deltas=2)))
    text, failure = await partial_then_failure(model_at(scripted_model.base_url))
    assert text == "ab"
    assert (type(failure), failure.reason) == (Unavailable, "model_bad_response")


async def test_garbage_instead_of_an_answer_is_a_bad_response(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(default=Reply(failure=Failure("garbage")))
    failure = await failure_of(model_at(scripted_model.base_url), streaming=False)
    assert (type(failure), failure.reason) == (Unavailable, "model_bad_response")


@STREAMED_OR_NOT
async def test_an_error_inside_an_answer_is_a_failure(
    scripted_model: ScriptedModel, model_at: ModelAt, streaming: bool
) -> None:
    scripted_model.answer_with(default=Reply(failure=Failure("error_event")))
    failure = await failure_of(model_at(scripted_model.base_url), streaming)
    assert (type(failure), failure.reason) == (Unavailable, "model_failed")


async def test_a_connection_that_closes_before_answering_is_tried_once_more(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(Rule(Reply(failure=Failure("cut")), times=1), default=Reply(text="second try"))
    assert text_of(await events_of(model_at(scripted_model.base_url), asking())) == "second try"


@STREAMED_OR_NOT
async def test_a_connection_that_keeps_closing_before_answering_is_down(
    scripted_model: ScriptedModel, model_at: ModelAt, streaming: bool
) -> None:
    scripted_model.answer_with(default=Reply(failure=Failure("cut")))
    failure = await failure_of(model_at(scripted_model.base_url), streaming)
    assert (type(failure), failure.reason) == (Unavailable, "model_down")
    assert len(scripted_model.requests) == 2


@pytest.mark.parametrize("after_deltas", [None, 0], ids=["before the headers", "after the headers"])
async def test_a_model_that_never_begins_times_out(
    scripted_model: ScriptedModel, model_at: ModelAt, after_deltas: int | None
) -> None:
    scripted_model.answer_with(default=Reply(text="abc", failure=Failure("hang", after_deltas=after_deltas)))
    model = model_at(scripted_model.base_url, timeouts=Timeouts(first_token=1.0))
    failure = await failure_of(model, streaming=True)
    assert (type(failure), failure.reason) == (Timeout, "model_first_token_timeout")
    await asyncio.wait_for(scripted_model.requests[0].ended.wait(), 120)
    assert scripted_model.requests[0].outcome == "client_closed"


async def test_a_model_that_stops_in_the_middle_times_out_after_its_text(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(default=Reply(text="abcdefgh", deltas=8, failure=Failure("hang", after_deltas=3)))
    model = model_at(scripted_model.base_url, timeouts=Timeouts(between_tokens=0.5))
    text, failure = await partial_then_failure(model)
    assert text == "abc"
    assert (type(failure), failure.reason) == (Timeout, "model_stalled")


async def test_a_model_that_never_stops_meets_the_deadline_of_the_whole(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(default=Reply(text="x" * 10_000, deltas=10_000, delay_seconds=0.005))
    model = model_at(scripted_model.base_url, timeouts=Timeouts(whole=0.2))
    _, failure = await partial_then_failure(model)
    assert (type(failure), failure.reason) == (Timeout, "model_deadline")


async def test_an_answer_that_is_not_streamed_meets_the_deadline_of_the_whole(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(default=Reply(failure=Failure("hang")))
    model = model_at(scripted_model.base_url, timeouts=Timeouts(whole=0.1))
    failure = await failure_of(model, streaming=False)
    assert (type(failure), failure.reason) == (Timeout, "model_deadline")


async def test_slow_tool_arguments_count_as_progress(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    call_ = ScriptedToolCall("write", '{"text": "' + "x" * 100 + '"}')
    scripted_model.answer_with(default=Reply(tool_calls=(call_,), delay_seconds=0.2))
    # All of them take longer than each time-out.
    model = model_at(scripted_model.base_url, timeouts=Timeouts(first_token=4.0, between_tokens=4.0))
    assert (await events_of(model, asking()))[-1] == Finished("tool_calls")


SSE_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


WHOLE = chunk(b'data: {"choices": [{"delta": {"content": "whole"}, "finish_reason": "stop"}]}\n\n')
DONE = chunk(b"data: [DONE]\n\n")
LAST = b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("parts", "then_close"),
    [((SSE_HEAD + WHOLE,), True), ((SSE_HEAD + WHOLE,), False), ((SSE_HEAD + WHOLE + DONE,), False)],
    ids=["cut after the finish", "silent after the finish", "silent after the end marker"],
)
async def test_an_answer_that_is_whole_survives_what_happens_after_it(
    model_at: ModelAt, parts: tuple[bytes, ...], then_close: bool
) -> None:
    async with serving(*parts, then_close=then_close) as served:
        model = model_at(served.url, timeouts=Timeouts(between_tokens=0.3))
        assert await events_of(model, asking()) == [TextDelta("whole"), Finished("stop")]


async def test_an_answer_that_is_whole_waits_for_its_usage_only_a_moment(model_at: ModelAt) -> None:
    nothing = chunk(b": nothing\n\n")
    async with serving(SSE_HEAD + WHOLE, *[nothing] * 3000) as served, asyncio.timeout(120):
        model = model_at(served.url, timeouts=Timeouts(between_tokens=60, after_finish=0.1))
        assert await events_of(model, asking()) == [TextDelta("whole"), Finished("stop")]


async def test_a_body_that_ends_a_moment_after_its_end_marker_keeps_the_connection(
    model_at: ModelAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_compatible, "_DRAIN_SECONDS", 30.0)
    async with serving(SSE_HEAD + WHOLE + DONE, LAST) as served:
        model = model_at(served.url)
        for _ in range(3):
            await events_of(model, asking())
        assert served.connections == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"content-encoding: gzip\r\ncontent-length: 4\r\n\r\n\x1f\x8b\x08\x00",
        b"content-length: 200000\r\n\r\n" + b"x" * 200_000,
        b"content-length: 500\r\n\r\ncut",
    ],
    ids=["compressed", "huge", "cut"],
)
async def test_a_refusal_with_an_unreadable_body_keeps_the_meaning_of_its_status(
    model_at: ModelAt, answer: bytes
) -> None:
    async with serving(b"HTTP/1.1 401 Unauthorized\r\n" + answer, then_close=True) as served:
        failure = await failure_of(model_at(served.url), streaming=True)
        assert failure.reason == "model_auth"


@STREAMED_OR_NOT
async def test_a_compressed_answer_that_nobody_asked_for_is_a_bad_response(model_at: ModelAt, streaming: bool) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\n"
    async with serving(head + b"\x1f\x8b\x08\x00") as served:
        assert (await failure_of(model_at(served.url), streaming)).reason == "model_bad_response"


async def test_an_answer_without_end_does_not_fill_the_memory(model_at: ModelAt) -> None:
    size = 40 * 1024 * 1024
    async with serving(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % size + bytes(size)) as served:
        with pytest.raises(Unavailable, match="beyond all measure"):
            await model_at(served.url).complete(asking())
