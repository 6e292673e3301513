"""Every failure is a problem: the right status, a reason, a trace id, and nothing of the inside."""

from __future__ import annotations

import json

import httpx
import pytest

from services.gateway.tests.gateway_fakes import TURN
from services.gateway.tests.gateway_rig import Rig
from superagent_common.errors import (
    AlreadyExists,
    Conflict,
    Exhausted,
    Forbidden,
    Internal,
    InvalidInput,
    NotFound,
    ServiceError,
    Timeout,
    Unauthenticated,
    Unavailable,
    Unimplemented,
)

KINDS: list[tuple[ServiceError, int]] = [
    (InvalidInput("question_too_long", "A question has at most 32,000 characters."), 400),
    (Unauthenticated("token_expired", "The token has expired."), 401),
    (Forbidden("service_only", "Only services may call this."), 403),
    (NotFound("unknown_conversation", "There is no such conversation."), 404),
    (AlreadyExists("exists", "It is there."), 409),
    (Conflict("conversation_busy", "A turn is running.", turn_id=TURN), 409),
    (Exhausted("quota_spent", "Come back later.", retry_after_seconds=6.2), 429),
    (Unavailable("service_unavailable"), 503),
    (Timeout("deadline_exceeded"), 504),
    (Unimplemented("not_implemented", "StartTurn is not served by this version."), 501),
    (Internal("internal_error", "Something went wrong on our side."), 500),
]


def assert_problem(answer: httpx.Response, status: int, reason: str) -> dict[str, object]:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    body = answer.json()
    assert (answer.status_code, body["status"], body["reason"]) == (status, status, reason)
    assert body["type"] == "about:blank"
    assert body["title"] and body["detail"]
    assert len(body["trace_id"]) == 32
    assert body["trace_id"] in answer.headers["traceresponse"]
    return body


@pytest.mark.parametrize(("error", "status"), KINDS, ids=lambda value: getattr(value, "kind", str(value)))
async def test_each_kind_of_failure_has_its_status(rig: Rig, error: ServiceError, status: int) -> None:
    rig.orchestrator.answers["StartTurn"] = error
    answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
    body = assert_problem(answer, status, error.reason)
    assert body["detail"] == error.message
    assert body.items() >= error.metadata.items()
    assert answer.headers.get("retry-after") == ("7" if isinstance(error, Exhausted) else None)
    assert answer.headers.get("www-authenticate") == ("Bearer" if isinstance(error, Unauthenticated) else None)


async def test_metadata_never_replace_what_every_problem_has(rig: Rig) -> None:
    rig.orchestrator.answers["StartTurn"] = Conflict("busy", "A turn is running.", status="200", trace_id="x")
    answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
    assert_problem(answer, 409, "busy")


async def test_a_fault_of_ours_says_nothing_of_itself(rig: Rig) -> None:
    rig.orchestrator.answers["StartTurn"] = RuntimeError("secret text of a fault")
    answer = await rig.http.post("/api/v1/chat", json={"message": "hi"}, headers=rig.as_())
    assert_problem(answer, 500, "internal_error")
    assert "secret" not in answer.text
    assert [event for event, _ in rig.log.lines] == ["request_failed"]


