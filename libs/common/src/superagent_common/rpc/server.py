"""One server per service: each call is identified, traced, counted, and its errors become statuses."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection as grpc_reflection
from opentelemetry.context import attach
from opentelemetry.trace import SpanKind, set_span_in_context

from superagent_common.errors import Forbidden, InvalidInput, ServiceError, Unauthenticated
from superagent_common.identity import Identity, TokenVerifier
from superagent_common.identity.context import set_identity
from superagent_common.logging import Logger
from superagent_common.rpc.deadline import set_deadline
from superagent_common.rpc.decoding import checked, checked_stream, tolerant
from superagent_common.rpc.status import code_of, status_of, unimplemented
from superagent_common.telemetry import PROPAGATOR, Telemetry, fail

Access = Literal["user", "service", "open", "open_untraced"]
"""Who may call: a person (or a service for one), a service, anyone; untraced is for OTLP, which would trace itself."""

_Read = Callable[[Any], Any]
_Behaviour = Callable[..., Any]

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
_HEALTH: dict[str, Access] = {
    "/grpc.health.v1.Health/Check": "open_untraced",
    "/grpc.health.v1.Health/Watch": "open_untraced",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": "open_untraced",
}


class CallInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[misc]
    """Wraps every handler with identity, deadline, span, metrics and error mapping."""

    def __init__(
        self, telemetry: Telemetry, verifier: TokenVerifier, access: Mapping[str, Access], log: Logger
    ) -> None:
        self._telemetry = telemetry
        self._verifier = verifier
        self._access = {**_HEALTH, **access}
        self.services = tuple(dict.fromkeys(method.split("/")[1] for method in access))
        """Full names of the services whose methods `access` names."""
        self._log = log
        self._wrapped: dict[str, Any] = {}

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        method = details.method
        wrapped = self._wrapped.get(method)
        if wrapped is None:
            handler = await continuation(details)
            if handler is None:
                return None
            wrapped = self._wrap(method, handler)
            self._wrapped[method] = wrapped
        return wrapped

    def _wrap(self, method: str, handler: Any) -> Any:
        access = self._access.get(method)
        read: _Read = checked_stream if handler.request_streaming else checked
        if handler.response_streaming:
            make = self._untraced if access == "open_untraced" else self._streaming
            behaviour = make(method, access, read, handler.unary_stream or handler.stream_stream)
            factory = (
                grpc.stream_stream_rpc_method_handler
                if handler.request_streaming
                else grpc.unary_stream_rpc_method_handler
            )
        else:
            make = self._untraced if access == "open_untraced" else self._unary
            behaviour = make(method, access, read, handler.unary_unary or handler.stream_unary)
            factory = (
                grpc.stream_unary_rpc_method_handler
                if handler.request_streaming
                else grpc.unary_unary_rpc_method_handler
            )
        return factory(behaviour, tolerant(handler.request_deserializer), handler.response_serializer)

    def _unary(self, method: str, access: Access | None, read: _Read, behaviour: _Behaviour) -> _Behaviour:
        async def call(request: Any, context: grpc.aio.ServicerContext) -> Any:
            async with self._served(method, access, context):
                return await behaviour(read(request), context)

        return call

    def _streaming(self, method: str, access: Access | None, read: _Read, behaviour: _Behaviour) -> _Behaviour:
        async def call(request: Any, context: grpc.aio.ServicerContext) -> AsyncIterator[Any]:
            async with self._served(method, access, context):
                async for response in behaviour(read(request), context):
                    yield response

        return call

    def _untraced(self, method: str, access: Access | None, read: _Read, behaviour: _Behaviour) -> _Behaviour:
        """Neither identified nor traced; of other people's servicers, some yield responses and some write them."""

        async def call(request: Any, context: grpc.aio.ServicerContext) -> Any:
            async with _refusing(context):
                return await behaviour(read(request), context)

        async def stream(request: Any, context: grpc.aio.ServicerContext) -> AsyncIterator[Any]:
            async with _refusing(context):
                async for response in behaviour(read(request), context):
                    yield response

        return stream if inspect.isasyncgenfunction(behaviour) else call

    @asynccontextmanager
    async def _served(
        self, method: str, access: Access | None, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[None]:
        metadata = {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}
        started = time.perf_counter()
        code = grpc.StatusCode.OK
        span = self._telemetry.tracer.start_span(
            method[1:], PROPAGATOR.extract(metadata), SpanKind.SERVER, {"rpc.system": "grpc"}
        )
        try:
            # Attached for good: each call has a task of its own, and a stream that its caller left is closed by another.
            attach(set_span_in_context(span))
            set_identity(self._identify(access, metadata))
            set_deadline(context.time_remaining())
            yield
        except (asyncio.CancelledError, GeneratorExit):
            code = grpc.StatusCode.CANCELLED
            raise
        except grpc.aio.AbortError:
            code = context.code() or grpc.StatusCode.UNKNOWN
            raise
        except BaseException as error:  # noqa: BLE001 - the border: nothing but a status leaves a service
            if isinstance(error, NotImplementedError):
                # Raised by the generated base class: in the contract, not served yet.
                error = unimplemented(method.rpartition("/")[2])
            code = code_of(error)
            fail(span, error)
            if not isinstance(error, ServiceError):
                self._log.error("call_failed", method=method, exc_info=error)
            await context.abort_with_status(status_of(error))
        finally:
            span.set_attribute("rpc.grpc.status_code", code.value[0])
            span.end()
            self._telemetry.rpc_seconds.labels(method, code.name).observe(time.perf_counter() - started)

    def _identify(self, access: Access | None, metadata: dict[str, str]) -> Identity | None:
        if access == "open":
            return None
        scheme, _, token = metadata.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("token_missing", "Send a bearer token.")
        caller = self._verifier.verify(token)
        # Not for a token that a service carries: the gateway judged it at the door, and a running turn goes on.
        self._verifier.check_version(caller)
        if access == "service" and not caller.service:
            raise Forbidden("service_only", "Only services may call this.")
        if access is None:
            raise Forbidden("not_declared", "This call is not open to anyone.")
        subject = metadata.get("superagent-subject")
        if subject and caller.service:
            person = self._verifier.verify(subject)
            if person.service:
                raise Unauthenticated("token_invalid", "The subject is not a person.")
            return replace(person, service=caller.service)
        if access == "user" and caller.principal is None:
            raise Unauthenticated("no_person", "This call must be made for a person.")
        return caller


@asynccontextmanager
async def _refusing(context: grpc.aio.ServicerContext) -> AsyncIterator[None]:
    try:
        yield
    except InvalidInput as error:
        await context.abort_with_status(status_of(error))


class Readiness:
    """What the health check says: one answer for the whole service."""

    def __init__(self, servicer: health.aio.HealthServicer, names: tuple[str, ...]) -> None:
        self._servicer = servicer
        self._names = names

    async def set(self, serving: bool) -> None:
        """SERVING or NOT_SERVING, for the whole and each service's name."""
        status = health_pb2.HealthCheckResponse.SERVING if serving else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in ("", *self._names):
            await self._servicer.set(name, status)


@asynccontextmanager
async def serve(
    listen: str,
    interceptor: CallInterceptor,
    add_servicers: Sequence[Callable[[grpc.aio.Server], None]],
    *,
    reflection: bool,
    grace_seconds: float,
) -> AsyncIterator[Readiness]:
    """Serves until the block ends: then not ready, no new calls, `grace_seconds` for running ones, cut off.

    Each of `add_servicers` adds one; health and reflection name the services that the interceptor knows.
    """
    server = grpc.aio.server(
        interceptors=(interceptor,),
        options=(
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
            ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
            ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        ),
    )
    for add_servicer in add_servicers:
        add_servicer(server)
    servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    if reflection:
        grpc_reflection.enable_server_reflection(
            (*interceptor.services, health.SERVICE_NAME, grpc_reflection.SERVICE_NAME), server
        )
    server.add_insecure_port(listen)
    await server.start()
    readiness = Readiness(servicer, interceptor.services)
    await readiness.set(True)
    try:
        yield readiness
    finally:
        await servicer.enter_graceful_shutdown()
        await server.stop(grace_seconds)
