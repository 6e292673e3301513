import asyncio
from contextlib import aclosing

import pytest

from superagent_common.llm import Finished, FinishReason, Price, TextDelta, ThinkingDelta, ToolCall, Usage
from tests.support.model_calls import KEY, ModelAt, asking, events_of, text_of
from tests.support.scripted_model import Reply, Rule, ScriptedModel, ScriptedToolCall

LONG = Reply(text="年假为十个工作日。" * 100, deltas=300, delay_seconds=0.01)


async def test_text_comes_in_deltas_then_usage_then_finished(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(default=Reply(text="年假为十天。", deltas=6, delay_seconds=0.02, usage=(1000, 200)))
    events = await events_of(model_at(scripted_model.base_url, price=Price(2.0, 8.0)), asking())
    assert events[0] == TextDelta("年")
    assert text_of(events[:-2]) == "年假为十天。"
    assert events[-2:] == [Usage("m", 1000, 200, 0.0036), Finished("stop")]


async def test_deltas_that_come_together_are_one(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(default=Reply(text="年假为十天。", deltas=6, reports_usage=False))
    events = await events_of(model_at(scripted_model.base_url), asking())
    assert events == [TextDelta("年假为十天。"), Finished("stop")]


async def test_without_prices_there_is_no_cost_and_without_usage_no_usage_event(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    model = model_at(scripted_model.base_url)
    scripted_model.answer_with(default=Reply(text="a", usage=(1, 1)))
    assert Usage("m", 1, 1, None) in await events_of(model, asking())
    scripted_model.answer_with(default=Reply(text="a", reports_usage=False))
    assert await events_of(model, asking()) == [TextDelta("a"), Finished("stop")]


async def test_thinking_is_told_apart_from_text(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(default=Reply(thinking="hm", text="yes", reports_usage=False))
    events = await events_of(model_at(scripted_model.base_url), asking())
    assert events == [ThinkingDelta("hm"), TextDelta("yes"), Finished("stop")]


async def test_streamed_tool_calls_come_whole_and_in_order(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    calls = (
        ScriptedToolCall("search", '{"query": "年假", "top_k": 3}', "call_a"),
        ScriptedToolCall("clock", "", "call_b"),
    )
    scripted_model.answer_with(default=Reply(text="let me see", tool_calls=calls, reports_usage=False))
    events = await events_of(model_at(scripted_model.base_url), asking())
    assert text_of(events) == "let me see"
    assert events[-3:] == [
        ToolCall("call_a", "search", '{"query": "年假", "top_k": 3}'),
        ToolCall("call_b", "clock", "{}"),
        Finished("tool_calls"),
    ]


async def test_tool_calls_under_an_ordinary_finish_reason_finish_as_tool_calls(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    call = ScriptedToolCall("clock", "{}")
    scripted_model.answer_with(default=Reply(tool_calls=(call,), finish_reason="stop"))
    assert (await events_of(model_at(scripted_model.base_url), asking()))[-1] == Finished("tool_calls")


@pytest.mark.parametrize(
    ("said", "meant"), [("length", "length"), ("content_filter", "content_filter"), ("eos_token", "other")]
)
async def test_the_finish_reason_is_told(
    scripted_model: ScriptedModel, model_at: ModelAt, said: str, meant: FinishReason
) -> None:
    scripted_model.answer_with(default=Reply(text="cut off", finish_reason=said))
    model = model_at(scripted_model.base_url)
    assert (await events_of(model, asking()))[-1] == Finished(meant)
    assert (await model.complete(asking())).finish_reason == meant


async def test_complete_gives_text_tool_calls_and_usage_in_one(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    call = ScriptedToolCall("search", '{"query": "leave"}', "call_a")
    scripted_model.answer_with(default=Reply(text="见附件", tool_calls=(call,), usage=(10, 5)))
    answer = await model_at(scripted_model.base_url, price=Price(1.0, 1.0)).complete(asking())
    assert answer.text == "见附件"
    assert answer.tool_calls == (ToolCall("call_a", "search", '{"query": "leave"}'),)
    assert answer.usage == Usage("m", 10, 5, 15e-6)
    assert answer.finish_reason == "tool_calls"
    assert scripted_model.requests[0].body.get("stream") is None


async def test_calls_one_after_another_share_a_connection(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    model = model_at(scripted_model.base_url)
    for _ in range(3):
        await events_of(model, asking())
        await model.complete(asking())
    assert scripted_model.connections_made == 1


async def test_fifty_streams_at_once_keep_their_texts_apart(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(
        *(Rule(Reply(text=f"answer {n} " * 20, delay_seconds=0.001), user=f"question {n}.") for n in range(50))
    )
    model = model_at(scripted_model.base_url)
    answers = await asyncio.gather(*(events_of(model, asking(f"question {n}.")) for n in range(50)))
    assert [text_of(events) for events in answers] == [f"answer {n} " * 20 for n in range(50)]


async def test_the_first_delta_does_not_wait_for_the_rest(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(default=LONG)
    async with aclosing(model_at(scripted_model.base_url).stream(asking())) as events:
        assert isinstance(await anext(events), TextDelta)
        assert scripted_model.requests[0].outcome == "running"


async def test_closing_the_stream_cancels_the_call_at_the_endpoint_at_once(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(default=LONG)
    async with aclosing(model_at(scripted_model.base_url).stream(asking())) as events:
        await anext(events)
    await assert_cancelled(scripted_model)


async def test_leaving_the_loop_without_closing_cancels_too(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(default=LONG)
    async for _ in model_at(scripted_model.base_url).stream(asking()):
        break
    await assert_cancelled(scripted_model)


@pytest.mark.parametrize("streaming", [True, False])
async def test_cancelling_the_task_cancels_the_call_before_the_first_token(
    scripted_model: ScriptedModel, model_at: ModelAt, streaming: bool
) -> None:
    scripted_model.answer_with(default=Reply(text="late", first_delay_seconds=60))
    model = model_at(scripted_model.base_url)
    calling = asyncio.ensure_future(events_of(model, asking()) if streaming else model.complete(asking()))
    await scripted_model.received(1)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await assert_cancelled(scripted_model)


async def test_a_cancelled_call_leaves_the_model_usable(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    model = model_at(scripted_model.base_url)
    scripted_model.answer_with(default=LONG)
    async with aclosing(model.stream(asking())) as events:
        await anext(events)
    scripted_model.answer_with(default=Reply(text="still here"))
    assert text_of(await events_of(model, asking())) == "still here"


async def test_purpose_key_and_trace_context_travel_in_headers(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    await events_of(model_at(scripted_model.base_url), asking(purpose="rerank"))
    headers = scripted_model.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["x-superagent-purpose"] == "rerank"
    assert headers["traceparent"].startswith("00-")


async def assert_cancelled(scripted_model: ScriptedModel) -> None:
    call = scripted_model.requests[0]
    await asyncio.wait_for(call.ended.wait(), 120)
    assert call.outcome == "client_closed"
