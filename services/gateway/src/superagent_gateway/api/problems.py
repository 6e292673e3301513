"""Failures as problem+json (RFC 9457): a reason for programs, a sentence for people, never an exception's text.

Under /v1 they have OpenAI's shape instead.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

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
    internal_error,
)
from superagent_common.telemetry import current_trace_id
from superagent_gateway.api import openai_errors

MEDIA_TYPE = "application/problem+json"
_STATUS: dict[type[ServiceError], int] = {
    InvalidInput: 400,
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    AlreadyExists: 409,
    Conflict: 409,
    Exhausted: 429,
    Unavailable: 503,
    Timeout: 504,
    Unimplemented: 501,
    Internal: 500,
}
_HTTP_REASONS = {
    400: ("malformed_request", "The request is not well formed."),
    404: ("unknown_path", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not take this method."),
    408: ("request_too_slow", "The request did not arrive in time."),
    413: ("body_too_large", "The request's body is larger than allowed here."),
    431: ("head_too_large", "The request's line and headers are larger than allowed."),
}
_MEMBERS = frozenset(("type", "title", "status", "detail", "reason", "trace_id", "fields"))


def problem(
    status: int, reason: str, detail: str, headers: Mapping[str, str] | None = None, **members: Any
) -> Response:
    """A problem+json answer."""
    body = {"type": "about:blank", **_members(status, reason, detail), **members}
    return Response(
        json.dumps(body, ensure_ascii=False).encode(), status, headers=dict(headers or {}), media_type=MEDIA_TYPE
    )


def problem_of(error: ServiceError) -> Response:
    """The answer for a kind of failure; its metadata become members."""
    return problem(status_of(error), error.reason, error.message, headers_of(error), **_metadata(error))


def problem_members(error: ServiceError) -> dict[str, Any]:
    """The members of a problem without its `type`, for where no HTTP answer carries it; `retry_after` in seconds."""
    wait = {"retry_after": whole_seconds(error.retry_after_seconds)} if isinstance(error, Exhausted) else {}
    return _members(status_of(error), error.reason, error.message) | wait | _metadata(error)


def status_of(error: ServiceError) -> int:
    """The HTTP status of a kind of failure."""
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)


def headers_of(error: ServiceError) -> dict[str, str]:
    """What an HTTP answer says of a failure beside its body."""
    headers = {}
    if isinstance(error, Exhausted):
        headers["retry-after"] = str(whole_seconds(error.retry_after_seconds))
    if isinstance(error, Unauthenticated):
        headers["www-authenticate"] = "Bearer"
    return headers


def whole_seconds(seconds: float) -> int:
    """A wait as `Retry-After` says it: whole seconds, at least one."""
    return max(1, math.ceil(seconds))


def _members(status: int, reason: str, detail: str) -> dict[str, Any]:
    return {
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "reason": reason,
        "trace_id": current_trace_id(),
    }


def _metadata(error: ServiceError) -> dict[str, str]:
    return {key: value for key, value in error.metadata.items() if key not in _MEMBERS}


def http_problem(status: int, headers: Mapping[str, str] | None = None) -> Response:
    """The answer for what HTTP itself finds wrong."""
    reason, detail = reason_of_status(status)
    return problem(status, reason, detail, headers)


def reason_of_status(status: int) -> tuple[str, str]:
    """Reason and sentence of what HTTP itself finds wrong."""
    return _HTTP_REASONS.get(status, ("request_failed", HTTPStatus(status).phrase))


def internal_failure(path: str) -> Response:
    """The answer for a fault of ours."""
    return _failure(path, internal_error())


def render_failures(app: FastAPI) -> None:
    """Gives every failure of `app` its shape."""
    app.add_exception_handler(ServiceError, _service_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)


async def _service_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServiceError)
    return _failure(request.url.path, error)


def _failure(path: str, error: ServiceError) -> Response:
    if openai_errors.is_openai(path):
        param = error.metadata.get("param")
        return openai_errors.error_answer(status_of(error), error.reason, error.message, headers_of(error), param)
    return problem_of(error)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if openai_errors.is_openai(request.url.path):
        return openai_errors.error_answer(error.status_code, *reason_of_status(error.status_code), error.headers)
    return http_problem(error.status_code, error.headers)


async def _invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = error.errors()
    is_openai = openai_errors.is_openai(request.url.path)
    if any(fault["type"] == "json_invalid" for fault in faults):
        answer = openai_errors.error_answer if is_openai else problem
        return answer(400, "malformed_json", "The body is not well-formed JSON.")
    if is_openai:
        return openai_errors.invalid_answer(faults)
    return problem(
        400, "invalid_request", "The request does not have the shape that is expected here.", fields=fields_of(faults)
    )


def fields_of(faults: Sequence[Any]) -> list[dict[str, str]]:
    """What a validator found, by field; its messages name types and limits, the input itself stays out."""
    return [{"field": ".".join(map(str, fault["loc"])), "problem": str(fault["msg"])} for fault in faults[:20]]
