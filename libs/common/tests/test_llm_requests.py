import json
from typing import Any

import pytest

from superagent_common.errors import Unavailable
from superagent_common.llm import Message, ModelRequest, ResponseSchema, Tool, ToolCall
from tests.support.model_calls import ModelAt, asking, events_of
from tests.support.raw_server import serving
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel

SCHEMA = ResponseSchema("plan", {"type": "object", "properties": {"mode": {"type": "string"}}})


def refusing(word_in_body: str, message: str, status: int = 400) -> Rule:
    """An endpoint that refuses every request whose body holds the word."""
    failure = Failure("status", status=status, error_code="invalid_request_error", message=message)
    return Rule(Reply(failure=failure), body=word_in_body)


def bodies(scripted_model: ScriptedModel) -> list[dict[str, Any]]:
    return [request.body for request in scripted_model.requests]


async def test_messages_tools_and_limits_go_out_in_the_protocols_form(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    call = ToolCall("call_a", "search", '{"query": "假"}')
    tool = Tool("search", "Finds evidence.", {"type": "object", "properties": {"query": {"type": "string"}}})
    request = ModelRequest(
        (
            Message("system", "Be brief."),
            Message("user", "年假?"),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", "ten days", tool_call_id="call_a"),
        ),
        "agent",
        tools=(tool,),
        max_output_tokens=500,
        temperature=0.2,
    )
    await events_of(model_at(scripted_model.base_url), request)
    function = {"name": "search", "arguments": '{"query": "假"}'}
    assert bodies(scripted_model) == [
        {
            "model": "m",
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": 500,
            "temperature": 0.2,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "年假?"},
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "call_a", "type": "function", "function": function}],
                },
                {"role": "tool", "content": "ten days", "tool_call_id": "call_a"},
            ],
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "search",
                        "description": "Finds evidence.",
                        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
                    },
                }
            ],
        }
    ]


