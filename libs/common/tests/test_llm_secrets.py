import logging
import traceback

import pytest
import structlog
from pydantic import SecretStr, ValidationError

from superagent_common.errors import ServiceError
from superagent_common.llm import MODEL_FAILURES, ModelSettings, OpenAICompatibleModel, Timeouts
from tests.support.model_calls import KEY, ModelAt, RecordedSpans, asking, events_of
from tests.support.scripted_model import Failure, Reply, ScriptedModel

FAILING = [
    Reply(failure=Failure("status", status=401, message=f"Incorrect API key provided: {KEY}", error_code=KEY)),
    Reply(failure=Failure("status", status=429, message=KEY)),
    Reply(failure=Failure("error_event", message=KEY)),
    Reply(failure=Failure("cut")),
    Reply(text="abcdefgh", failure=Failure("cut", after_deltas=1)),
    Reply(text="abcdefgh", failure=Failure("garbage", after_deltas=1)),
    Reply(failure=Failure("hang")),
]


def shown(error: BaseException) -> str:
    """What an ordinary logger writes."""
    return f"{''.join(traceback.format_exception(error))}\n{error!r} {error} {vars(error)}"


def with_locals(error: BaseException) -> str:
    """What the most talkative of loggers would write: every frame's variables."""
    rendered = structlog.tracebacks.ExceptionDictTransformer(
        show_locals=True, locals_max_length=10_000, locals_max_string=100_000, max_frames=100
    )((type(error), error, error.__traceback__))
    captured = traceback.TracebackException.from_exception(error, capture_locals=True)
    return f"{rendered}\n{''.join(captured.format())}\n{shown(error)}"


@pytest.mark.parametrize("reply", FAILING, ids=lambda reply: f"{reply.failure.kind}-{reply.failure.status}")
@pytest.mark.parametrize("streaming", [True, False])
async def test_no_failure_log_or_span_shows_the_key(
    scripted_model: ScriptedModel,
    model_at: ModelAt,
    recorded_spans: RecordedSpans,
    caplog: pytest.LogCaptureFixture,
    reply: Reply,
    streaming: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    scripted_model.answer_with(default=reply)
    hangs = reply.failure is not None and reply.failure.kind == "hang"
    model = model_at(scripted_model.base_url, timeouts=Timeouts(whole=1.5) if hangs else Timeouts())
    with pytest.raises(MODEL_FAILURES) as failure:
        await (events_of(model, asking()) if streaming else model.complete(asking()))
    assert scripted_model.requests[0].headers["authorization"] == f"Bearer {KEY}"
    echoed_by_the_endpoint = KEY in repr(reply)
    assert KEY not in (shown(failure.value) if echoed_by_the_endpoint else with_locals(failure.value))
    assert KEY not in caplog.text
    assert not any(KEY in span.to_json() for span in recorded_spans.finished)


async def test_an_unreachable_endpoint_does_not_show_the_key(
    model_at: ModelAt, unused_tcp_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(ServiceError) as failure:
        await model_at(f"http://127.0.0.1:{unused_tcp_port}/v1").complete(asking())
    assert KEY not in with_locals(failure.value)
    assert KEY not in caplog.text


@pytest.mark.parametrize("bad", [f"{KEY}\r\nx-evil: 1", f"{KEY} ", f"{KEY}密", f"{KEY}\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(bad: str, recorded_spans: RecordedSpans) -> None:
    with pytest.raises(ValueError, match="API key") as refusal:
        OpenAICompatibleModel("m", "http://127.0.0.1/v1", SecretStr(bad), tracer=recorded_spans.tracer)
    assert KEY not in str(refusal.value)


def test_a_key_from_the_environment_that_no_header_can_carry_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LLM_API_KEY", f"{KEY}密")
    with pytest.raises(ValidationError, match="API key") as refused:
        ModelSettings()
    assert KEY not in str(refused.value)


def test_settings_and_model_do_not_show_the_key(model_at: ModelAt) -> None:
    settings = ModelSettings(model="m", api_base="http://127.0.0.1/v1", api_key=SecretStr(KEY))
    model = model_at("http://127.0.0.1/v1")
    assert KEY not in f"{settings!r} {settings.model_dump()} {settings.model_dump_json()} {vars(model)}"


def test_a_wrong_setting_beside_the_key_does_not_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", KEY)
    monkeypatch.setenv("LLM_MODEL", "m")
    with pytest.raises(ValidationError, match="LLM_API_BASE") as refused:
        ModelSettings()
    assert KEY not in str(refused.value)
