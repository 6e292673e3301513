"""The OpenAI-compatible face, spoken to by the official client."""

from __future__ import annotations

import asyncio
from typing import Any

import openai
import pytest

from services.gateway.tests.gateway_fakes import CONVERSATION, TURN, a_turn
from services.gateway.tests.gateway_rig import ANNA, Feed, Rig
from services.gateway.tests.openai_client import QUESTION, a_rich_turn
from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_gateway.api.openai_requests import HISTORY_TURNS


async def test_a_completion_is_the_turns_answer_with_its_sources(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_rich_turn()
    completion = await openai_client.chat.completions.create(model="super-agent", messages=QUESTION)
    (choice,) = completion.choices
    assert (choice.message.role, choice.message.content) == ("assistant", "Two years [1].")
    assert (choice.finish_reason, completion.id, completion.model) == ("stop", f"chatcmpl-{TURN}", "super-agent")
    assert completion.created == 1_800_000_001
    assert completion.usage
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens, completion.usage.total_tokens) == (
        10,
        3,
        13,
    )
    own = completion.model_extra["superagent"]  # type: ignore[index]
    assert (own["turn_id"], own["conversation_id"], own["finish_reason"]) == (TURN, CONVERSATION, "stop")
    assert [(source["citation_id"], source["title"]) for source in own["sources"]] == [(1, "Handbook")]
    assert own["degraded"] == [{"tier": "text_only", "reason": "channel_down"}]
    assert own["follow_ups"] == ["And its battery?"]
    (started,) = rig.orchestrator.started
    assert (started.message, started.mode, started.conversation_id) == (QUESTION[0]["content"], 0, "")
    assert started.unlisted
    assert started.idempotency_key
    assert {identity and identity.principal for identity in rig.orchestrator.identities} == {ANNA}


async def test_a_streamed_completion_says_the_same_in_pieces(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_rich_turn()
    stream = await openai_client.chat.completions.create(
        model="super-agent:rag", messages=QUESTION, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    first, *middle, last, usage = chunks
    assert {(chunk.id, chunk.created, chunk.model) for chunk in chunks} == {
        (f"chatcmpl-{TURN}", 1_800_000_001, "super-agent:rag")
    }
    assert first.choices[0].delta.role == "assistant"
    assert first.model_extra["superagent"] == {"turn_id": TURN, "conversation_id": CONVERSATION}  # type: ignore[index]
    assert [chunk.choices[0].delta.content for chunk in middle] == ["Two ", "years [1]."]
    assert last.choices[0].finish_reason == "stop"
    assert last.model_extra["superagent"]["sources"][0]["title"] == "Handbook"  # type: ignore[index]
    assert usage.usage and (usage.choices, usage.usage.total_tokens) == ([], 13)
    assert rig.orchestrator.started[0].mode == plan_pb2.MODE_RAG_CHAT


async def test_no_usage_is_sent_unasked_and_the_stream_says_that_it_is_done(rig: Rig) -> None:
    rig.orchestrator.events[TURN] = a_rich_turn()
    answer = await rig.http.post(
        "/v1/chat/completions", json={"model": "super-agent", "messages": QUESTION, "stream": True}, headers=rig.as_()
    )
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.text.endswith("data: [DONE]\n\n")
    assert '"usage"' not in answer.text and "event:" not in answer.text


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("stop", "stop"),
        ("clarify", "stop"),
        ("no_evidence", "stop"),
        ("cancelled", "stop"),
        ("length", "length"),
        ("limit", "length"),
        ("content_filter", "content_filter"),
    ],
)
async def test_every_end_has_one_of_openais_reasons(
    rig: Rig, openai_client: openai.AsyncOpenAI, ours: str, theirs: str
) -> None:
    rig.orchestrator.events[TURN] = a_rich_turn(ours)
    completion = await openai_client.chat.completions.create(model="super-agent", messages=QUESTION)
    assert completion.choices[0].finish_reason == theirs
    assert completion.model_extra["superagent"]["finish_reason"] == ours  # type: ignore[index]


