"""What every adapter of a language model keeps to, asked of each against the same scripted endpoint."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from importlib.util import find_spec
from typing import Any

import pytest
from pydantic import SecretStr

from superagent_common.errors import Exhausted, ServiceError, Timeout, Unavailable
from superagent_common.llm import (
    MODEL_FAILURES,
    Finished,
    LanguageModel,
    Message,
    ModelRequest,
    OpenAICompatibleModel,
    Price,
    ResponseSchema,
    TextDelta,
    ThinkingDelta,
    Timeouts,
    Tool,
    ToolCall,
    Usage,
)
from tests.support.model_calls import KEY, RecordedSpans, asking, events_of, text_of
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel, ScriptedToolCall

Make = Callable[..., LanguageModel]
SEARCH = Tool("search", "Finds evidence.", {"type": "object", "properties": {"query": {"type": "string"}}})
LONG = Reply(text="年假为十个工作日。" * 100, deltas=300, delay_seconds=0.01)


@pytest.fixture(
    params=[
        "openai_compatible",
        pytest.param(
            "litellm",
            marks=pytest.mark.skipif(find_spec("litellm") is None, reason="the extra `litellm` is not installed"),
        ),
    ]
)
async def make(
    request: pytest.FixtureRequest, scripted_model: ScriptedModel, recorded_spans: RecordedSpans
) -> AsyncIterator[Make]:
    made: list[LanguageModel] = []

    def make(**fields: Any) -> LanguageModel:
        fields = {"tracer": recorded_spans.tracer, "price": Price(2.0, 8.0), **fields}
        if request.param == "litellm":
            from superagent_common.llm.lite_llm import LiteLLMModel

            made.append(LiteLLMModel("openai/m", scripted_model.base_url, SecretStr(KEY), **fields))
        else:
            made.append(OpenAICompatibleModel("m", scripted_model.base_url, SecretStr(KEY), **fields))
        return made[-1]

    yield make
    for model in made:
        await model.close()


async def failure_of(model: LanguageModel, *, streaming: bool) -> ServiceError:
    with pytest.raises(MODEL_FAILURES) as failure:
        await (events_of(model, asking()) if streaming else model.complete(asking()))
    return failure.value


async def test_text_then_usage_with_its_cost_then_finished(scripted_model: ScriptedModel, make: Make) -> None:
    scripted_model.answer_with(default=Reply(text="年假为十天。", deltas=6, delay_seconds=0.01, usage=(1000, 200)))
    model = make()
    events = await events_of(model, asking())
    assert isinstance(events[0], TextDelta)
    assert text_of(events[:-2]) == "年假为十天。"
    assert events[-2:] == [Usage(model.name, 1000, 200, 0.0036), Finished("stop")]
    answer = await model.complete(asking())
    assert (answer.text, answer.finish_reason) == ("年假为十天。", "stop")
    assert answer.usage == Usage(model.name, 1000, 200, 0.0036)
    headers = scripted_model.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"


async def test_reasoning_is_told_apart_from_text(scripted_model: ScriptedModel, make: Make) -> None:
    scripted_model.answer_with(default=Reply(thinking="hm", text="yes"))
    events = await events_of(make(), asking())
    assert [event for event in events if not isinstance(event, Usage)] == [
        ThinkingDelta("hm"),
        TextDelta("yes"),
        Finished("stop"),
    ]


async def test_tool_calls_come_whole_and_in_order(scripted_model: ScriptedModel, make: Make) -> None:
    calls = (
        ScriptedToolCall("search", '{"query": "年假", "top_k": 3}', "call_a"),
        ScriptedToolCall("search", '{"query": "leave"}', "call_b"),
    )
    scripted_model.answer_with(default=Reply(tool_calls=calls))
    expected = [ToolCall(call.id, call.name, call.arguments) for call in calls]
    model = make()
    events = await events_of(model, asking(tools=(SEARCH,)))
    assert [event for event in events if isinstance(event, ToolCall)] == expected
    assert events[-1] == Finished("tool_calls")
    assert list((await model.complete(asking(tools=(SEARCH,)))).tool_calls) == expected


async def test_a_conversation_with_tools_reaches_the_endpoint_whole(scripted_model: ScriptedModel, make: Make) -> None:
    call = ToolCall("call00001", "search", '{"query": "年假"}')
    request = ModelRequest(
        (
            Message("system", "Be brief."),
            Message("user", "half \ud83d pair"),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", "ten days", tool_call_id=call.id),
        ),
        "agent",
        tools=(SEARCH,),
        tool_choice="none",
        max_output_tokens=500,
        temperature=0.2,
    )
    await events_of(make(), request)
    body = scripted_model.requests[0].body
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert body["messages"][1]["content"] == "half ? pair"
    assert body["messages"][2]["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"query": "年假"}'}
    assert body["messages"][3] == {"role": "tool", "content": "ten days", "tool_call_id": "call00001"}
    assert body["tools"][0]["function"]["parameters"] == SEARCH.parameters
    assert (body["model"], body["tool_choice"], body["temperature"]) == ("m", "none", 0.2)
    assert 500 in (body.get("max_tokens"), body.get("max_completion_tokens"))


async def test_a_schema_is_asked_for_in_one_way_or_the_other(scripted_model: ScriptedModel, make: Make) -> None:
    schema = ResponseSchema("plan", {"type": "object", "properties": {"mode": {"type": "string"}}})
    scripted_model.answer_with(default=Reply(text='{"mode": "DIRECT"}'))
    answer = await make().complete(asking(response_schema=schema))
    assert json.loads(answer.text) == {"mode": "DIRECT"}
    body = scripted_model.requests[0].body
    asked = json.dumps(body.get("response_format", "")) + body["messages"][0]["content"]
    assert "properties" in asked and "mode" in asked


@pytest.mark.parametrize("streaming", [True, False])
@pytest.mark.parametrize(
    ("status", "kind", "reason"),
    [
        (400, Unavailable, "model_rejected_request"),
        (401, Unavailable, "model_auth"),
        (404, Unavailable, "model_not_found"),
        (429, Exhausted, "model_rate_limited"),
        (500, Unavailable, "model_down"),
        (503, Unavailable, "model_down"),
    ],
)
async def test_each_status_has_its_kind_and_reason(
    scripted_model: ScriptedModel, make: Make, streaming: bool, status: int, kind: type[ServiceError], reason: str
) -> None:
    failing = Failure("status", status=status, message="the prompt was: secret", retry_after="7")
    scripted_model.answer_with(default=Reply(failure=failing))
    failure = await failure_of(make(), streaming=streaming)
    assert (type(failure), failure.reason) == (kind, reason)
    assert "secret" not in f"{failure}{failure.__cause__}"
    assert not isinstance(failure, Exhausted) or failure.retry_after_seconds == 7
    assert len(scripted_model.requests) == 1, "whether to try again is decided above"


@pytest.mark.parametrize("kind", ["cut", "no_finish", "garbage", "error_event"])
async def test_text_before_a_break_is_delivered_and_then_the_break_is_told(
    scripted_model: ScriptedModel, make: Make, kind: Any
) -> None:
    scripted_model.answer_with(
        default=Reply(text="abcdefgh", deltas=8, delay_seconds=0.01, failure=Failure(kind, after_deltas=3))
    )
    said = ""
    with pytest.raises(Unavailable) as failure:
        async with aclosing(make().stream(asking())) as events:
            async for event in events:
                assert isinstance(event, TextDelta)
                said += event.text
    assert said == "abc"
    assert failure.value.reason in ("model_stream_broken", "model_bad_response", "model_failed")


@pytest.mark.parametrize("kind", ["garbage", "error_event", "cut"])
async def test_an_answer_that_is_none_is_a_failure(scripted_model: ScriptedModel, make: Make, kind: Any) -> None:
    scripted_model.answer_with(default=Reply(failure=Failure(kind)))
    for streaming in (True, False):
        assert isinstance(await failure_of(make(), streaming=streaming), Unavailable)


@pytest.mark.parametrize(
    ("reply", "timeouts", "reason"),
    [
        (Reply(text="late", first_delay_seconds=600), Timeouts(first_token=0.5), "model_first_token_timeout"),
        (
            Reply(text="abcd", deltas=4, delay_seconds=0.01, failure=Failure("hang", after_deltas=2)),
            Timeouts(between_tokens=0.5),
            "model_stalled",
        ),
    ],
)
async def test_time_outs_are_told_by_what_they_waited_for(
    scripted_model: ScriptedModel, make: Make, reply: Reply, timeouts: Timeouts, reason: str
) -> None:
    scripted_model.answer_with(default=reply)
    failure = await failure_of(make(timeouts=timeouts), streaming=True)
    assert (type(failure), failure.reason) == (Timeout, reason)


async def test_closing_the_stream_cancels_the_call_at_the_endpoint(scripted_model: ScriptedModel, make: Make) -> None:
    scripted_model.answer_with(Rule(LONG, user="tell me all"), default=Reply(text="still here"))
    model = make()
    async with aclosing(model.stream(asking("tell me all"))) as events:
        await anext(events)
    call = scripted_model.requests[0]
    await asyncio.wait_for(call.ended.wait(), 120)
    assert call.outcome == "client_closed"
    assert text_of(await events_of(model, asking())) == "still here"


@pytest.mark.parametrize("streaming", [True, False])
async def test_cancelling_the_task_cancels_the_call(scripted_model: ScriptedModel, make: Make, streaming: bool) -> None:
    scripted_model.answer_with(default=Reply(text="late", first_delay_seconds=60))
    model = make()
    calling = asyncio.ensure_future(events_of(model, asking()) if streaming else model.complete(asking()))
    await scripted_model.received(1)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await asyncio.wait_for(scripted_model.requests[0].ended.wait(), 120)
    assert scripted_model.requests[0].outcome == "client_closed"


async def test_one_span_a_call_with_what_was_used(
    scripted_model: ScriptedModel, make: Make, recorded_spans: RecordedSpans
) -> None:
    scripted_model.answer_with(default=Reply(text="ok", usage=(10, 5)))
    model = make()
    await events_of(model, asking(purpose="rerank", prompt="summary.md@0123456789ab"))
    (span,) = recorded_spans.finished
    attributes = span.attributes or {}
    assert span.name == f"chat {model.name}"
    assert attributes["gen_ai.provider.name"] == "openai"
    assert attributes["superagent.model.purpose"] == "rerank"
    assert attributes["superagent.prompt"] == "summary.md@0123456789ab"
    assert (attributes["gen_ai.usage.input_tokens"], attributes["gen_ai.usage.output_tokens"]) == (10, 5)
    assert "how long is the leave" not in str(attributes)
