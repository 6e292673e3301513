"""Failures over the OpenAI-compatible face: the client's own exceptions, and its shape for what it never sent."""

from __future__ import annotations

import json

import httpx
import openai
import pytest

from services.gateway.tests.gateway_fakes import TURN, a_turn
from services.gateway.tests.gateway_rig import Rig
from services.gateway.tests.openai_client import QUESTION, failed_turn
from superagent_common.errors import Conflict, Exhausted, InvalidInput, NotFound, Unavailable


async def test_failures_have_the_clients_own_exceptions(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    kinds: list[tuple[Exception, type[openai.APIStatusError], str]] = [
        (Conflict("conversation_busy", "A turn is running.", turn_id=TURN), openai.ConflictError, "conversation_busy"),
        (Exhausted("rate_limited", "Wait.", retry_after_seconds=3), openai.RateLimitError, "rate_limited"),
        (InvalidInput("message_too_long", "Too long."), openai.BadRequestError, "message_too_long"),
        (Unavailable("turns_unavailable", "Later."), openai.InternalServerError, "turns_unavailable"),
    ]
    for error, kind, code in kinds:
        rig.orchestrator.answers["StartTurn"] = error
        with pytest.raises(kind) as refused:
            await openai_client.chat.completions.create(model="super-agent", messages=QUESTION)
        assert refused.value.code == code
        assert refused.value.response.headers.get("retry-after") == ("3" if code == "rate_limited" else None)
    with pytest.raises(openai.AuthenticationError) as stranger:
        await openai_client.with_options(api_key="nonsense").chat.completions.create(
            model="super-agent", messages=QUESTION
        )
    assert stranger.value.code == "token_invalid"


def assert_openai_error(answer: httpx.Response, status: int, code: str) -> None:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"} and error["code"] == code
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1", 404, "unknown_path"),
        ("POST", "/v1/embeddings", 404, "unknown_path"),
        ("GET", "/v1/models/a/b", 404, "unknown_path"),
        ("POST", "/v1/chat/completions/", 404, "unknown_path"),
        ("GET", "/v1/chat/completions", 405, "method_not_allowed"),
        ("OPTIONS", "/v1/models", 405, "method_not_allowed"),
    ],
)
async def test_what_is_not_there_is_an_error_in_the_same_shape(
    rig: Rig, method: str, path: str, status: int, code: str
) -> None:
    assert_openai_error(await rig.http.request(method, path, headers=rig.as_()), status, code)


async def test_faults_of_ours_and_of_bodies_are_errors_in_the_same_shape(rig: Rig) -> None:
    rig.orchestrator.answers["StartTurn"] = RuntimeError("secret text of a fault")
    asked = json.dumps({"model": "super-agent", "messages": QUESTION}).encode()
    deep = b'{"messages":' + b"[" * 50_000
    for body, status, code in (
        (b"{", 400, "malformed_json"),
        (b"[]", 400, "invalid_request"),
        (b'{"model":"\xff"}', 400, "malformed_request"),
        (deep, 400, "malformed_request"),
        (b'"' + b"x" * 1_100_000 + b'"', 413, "body_too_large"),
        (asked, 500, "internal_error"),
    ):
        headers = {**rig.as_(), "content-type": "application/json"}
        answer = await rig.http.post("/v1/chat/completions", content=body, headers=headers)
        assert_openai_error(answer, status, code)
        assert "secret" not in answer.text


async def test_half_an_answer_is_never_given_as_a_whole_one(rig: Rig, openai_client: openai.AsyncOpenAI) -> None:
    rig.orchestrator.events[TURN] = a_turn("half")[:2]
    rig.orchestrator.interruptions = {2: NotFound("events_expired")}
    with pytest.raises(openai.NotFoundError) as failed:
        await openai_client.chat.completions.create(model="super-agent", messages=QUESTION)
    assert failed.value.code == "events_expired"


@pytest.mark.parametrize("retryable", [True, False])
async def test_a_turn_that_fails_is_an_error_whole_or_streamed(
    rig: Rig, openai_client: openai.AsyncOpenAI, retryable: bool
) -> None:
    rig.orchestrator.events[TURN] = failed_turn(retryable)
    with pytest.raises(openai.InternalServerError) as failed:
        await openai_client.chat.completions.create(model="super-agent", messages=QUESTION)
    assert (failed.value.status_code, failed.value.code) == (503 if retryable else 500, "interrupted")
    stream = await openai_client.chat.completions.create(model="super-agent", messages=QUESTION, stream=True)
    said = []
    with pytest.raises(openai.APIError) as broken:
        async for chunk in stream:
            said.append(chunk.choices[0].delta.content)
    assert "".join(filter(None, said)) == "Two " and broken.value.code == "interrupted"


async def test_a_turn_that_found_its_model_full_says_when_to_come_again(
    rig: Rig, openai_client: openai.AsyncOpenAI
) -> None:
    rig.orchestrator.events[TURN] = failed_turn()
    rig.orchestrator.events[TURN][-1].error.retry_after_seconds = 4.2
    with pytest.raises(openai.RateLimitError) as failed:
        await openai_client.chat.completions.create(model="super-agent", messages=QUESTION)
    assert failed.value.response.headers["retry-after"] == "5"


async def test_a_stream_that_breaks_says_where_the_turn_goes_on(rig: Rig) -> None:
    rig.orchestrator.events[TURN] = a_turn("one")
    rig.orchestrator.interruptions = {2: InvalidInput("broken")}
    body = {"model": "super-agent", "messages": QUESTION, "stream": True}
    answer = await rig.http.post("/v1/chat/completions", json=body, headers=rig.as_())
    error = json.loads(answer.text.strip().rpartition("data: ")[2])["error"]
    assert error["code"] == "stream_broken" and f"/api/v1/turns/{TURN}/events" in error["message"]