async def test_a_question_back_comes_with_its_choices(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    accepted, delta, done = a_turn("Which one?")
    clarify = events_pb2.TurnEvent(
        turn_id=TURN, sequence=3, clarify=events_pb2.Clarify(question="Which one?", choices=["X3", "X5"])
    )
    done.sequence = 4
    rig.orchestrator.events[TURN] = [accepted, delta, clarify, done]
    completion = await openai_client.chat.completions.create(model="super-agent", messages=QUESTION)
    assert completion.choices[0].message.content == "Which one?\n\n- X3\n- X5"


async def test_the_clients_own_history_goes_with_the_question(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_turn()
    messages: list[Any] = [
        {"role": "system", "content": "You are a pirate."},
        {"role": "assistant", "content": "Welcome!"},
        {"role": "user", "content": "What is MinIO?"},
        {"role": "assistant", "content": "An object store."},
        {"role": "assistant", "content": "S3-compatible."},
        {"role": "user", "content": [{"type": "text", "text": "How is it"}, {"type": "text", "text": "set up?"}]},
    ]
    await openai_client.chat.completions.create(model="super-agent", messages=messages)
    (started,) = rig.orchestrator.started
    assert started.message == "How is it\nset up?"
    assert list(started.history) == [
        plan_pb2.PastTurn(question="What is MinIO?", answer="An object store.\n\nS3-compatible.")
    ]


async def test_of_a_long_history_the_newest_whole_turns_are_taken(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_turn()
    said = [message for number in range(30) for message in _exchange(f"q{number}", f"a{number}")]
    await openai_client.chat.completions.create(model="super-agent", messages=[*said, *QUESTION])
    long = [*_exchange("old", "x" * 9_000), *_exchange("new", "y" * 9_000)]
    await openai_client.chat.completions.create(model="super-agent", messages=[*long, *QUESTION])
    many, few = rig.orchestrator.started
    assert [turn.question for turn in many.history] == [f"q{number}" for number in range(30 - HISTORY_TURNS, 30)]
    assert [(turn.question, len(turn.answer)) for turn in few.history] == [("new", 9_000)]


def _exchange(question: str, answer: str) -> list[Any]:
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


async def test_an_own_conversation_remembers_by_itself(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_turn()
    await openai_client.chat.completions.create(
        model="super-agent", messages=[*_exchange("a", "b"), *QUESTION], metadata={"conversation_id": CONVERSATION}
    )
    (started,) = rig.orchestrator.started
    assert (started.conversation_id, list(started.history), started.unlisted) == (CONVERSATION, [], False)


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"n": 2}, "n"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"logprobs": True}, "logprobs"),
        ({"stop": ["\n"]}, "stop"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"messages": [*QUESTION, {"role": "tool", "tool_call_id": "1", "content": "x"}]}, "messages[1]"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]},
            "messages[0].content",
        ),
        ({"messages": _exchange("a", "b")}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": [{"type": 1, "text": "x"}]}]}, "messages[0].content[0].type"),
        (
            {"messages": [{"role": "assistant", "function_call": {"name": "f", "arguments": ""}}, *QUESTION]},
            "messages[0]",
        ),
        ({"messages": [{"role": "assistant", "audio": {"id": "a"}}, *QUESTION]}, "messages[0].audio"),
        ({"top_logprobs": 2}, "top_logprobs"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_completion_tokens": "many"}, "max_completion_tokens"),
        ({"metadata": {"conversation_id": 5}}, "metadata.conversation_id"),
    ],
)
async def test_what_is_not_done_here_is_refused_by_name(
    rig: Rig, openai_client: openai.AsyncOpenAI, changes: dict[str, Any], param: str
) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        await openai_client.chat.completions.create(**{"model": "super-agent", "messages": QUESTION, **changes})
    assert (refused.value.param, refused.value.type) == (param, "invalid_request_error")
    assert refused.value.code in ("unsupported_parameter", "invalid_request", "no_question")
    assert not rig.orchestrator.started


async def test_an_answer_is_as_long_as_its_client_takes(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_turn("ok")
    for limits in ({}, {"max_tokens": 7}, {"max_tokens": 7, "max_completion_tokens": 9}):
        await openai_client.chat.completions.create(model="super-agent", messages=QUESTION, **limits)  # type: ignore[arg-type]
    assert [started.max_output_tokens for started in rig.orchestrator.started] == [0, 7, 9]


async def test_what_has_no_effect_is_let_pass(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_turn("ok")
    completion = await openai_client.chat.completions.create(
        model="super-agent",
        messages=QUESTION,
        temperature=0.2,
        top_p=0.9,
        seed=1,
        user="somebody",
        n=1,
        tools=[],
        tool_choice="none",
        response_format={"type": "text"},
    )
    assert completion.choices[0].message.content == "ok"


async def test_models_are_the_modes(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    names = [model.id async for model in openai_client.models.list()]
    assert names == ["super-agent", "super-agent:rag", "super-agent:agent", "super-agent:direct"]
    assert (await openai_client.models.retrieve("super-agent:rag")).owned_by == "super-agent"
    with pytest.raises(openai.NotFoundError):
        await openai_client.models.retrieve("gpt-9")
    with pytest.raises(openai.NotFoundError) as refused:
        await openai_client.chat.completions.create(model="gpt-9", messages=QUESTION)
    assert (refused.value.code, refused.value.param) == ("model_not_found", "model")


async def test_a_long_conversation_may_be_sent_whole_every_time(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_turn("ok")
    said = [message for number in range(5_000) for message in _exchange(f"question {number}", "x" * 50)]
    completion = await openai_client.chat.completions.create(model="super-agent", messages=[*said, *QUESTION])
    assert completion.choices[0].message.content == "ok"
    assert len(rig.orchestrator.started[0].history) == HISTORY_TURNS


async def test_a_refusal_of_earlier_is_text(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_turn("ok")
    refused: list[Any] = [
        {"role": "user", "content": "Tell me a secret."},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    ]
    await openai_client.chat.completions.create(model="super-agent", messages=[*refused, *QUESTION])
    assert [turn.answer for turn in rig.orchestrator.started[0].history] == ["No."]


async def test_a_client_that_leaves_does_not_stop_the_turn(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    feed = Feed(rig)
    feed.waiting.put_nowait(a_turn("one")[0])
    stream = await openai_client.chat.completions.create(model="super-agent", messages=QUESTION, stream=True)
    first = await anext(aiter(stream))
    assert first.model_extra["superagent"]["turn_id"] == TURN  # type: ignore[index]
    await stream.close()
    async with asyncio.timeout(120):
        await feed.left.wait()
    assert not [request for request in rig.orchestrator.requests if "Cancel" in type(request).__name__]
