from contextlib import aclosing

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode, use_span

from superagent_common.errors import Unavailable
from superagent_common.llm import Price, ResponseSchema
from tests.support.model_calls import ModelAt, RecordedSpans, asking, events_of
from tests.support.scripted_model import Failure, Reply, ScriptedModel


def only(recorded_spans: RecordedSpans) -> ReadableSpan:
    (span,) = recorded_spans.finished
    return span


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_call_is_a_client_span_after_the_genai_conventions(
    scripted_model: ScriptedModel, model_at: ModelAt, recorded_spans: RecordedSpans, streaming: bool
) -> None:
    scripted_model.answer_with(default=Reply(text="{}", usage=(1000, 500)))
    model = model_at(scripted_model.base_url, "served-model", price=Price(1.0, 2.0))
    request = asking(
        purpose="rerank", max_output_tokens=800, temperature=0.3, response_schema=ResponseSchema("plan", {})
    )
    await (events_of(model, request) if streaming else model.complete(request))
    span = only(recorded_spans)
    assert span.name == "chat served-model"
    assert span.kind is SpanKind.CLIENT
    assert span.status.status_code is StatusCode.UNSET
    attributes = dict(span.attributes or {})
    first_chunk = attributes.pop("gen_ai.response.time_to_first_chunk", None)
    assert (first_chunk is not None) is streaming
    assert attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "served-model",
        "gen_ai.request.stream": streaming,
        "gen_ai.request.max_tokens": 800,
        "gen_ai.request.temperature": 0.3,
        "gen_ai.output.type": "json",
        "gen_ai.response.model": "served-model",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 500,
        "server.address": "127.0.0.1",
        "server.port": scripted_model.port,
        "superagent.model.purpose": "rerank",
        "superagent.model.cost": pytest.approx(0.002),
    }


async def test_the_span_is_a_child_of_the_callers_and_the_endpoint_gets_its_context(
    scripted_model: ScriptedModel, model_at: ModelAt, recorded_spans: RecordedSpans
) -> None:
    turn = recorded_spans.tracer.start_span("turn")
    with use_span(turn, end_on_exit=True):
        await events_of(model_at(scripted_model.base_url), asking())
    span = recorded_spans.finished[0]
    assert span.parent is not None
    assert span.parent.span_id == turn.get_span_context().span_id
    sent = scripted_model.requests[0].headers["traceparent"]
    assert sent.startswith(f"00-{span.context.trace_id:032x}-{span.context.span_id:016x}-")


async def test_two_calls_do_not_become_each_others_children(
    scripted_model: ScriptedModel, model_at: ModelAt, recorded_spans: RecordedSpans
) -> None:
    scripted_model.answer_with(default=Reply(text="abc", delay_seconds=0.001))
    model = model_at(scripted_model.base_url)
    async with aclosing(model.stream(asking())) as events:
        await anext(events)
        await model.complete(asking())
    assert [span.parent for span in recorded_spans.finished] == [None, None]


async def test_a_failed_call_names_its_reason(
    scripted_model: ScriptedModel, model_at: ModelAt, recorded_spans: RecordedSpans
) -> None:
    scripted_model.answer_with(default=Reply(failure=Failure("status", status=401)))
    with pytest.raises(Unavailable):
        await events_of(model_at(scripted_model.base_url), asking())
    span = only(recorded_spans)
    assert span.status.status_code is StatusCode.ERROR
    assert dict(span.attributes or {})["error.type"] == "model_auth"


async def test_a_call_that_was_left_is_cancelled_not_failed(
    scripted_model: ScriptedModel, model_at: ModelAt, recorded_spans: RecordedSpans
) -> None:
    scripted_model.answer_with(default=Reply(text="abc" * 100, delay_seconds=0.01))
    async with aclosing(model_at(scripted_model.base_url).stream(asking())) as events:
        await anext(events)
    span = only(recorded_spans)
    assert span.status.status_code is StatusCode.UNSET
    assert dict(span.attributes or {})["superagent.model.cancelled"] is True


async def test_leaving_after_the_last_event_is_no_cancel(
    scripted_model: ScriptedModel, model_at: ModelAt, recorded_spans: RecordedSpans
) -> None:
    scripted_model.answer_with(default=Reply(text="a", usage=(1, 1)))
    async with aclosing(model_at(scripted_model.base_url).stream(asking())) as events:
        await anext(events)
        await anext(events)  # usage; Finished is not waited for
    attributes = dict(only(recorded_spans).attributes or {})
    assert "superagent.model.cancelled" not in attributes
    assert attributes["gen_ai.usage.output_tokens"] == 1


async def test_neither_question_nor_answer_is_on_the_span(
    scripted_model: ScriptedModel, model_at: ModelAt, recorded_spans: RecordedSpans
) -> None:
    scripted_model.answer_with(default=Reply(text="confidential answer"))
    await events_of(model_at(scripted_model.base_url), asking("confidential question"))
    assert "confidential" not in only(recorded_spans).to_json()