@pytest.mark.parametrize("body", [b"{", b"", b"not json", b'{"message": "a"', b"\xff\xfe"])
async def test_malformed_json_is_a_bad_request(rig: Rig, body: bytes) -> None:
    headers = {**rig.as_(), "content-type": "application/json"}
    answer = await rig.http.post("/api/v1/chat", content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["reason"] in ("malformed_json", "invalid_request", "malformed_request")


async def test_a_body_of_the_wrong_shape_names_its_fields_and_does_not_repeat_the_input(rig: Rig) -> None:
    wrong = {"message": 5, "mode": "SECRET_MODE", "domains": ["a", {"secret": 1}]}
    answer = await rig.http.post("/api/v1/chat", json=wrong, headers=rig.as_())
    body = assert_problem(answer, 400, "invalid_request")
    assert {field["field"] for field in body["fields"]} == {"body.message", "body.mode", "body.domains.1"}
    assert "secret" not in answer.text.lower()


@pytest.mark.parametrize(
    "body",
    [
        '{"message": "\\ud800"}',
        '{"message": "a", "domains": ["\\udfff"]}',
        '{"message": null}',
        '{"message": "a", "conversation_id": 7}',
        '["message"]',
        "null",
        "5",
    ],
)
async def test_values_that_no_message_can_carry_are_bad_requests(rig: Rig, body: str) -> None:
    headers = {**rig.as_(), "content-type": "application/json"}
    answer = await rig.http.post("/api/v1/chat", content=body.encode(), headers=headers)
    assert_problem(answer, 400, "invalid_request")


async def test_numbers_beyond_the_contract_are_bad_requests(rig: Rig) -> None:
    upload = {"file_name": "a.md", "size": 2**70, "sha256": "0" * 64}
    assert (await rig.http.post("/api/v1/uploads", json=upload, headers=rig.as_())).status_code == 400
    part = await rig.http.put(f"/api/v1/uploads/{TURN}/parts/{2**40}", content=b"x", headers=rig.as_())
    assert part.status_code == 400
    for query in ("limit=0", "limit=201", "limit=x", "after=-1"):
        path = f"/api/v1/turns/{TURN}/events" if "after" in query else "/api/v1/documents"
        answer = await rig.http.get(f"{path}?{query}", headers=rig.as_())
        assert_problem(answer, 400, "invalid_request")


async def test_the_longest_question_that_is_read_reaches_the_rule_and_a_longer_body_does_not(rig: Rig) -> None:
    rig.orchestrator.answers["StartTurn"] = lambda request: InvalidInput("question_too_long", str(len(request.message)))
    answer = await rig.http.post("/api/v1/chat", json={"message": "x" * 200_000}, headers=rig.as_())
    assert assert_problem(answer, 400, "question_too_long")["detail"] == "200000"
    answer = await rig.http.post("/api/v1/chat", json={"message": "x" * 300_000}, headers=rig.as_())
    assert_problem(answer, 413, "body_too_large")

    async def without_length() -> object:
        for _ in range(40):
            yield b"x" * 10_000

    headers = {**rig.as_(), "content-type": "application/json"}
    answer = await rig.http.post("/api/v1/chat", content=without_length(), headers=headers)
    assert_problem(answer, 413, "body_too_large")
    assert len(rig.orchestrator.started) == 1


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/chat/", "/api/v2/chat", "/nothing", "/api/v1/turns"])
async def test_an_unknown_path_is_a_problem(rig: Rig, path: str) -> None:
    assert_problem(await rig.http.get(path, headers=rig.as_()), 404, "unknown_path")
    assert_problem(await rig.http.post(path, headers=rig.as_()), 404, "unknown_path")


async def test_a_known_path_with_another_method_says_which_it_takes(rig: Rig) -> None:
    answer = await rig.http.delete("/api/v1/chat", headers=rig.as_())
    assert_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


async def test_every_answer_carries_the_security_headers(rig: Rig) -> None:
    for path in ("/healthz", "/", "/docs", "/api/v1/auth/me"):
        headers = (await rig.http.get(path)).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
    assert (await rig.http.get("/api/v1/auth/me")).headers["cache-control"] == "no-store"


async def test_a_request_is_one_server_span_in_the_callers_trace(rig: Rig) -> None:
    trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
    headers = {**rig.as_(), "traceparent": f"00-{trace_id}-00f067aa0ba902b7-01"}
    rig.orchestrator.answers["CancelTurn"] = NotFound("unknown_turn")
    answer = await rig.http.post(f"/api/v1/turns/{TURN}/cancel", headers=headers)
    assert json.loads(answer.content)["trace_id"] == trace_id
    await rig.telemetry.close()
    (span,) = rig.spans.get_finished_spans()
    assert (span.name, span.kind.name) == ("POST /api/v1/turns/{turn_id}/cancel", "SERVER")
    assert span.attributes == {
        "http.request.method": "POST",
        "http.route": "/api/v1/turns/{turn_id}/cancel",
        "http.response.status_code": 404,
    }


async def test_requests_are_counted_by_route(rig: Rig) -> None:
    await rig.http.get("/api/v1/auth/me", headers=rig.as_())
    await rig.http.request("BREW", "/api/v1/auth/me")
    figures = (await rig.http.get("/metrics")).text
    assert 'http_request_seconds_count{method="GET",route="/api/v1/auth/me",status="404"} 1.0' in figures
    assert "BREW" not in figures


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
async def test_a_refusal_has_a_trace_even_where_answers_have_none(rig: Rig, path: str) -> None:
    assert_problem(await rig.http.post(path), 405, "method_not_allowed")
    assert "traceresponse" not in (await rig.http.get(path)).headers
