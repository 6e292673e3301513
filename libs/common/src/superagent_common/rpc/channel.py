"""Channels that generated stubs are made on: each call carries identity, deadline and trace, and fails as a kind.

A wrapper, not grpc.aio's client interceptors: those cost a task per call.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from opentelemetry.trace import Span, SpanKind, set_span_in_context

from superagent_common.errors import Unavailable
from superagent_common.identity import ServiceTokens
from superagent_common.identity.context import identity_or_none
from superagent_common.rpc.deadline import remaining
from superagent_common.rpc.server import MAX_MESSAGE_BYTES
from superagent_common.rpc.status import error_from_rpc
from superagent_common.telemetry import PROPAGATOR, Telemetry, fail

DEFAULT_TIMEOUT_SECONDS = 30.0
"""For unary calls without a deadline of their own."""
_SUBJECT_MARGIN_SECONDS = 5
_TRIES = 3
_RETRY_BUDGET = 10.0
_OPTIONS = (
    # Services call each other directly; the environment's proxy is for the outside, and gRPC would take it for a list of
    # addresses even where no_proxy names them.
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.service_config", json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})),
)


class _Source:
    """A stream of requests that keeps what it failed with: gRPC shows that to the caller as a mere cancellation."""

    def __init__(self, requests: AsyncIterable[Any]) -> None:
        self._requests = requests
        self.failure: Exception | None = None

    async def __aiter__(self) -> AsyncIterator[Any]:
        try:
            async for request in self._requests:
                yield request
        except Exception as error:
            self.failure = error
            raise


class Channel:
    """Give it to a generated stub: `MemoryServiceStub(Channel(...))`. Stub methods take the message and `timeout=`.

    Only UNAVAILABLE is tried again (three tries, 50 to 400 ms apart), only for unary requests, and only while a tenth of recent
    calls or fewer were retries, so that a struggling service is not beaten down. What a stream of requests raises, the call
    raises.
    """

    def __init__(
        self,
        address: str,
        telemetry: Telemetry,
        tokens: ServiceTokens,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._channel = grpc.aio.insecure_channel(address, options=_OPTIONS)
        self._telemetry = telemetry
        self._tokens = tokens
        self._clock = clock
        self._retry_budget = _RETRY_BUDGET

    async def close(self) -> None:
        await self._channel.close()

    def unary_unary(self, path: str, **codec: Any) -> Any:
        return self._unary(path, self._channel.unary_unary(path, **codec), repeatable=True)

    def stream_unary(self, path: str, **codec: Any) -> Any:
        start = self._channel.stream_unary(path, **codec)

        async def send(requests: AsyncIterable[Any], **options: Any) -> Any:
            source = _Source(requests)
            try:
                return await start(source, **options)
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if source.failure is None or (task and task.cancelling()):
                    raise
                raise source.failure from None

        return self._unary(path, send, repeatable=False)

    def unary_stream(self, path: str, **codec: Any) -> Any:
        return self._streaming(path, self._channel.unary_stream(path, **codec))

    def stream_stream(self, path: str, **codec: Any) -> Any:
        return self._streaming(path, self._channel.stream_stream(path, **codec))

    def _unary(self, path: str, start: Any, *, repeatable: bool) -> Any:
        async def call(request: Any, timeout: float | None = DEFAULT_TIMEOUT_SECONDS) -> Any:
            with self._client_span(path) as span:
                attempt = 1
                while True:
                    try:
                        answer = await start(request, metadata=self._metadata(span), timeout=remaining(timeout))
                        self._retry_budget = min(_RETRY_BUDGET, self._retry_budget + 0.1)
                        return answer
                    except grpc.RpcError as failure:
                        error = error_from_rpc(failure)
                    if not (isinstance(error, Unavailable) and repeatable and attempt < _TRIES and self._spend_retry()):
                        raise error
                    await asyncio.sleep(random.uniform(0.05, 0.1 * 2**attempt))
                    attempt += 1

        return call

    def _streaming(self, path: str, start: Any) -> Any:
        async def call(request: Any, timeout: float | None = None) -> AsyncIterator[Any]:
            with self._client_span(path) as span:
                stream = start(request, metadata=self._metadata(span), timeout=remaining(timeout))
                try:
                    async for response in stream:
                        yield response
                except grpc.RpcError as failure:
                    raise error_from_rpc(failure) from None
                finally:
                    stream.cancel()

        return call

    @contextmanager
    def _client_span(self, path: str) -> Iterator[Span]:
        """A span that is not made current: a stream's consumer runs between two events in the same context."""
        span = self._telemetry.tracer.start_span(path[1:], None, SpanKind.CLIENT, {"rpc.system": "grpc"})
        try:
            yield span
        except (asyncio.CancelledError, GeneratorExit):
            span.set_attribute("superagent.cancelled", True)
            raise
        except BaseException as error:
            fail(span, error)
            raise
        finally:
            span.end()

    def _spend_retry(self) -> bool:
        if self._retry_budget < 1:
            return False
        self._retry_budget -= 1
        return True

    def _metadata(self, span: Span) -> tuple[tuple[str, str], ...]:
        carrier: dict[str, str] = {}
        PROPAGATOR.inject(carrier, set_span_in_context(span))
        identity = identity_or_none()
        principal = identity.principal if identity else None
        if (
            identity
            and identity.subject_token
            and identity.subject_expires_at > self._clock() + _SUBJECT_MARGIN_SECONDS
        ):
            carrier["superagent-subject"] = identity.subject_token
            principal = None
        carrier["authorization"] = f"Bearer {self._tokens.issue(principal)}"
        return tuple(carrier.items())
