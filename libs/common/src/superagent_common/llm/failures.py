"""What an endpoint's failure means to us. Neither bodies nor headers of it reach a message: they may hold the key or a prompt."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping

from superagent_common.errors import Exhausted, ServiceError, Timeout, Unavailable

REJECTED_REQUEST = "model_rejected_request"
"""Reason of failures that are this request's fault, not the endpoint's."""

_RETRY_AFTER_UNKNOWN_SECONDS = 5.0
_RETRY_AFTER_LIMIT_SECONDS = 3600.0
_SAFE_CODE = re.compile(r"[a-z][a-z0-9_.]{0,63}")


def failure_of_status(status: int, headers: Mapping[str, str], body: bytes) -> ServiceError:
    """The kind for an HTTP status that is not 200."""
    detail = f"the model endpoint answered {status}"
    code = _error_code(body)
    if code is not None:
        detail = f"{detail} ({code})"
    match status:
        case 401 | 403:
            return Unavailable("model_auth", detail)
        case 402:
            return Unavailable("model_payment_required", detail)
        case 404:
            return Unavailable("model_not_found", detail)
        case 408 | 504:
            return Timeout("model_timeout", detail)
        case 429:
            return Exhausted("model_rate_limited", detail, retry_after_seconds=_retry_after_seconds(headers))
    if 400 <= status < 500:
        return Unavailable(REJECTED_REQUEST, detail)
    return Unavailable("model_down", detail)


def failure_of_event(error: object) -> ServiceError:
    """The kind for an error object inside an answer of status 200 (vLLM, OpenRouter); a numeric code is a status."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return failure_of_status(code, {}, b"")
    return Unavailable("model_failed", "the model endpoint reported an error in its answer")


def bad_response(what: str) -> Unavailable:
    return Unavailable("model_bad_response", f"the model endpoint sent {what}")


def stream_broken() -> Unavailable:
    return Unavailable("model_stream_broken", "the model's answer broke off")


def _error_code(body: bytes) -> str | None:
    """`error.code` or `error.type` where it is an identifier: safe to show, unlike the message."""
    try:
        error = json.loads(body)["error"]
        candidates = (error.get("code"), error.get("type"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return next((item for item in candidates if isinstance(item, str) and _SAFE_CODE.fullmatch(item)), None)


def _retry_after_seconds(headers: Mapping[str, str]) -> float:
    """Retry-After as seconds or HTTP date (RFC 9110), at most an hour; 5 s when the endpoint does not say."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value):
        seconds = float(value)
    else:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return _RETRY_AFTER_UNKNOWN_SECONDS
    return min(max(seconds, 0.0), _RETRY_AFTER_LIMIT_SECONDS)
