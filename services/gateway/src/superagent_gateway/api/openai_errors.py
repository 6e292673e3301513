"""Failures under /v1 in OpenAI's shape; `code` is our stable reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import JSONResponse, Response

_PREFIX = "/v1/"


def is_openai(path: str) -> bool:
    """Whether who asks there expects OpenAI's shapes."""
    return f"{path}/".startswith(_PREFIX)


def error_body(status: int, reason: str, message: str, param: str | None = None) -> dict[str, Any]:
    """The shape itself."""
    return {"error": {"message": message, "type": _error_type(status), "param": param, "code": reason}}


def error_answer(
    status: int, reason: str, message: str, headers: Mapping[str, str] | None = None, param: str | None = None
) -> Response:
    """An HTTP answer of it."""
    return JSONResponse(error_body(status, reason, message, param), status, headers)


def invalid_answer(faults: Sequence[Any]) -> Response:
    """The answer to a request of the wrong shape; of what a validator found, the fault that is deepest in the request."""
    fault = max(faults, key=lambda each: len(each["loc"]))
    param = _param(fault["loc"])
    return error_answer(400, "invalid_request", f"{param or 'body'}: {fault['msg']}", param=param or None)


def _param(place: Sequence[str | int]) -> str:
    """A place as OpenAI writes it, `messages[0].content`, without the names of a union's branches."""
    where, *rest = place
    if where != "body":
        return ".".join(map(str, rest))
    told = ""
    for step in rest:
        if isinstance(step, int):
            told += f"[{step}]"
        elif step.isidentifier():
            told += f".{step}" if told else step
    return told


def _error_type(status: int) -> str:
    named = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    return named.get(status, "invalid_request_error" if status < 500 else "server_error")
