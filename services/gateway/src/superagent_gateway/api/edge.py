"""What surrounds every HTTP request: its span, its figures, security headers, and the last catch."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, use_span
from prometheus_client import Histogram
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from superagent_common.identity.context import set_identity
from superagent_common.logging import Logger
from superagent_common.telemetry import PROPAGATOR, Telemetry, fail, traceparent
from superagent_gateway.api.problems import http_problem, internal_failure

_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_READS = frozenset(("GET", "HEAD"))
_PERSONAL = ("/api/", "/v1/")
_UNTRACED = frozenset(("/healthz", "/readyz", "/metrics"))
# WebAssembly: the page hashes files with it. Inline styles: its component library makes them.
# No other origin, no frames, no plug-ins.
_POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_SECURITY_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
_NO_STORE = (b"cache-control", b"no-store")


class Edge:
    """Pure ASGI, so that streams pass untouched and no task is made per request."""

    def __init__(
        self,
        app: ASGIApp,
        telemetry: Telemetry,
        log: Logger,
        body_limit: Callable[[Scope], int],
        body_seconds: float,
    ) -> None:
        """`body_limit` gives the bytes that a request's body may have, `body_seconds` how long it may stand still."""
        self._body_limit = body_limit
        self._body_seconds = body_seconds
        self._app = app
        self._tracer = telemetry.tracer
        self._log = log
        self._seconds = Histogram(
            "http_request_seconds",
            "Duration of HTTP requests by route; streams last as long as somebody watches.",
            ("method", "route", "status"),
            registry=telemetry.registry,
            buckets=(0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        set_identity(None)
        if scope["path"] in _UNTRACED and scope["method"] in _READS:
            await self._app(scope, receive, _with_headers(send, b""))
            return
        started = time.perf_counter()
        status = 0
        # A client may invent methods; figures and span names must not grow with them.
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        span = self._tracer.start_span(method, PROPAGATOR.extract(_trace_headers(scope)), SpanKind.SERVER)
        sending = _with_headers(send, traceparent(span).encode(), personal=f"{scope['path']}/".startswith(_PERSONAL))

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await sending(message)

        try:
            with use_span(span, record_exception=False, set_status_on_exception=False):
                try:
                    await self._app(
                        scope, _bounded(receive, scope, self._body_limit(scope), self._body_seconds), counted
                    )
                except Exception as error:  # noqa: BLE001 - the border: nothing but an opaque problem leaves
                    fail(span, error)
                    self._log.error("request_failed", method=scope["method"], path=scope["path"], exc_info=error)
                    if not status:
                        await internal_failure(scope["path"])(scope, receive, counted)
        except asyncio.CancelledError:
            span.set_attribute("superagent.cancelled", True)
            raise
        finally:
            route = getattr(scope.get("route"), "path", "unknown")
            _finish(span, method, route, status)
            self._seconds.labels(method, route, str(status)).observe(time.perf_counter() - started)


def refusal(telemetry: Telemetry, status: int) -> bytes:
    """The whole answer to what is no request, so that no application ever sees it; the connection ends with it."""
    with telemetry.span("OTHER unknown", SpanKind.SERVER, {"http.response.status_code": status}) as span:
        answer = http_problem(status, {"connection": "close"})
        headers = [*answer.raw_headers, *_SECURITY_HEADERS, _NO_STORE, (b"traceresponse", traceparent(span).encode())]
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode(), *(b": ".join(header) for header in headers)]
    return b"\r\n".join((*lines, b"", bytes(answer.body)))


def _bounded(receive: Receive, scope: Scope, limit: int, seconds: float) -> Receive:
    """Breaks off a body that is too large, declared or not, and one that stops coming."""
    declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    size = int(declared) if declared.isdigit() else 0
    received = 0
    whole = False

    async def bounded() -> Message:
        nonlocal received, whole
        if whole:
            return await receive()
        if size > limit:
            raise HTTPException(413)
        try:
            async with asyncio.timeout(seconds):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, headers={"connection": "close"}) from None
        received += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        if received > limit:
            raise HTTPException(413)
        return message

    return bounded


def _trace_headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in scope["headers"]
        if name in (b"traceparent", b"tracestate")
    }


def _with_headers(send: Send, trace_response: bytes, *, personal: bool = False) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[Any] = [*message.get("headers", ()), *_SECURITY_HEADERS]
            if trace_response:
                headers.append((b"traceresponse", trace_response))
            if personal and not any(name == b"cache-control" for name, _ in headers):
                headers.append(_NO_STORE)
            message = {**message, "headers": headers}
        await send(message)

    return sending


def _finish(span: Span, method: str, route: str, status: int) -> None:
    span.update_name(f"{method} {route}")
    span.set_attributes({"http.request.method": method, "http.route": route, "http.response.status_code": status})
    if status >= 500:
        span.set_status(Status(StatusCode.ERROR))
    span.end()