async def test_words_only_leave_the_tools_in_the_request_and_forbid_calling_them(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    tool = Tool("search", "Finds evidence.", {"type": "object"})
    model = model_at(scripted_model.base_url)
    await events_of(model, asking(tools=(tool,), tool_choice="none"))
    await events_of(model, asking(tools=(tool,)))
    await events_of(model, asking(tool_choice="none"))
    assert [(len(body.get("tools", ())), body.get("tool_choice")) for body in bodies(scripted_model)] == [
        (1, "none"),
        (1, None),
        (0, None),
    ]


async def test_an_endpoint_that_knows_no_tool_choice_is_asked_without(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(refusing('"tool_choice"', "Unrecognized request argument supplied: tool_choice"))
    tool = Tool("search", "Finds evidence.", {"type": "object"})
    await events_of(model_at(scripted_model.base_url), asking(tools=(tool,), tool_choice="none"))
    assert ["tool_choice" in body for body in bodies(scripted_model)] == [True, False]


async def test_lone_surrogates_and_control_characters_do_not_break_the_request(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    await events_of(model_at(scripted_model.base_url), asking("half \ud83d pair \x00 nul"))
    assert bodies(scripted_model)[0]["messages"][1]["content"] == "half ? pair \x00 nul"


async def test_a_schema_is_asked_for_strictly(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(default=Reply(text='{"mode": "DIRECT"}'))
    answer = await model_at(scripted_model.base_url).complete(asking(response_schema=SCHEMA))
    assert json.loads(answer.text) == {"mode": "DIRECT"}
    assert bodies(scripted_model)[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "plan", "schema": SCHEMA.schema, "strict": True},
    }


async def test_an_endpoint_without_schemas_gets_json_mode_with_the_schema_in_the_prompt_and_is_remembered(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(
        refusing("json_schema", "This response_format type is unavailable now"),
        default=Reply(text='{"mode": "DIRECT"}'),
    )
    model = model_at(scripted_model.base_url)
    await model.complete(asking(response_schema=SCHEMA))
    await events_of(model, asking(response_schema=SCHEMA))
    refused, *accepted = bodies(scripted_model)
    assert refused["response_format"]["type"] == "json_schema"
    assert len(accepted) == 2
    for body in accepted:
        assert body["response_format"] == {"type": "json_object"}
        (system,) = [message["content"] for message in body["messages"] if message["role"] == "system"]
        assert system.startswith("You answer briefly.")
        assert json.dumps(SCHEMA.schema) in system


async def test_one_refused_schema_does_not_speak_for_another(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(refusing('"name":"plan"', "Invalid schema for response_format 'plan'"))
    model = model_at(scripted_model.base_url)
    await model.complete(asking(response_schema=SCHEMA))
    await model.complete(asking(response_schema=ResponseSchema("other", {"type": "object"})))
    assert [body["response_format"]["type"] for body in bodies(scripted_model)] == [
        "json_schema",
        "json_object",
        "json_schema",
    ]


async def test_an_endpoint_without_json_mode_gets_the_schema_in_the_prompt_alone(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(refusing("response_format", "unknown field response_format", status=422))
    await model_at(scripted_model.base_url).complete(
        ModelRequest((Message("user", "plan this"),), "rerank", response_schema=SCHEMA)
    )
    last = bodies(scripted_model)[-1]
    assert "response_format" not in last
    assert [message["role"] for message in last["messages"]] == ["system", "user"]


@pytest.mark.parametrize(
    ("word_in_body", "message", "gone", "instead"),
    [
        ("stream_options", "Extra inputs are not permitted: stream_options", "stream_options", None),
        (
            '"max_tokens"',
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_tokens",
            "max_completion_tokens",
        ),
        ('"temperature"', "Unsupported value: 'temperature' does not support 0.2", "temperature", None),
    ],
)
async def test_a_parameter_the_endpoint_does_not_know_is_left_out_from_then_on(
    scripted_model: ScriptedModel,
    model_at: ModelAt,
    word_in_body: str,
    message: str,
    gone: str,
    instead: str | None,
) -> None:
    scripted_model.answer_with(refusing(word_in_body, message))
    model = model_at(scripted_model.base_url)
    request = asking(max_output_tokens=100, temperature=0.2)
    await events_of(model, request)
    await events_of(model, request)
    first, second, third = bodies(scripted_model)
    assert gone in first
    for body in (second, third):
        assert gone not in body
        assert instead is None or body[instead] == 100


async def test_a_refusal_of_something_else_is_not_tried_again(scripted_model: ScriptedModel, model_at: ModelAt) -> None:
    scripted_model.answer_with(refusing("messages", "the context window is 8192 tokens"))
    with pytest.raises(Unavailable) as failure:
        await model_at(scripted_model.base_url).complete(asking(response_schema=SCHEMA, temperature=0.1))
    assert failure.value.reason == "model_rejected_request"
    assert len(scripted_model.requests) == 1


async def test_an_endpoint_that_refuses_everything_by_turns_is_given_up(
    scripted_model: ScriptedModel, model_at: ModelAt
) -> None:
    scripted_model.answer_with(refusing("messages", "no response_format stream_options temperature here"))
    with pytest.raises(Unavailable):
        await events_of(model_at(scripted_model.base_url), asking(response_schema=SCHEMA, temperature=0.1))
    assert len(scripted_model.requests) == 5


async def test_a_proxy_of_the_environment_is_passed_by_on_the_way_to_this_machine(
    scripted_model: ScriptedModel, model_at: ModelAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy")
    monkeypatch.delenv("NO_PROXY")
    for host in ("127.0.0.1", "localhost"):
        await events_of(model_at(f"http://{host}:{scripted_model.port}/v1"), asking())
    assert len(scripted_model.requests) == 2


async def test_a_proxy_of_the_environment_is_used_on_the_way_outside(
    model_at: ModelAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n") as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        with pytest.raises(Unavailable):
            await model_at("http://model.invalid/v1").complete(asking())
        assert proxy.requests[0].startswith(b"POST http://model.invalid/v1/chat/completions HTTP/1.1\r\n")
