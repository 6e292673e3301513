import subprocess
import sys
import time
from importlib.util import find_spec

import pytest
from pydantic import ValidationError

from superagent_common.errors import Exhausted
from superagent_common.llm import (
    Degraded,
    LanguageModel,
    ModelSettings,
    Usage,
    build_model,
    build_models,
    build_small_model,
)
from tests.support.model_calls import RecordedSpans, asking
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel


def built(monkeypatch: pytest.MonkeyPatch, spans: RecordedSpans, **variables: str) -> LanguageModel | None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return build_model(ModelSettings(), tracer=spans.tracer, monotonic=time.monotonic)


@pytest.mark.parametrize("variables", [{}, {"LLM_MODEL": ""}, {"LLM_API_KEY": "sk-of-something-else"}])
def test_no_model_configured_is_a_state_not_a_failure(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, variables: dict[str, str]
) -> None:
    assert built(monkeypatch, recorded_spans, **variables) is None


@pytest.mark.parametrize(
    ("variables", "complaint"),
    [
        ({"LLM_MODEL": "m"}, "LLM_MODEL needs LLM_API_BASE"),
        ({"LLM_MODEL": "a/m", "LLM_PROVIDER": "openai_compatible"}, "LLM_MODEL needs LLM_API_BASE"),
        ({"LLM_MODEL": "m", "LLM_PROVIDER": "other"}, "openai_compatible"),
        ({"LLM_MAX_CONCURRENT": "0"}, "greater than or equal to 1"),
        ({"LLM_TOKENS_PER_MINUTE": "0"}, "greater than or equal to 1"),
        ({"LLM_BACKUP_MODEL": "m"}, "LLM_BACKUP_MODEL needs LLM_MODEL"),
        ({"LLM_SMALL_MODEL": "m"}, "LLM_SMALL_MODEL needs LLM_MODEL"),
        ({"LLM_PRICE_INPUT": "1"}, "LLM_PRICE_INPUT and LLM_PRICE_OUTPUT belong together"),
        ({"LLM_BACKUP_PRICE_OUTPUT": "1"}, "LLM_BACKUP_PRICE_INPUT and LLM_BACKUP_PRICE_OUTPUT belong together"),
        ({"LLM_MODEL": "m", "LLM_API_BASE": "api.openai.com/v1"}, "give a URL such as"),
        ({"LLM_MODEL": "m", "LLM_API_BASE": "https://user:word@host/v1"}, "without credentials"),
        ({"LLM_MODEL": "m", "LLM_API_BASE": "ftp://host/v1"}, "give a URL such as"),
        ({"LLM_PRICE_INPUT": "-1", "LLM_PRICE_OUTPUT": "1"}, "greater than or equal to 0"),
        ({"LLM_FIRST_TOKEN_TIMEOUT_SECONDS": "0"}, "greater than 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, variables: dict[str, str], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        built(monkeypatch, recorded_spans, **variables)


async def test_model_key_price_and_time_outs_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, scripted_model: ScriptedModel
) -> None:
    scripted_model.answer_with(
        Rule(Reply(failure=Failure("hang")), user="hang"),
        default=Reply(text="ok", usage=(1_000_000, 500_000)),
    )
    model = built(
        monkeypatch,
        recorded_spans,
        LLM_MODEL="strong",
        LLM_API_BASE=scripted_model.base_url + "/",
        LLM_API_KEY="sk-primary",
        LLM_PRICE_INPUT="2",
        LLM_PRICE_OUTPUT="8",
        LLM_TIMEOUT_SECONDS="1",
    )
    assert model is not None
    assert model.name == "strong"
    assert (await model.complete(asking())).usage == Usage("strong", 1_000_000, 500_000, 6.0)
    assert scripted_model.requests[0].headers["authorization"] == "Bearer sk-primary"
    with pytest.raises(Exception, match="did not finish in time"):
        await model.complete(asking("hang"))
    await model.close()


async def test_an_endpoint_without_a_key_gets_no_authorization(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, scripted_model: ScriptedModel
) -> None:
    model = built(monkeypatch, recorded_spans, LLM_MODEL="local", LLM_API_BASE=scripted_model.base_url)
    assert model is not None
    await model.complete(asking())
    assert "authorization" not in scripted_model.requests[0].headers
    await model.close()


async def test_the_backup_is_another_model_at_the_same_endpoint_with_the_same_key(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, scripted_model: ScriptedModel
) -> None:
    scripted_model.answer_with(Rule(Reply(failure=Failure("status", status=503)), model="strong"))
    model = built(
        monkeypatch,
        recorded_spans,
        LLM_MODEL="strong",
        LLM_API_BASE=scripted_model.base_url,
        LLM_API_KEY="sk-primary",
        LLM_PRICE_INPUT="2",
        LLM_PRICE_OUTPUT="8",
        LLM_BACKUP_MODEL="cheap",
    )
    assert model is not None
    answer = await model.complete(asking())
    assert answer.degraded == Degraded("backup", "cheap", "model_down")
    assert answer.usage is not None
    assert answer.usage.model == "cheap"
    assert answer.usage.cost is None, "the primary's price is not the backup's"
    assert scripted_model.requests[1].headers["authorization"] == "Bearer sk-primary"
    await model.close()


async def test_the_primarys_key_is_not_sent_to_a_backup_elsewhere(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, scripted_model: ScriptedModel
) -> None:
    scripted_model.answer_with(default=Reply(failure=Failure("status", status=503)))
    async with ScriptedModel() as elsewhere:
        model = built(
            monkeypatch,
            recorded_spans,
            LLM_MODEL="strong",
            LLM_API_BASE=scripted_model.base_url,
            LLM_API_KEY="sk-primary",
            LLM_BACKUP_MODEL="other",
            LLM_BACKUP_API_BASE=elsewhere.base_url,
        )
        assert model is not None
        assert (await model.complete(asking())).degraded is not None
        assert "authorization" not in elsewhere.requests[0].headers
        await model.close()


async def test_the_small_model_answers_small_things_and_the_first_one_stands_in_for_it(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, scripted_model: ScriptedModel
) -> None:
    for name, value in {
        "LLM_MODEL": "strong",
        "LLM_API_BASE": scripted_model.base_url,
        "LLM_PRICE_INPUT": "2",
        "LLM_PRICE_OUTPUT": "8",
        "LLM_SMALL_MODEL": "small",
        "LLM_SMALL_PRICE_INPUT": "1",
        "LLM_SMALL_PRICE_OUTPUT": "1",
    }.items():
        monkeypatch.setenv(name, value)
    model = build_small_model(ModelSettings(), tracer=recorded_spans.tracer, monotonic=time.monotonic)
    assert model is not None
    scripted_model.answer_with(Rule(Reply(text="ok", usage=(1_000_000, 1_000_000)), model="small", times=1))
    assert (await model.complete(asking())).usage == Usage("small", 1_000_000, 1_000_000, 2.0)
    scripted_model.answer_with(Rule(Reply(failure=Failure("status", status=503)), model="small"))
    assert (await model.complete(asking())).degraded == Degraded("backup", "strong", "model_down")
    await model.close()


async def test_without_a_small_model_the_first_one_does_small_things(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, scripted_model: ScriptedModel
) -> None:
    monkeypatch.setenv("LLM_MODEL", "strong")
    monkeypatch.setenv("LLM_API_BASE", scripted_model.base_url)
    model = build_small_model(ModelSettings(), tracer=recorded_spans.tracer, monotonic=time.monotonic)
    assert model is not None
    assert model.name == "strong"
    await model.close()


@pytest.mark.parametrize(
    "variables",
    [
        {"LLM_MODEL": "anthropic/claude-sonnet-4-5"},
        {"LLM_MODEL": "m", "LLM_API_BASE": "http://localhost:1/v1", "LLM_PROVIDER": "litellm"},
        {
            "LLM_MODEL": "m",
            "LLM_API_BASE": "http://localhost:1/v1",
            "LLM_BACKUP_MODEL": "anthropic/claude-sonnet-4-5",
            "LLM_BACKUP_PROVIDER": "litellm",
        },
    ],
)
def test_a_model_that_needs_the_extra_says_so_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, variables: dict[str, str]
) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(ValidationError, match=r"pip install 'superagent\[litellm\]'"):
        built(monkeypatch, recorded_spans, **variables)


def test_litellm_is_not_imported_for_an_endpoint_that_speaks_the_protocol() -> None:
    code = (
        "import sys, time\n"
        "from opentelemetry.trace import NoOpTracer\n"
        "from superagent_common.llm import ModelSettings, build_models\n"
        "settings = ModelSettings(model='org/m', api_base='http://localhost:1/v1', small_model='s', backup_model='b')\n"
        "build_models(settings, tracer=NoOpTracer(), monotonic=time.monotonic)\n"
        "assert 'litellm' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


@pytest.mark.skipif(find_spec("litellm") is None, reason="the extra `litellm` is not installed")
async def test_a_provider_in_front_of_the_name_is_asked_through_litellm(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, scripted_model: ScriptedModel
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", scripted_model.base_url)
    scripted_model.answer_with(default=Reply(text="ok", usage=(1_000_000, 1_000_000)))
    model = built(monkeypatch, recorded_spans, LLM_MODEL="openai/gpt-4o-mini", LLM_API_KEY="sk-primary")
    assert model is not None
    usage = (await model.complete(asking())).usage
    assert usage is not None and usage.cost and usage.cost > 0, "the price is in LiteLLM's own table"
    assert scripted_model.requests[0].headers["authorization"] == "Bearer sk-primary"
    await model.close()


@pytest.mark.skipif(find_spec("litellm") is None, reason="the extra `litellm` is not installed")
def test_a_provider_that_litellm_does_not_know_is_refused_at_start(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans
) -> None:
    with pytest.raises(ValueError, match=r"knows no provider for the model Qwen/Qwen2.5; .* needs LLM_API_BASE"):
        built(monkeypatch, recorded_spans, LLM_MODEL="Qwen/Qwen2.5")


async def test_both_models_of_a_service_share_what_their_provider_allows(
    monkeypatch: pytest.MonkeyPatch, recorded_spans: RecordedSpans, scripted_model: ScriptedModel
) -> None:
    for name, value in {
        "LLM_MODEL": "strong",
        "LLM_SMALL_MODEL": "small",
        "LLM_API_BASE": scripted_model.base_url,
        "LLM_REQUESTS_PER_MINUTE": "6",
        "LLM_QUEUE_LENGTH": "0",
    }.items():
        monkeypatch.setenv(name, value)
    models = build_models(ModelSettings(), tracer=recorded_spans.tracer, monotonic=time.monotonic)
    assert models.answering is not None and models.small is not None
    await models.answering.complete(asking())
    with pytest.raises(Exhausted) as full:
        await models.small.complete(asking())
    assert full.value.reason == "model_queue_full"
    await models.close()
