"""Spans and figures of one service. Passed explicitly: two services in one process keep their own `service.name`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Span, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue
from prometheus_client import CollectorRegistry, Histogram

from superagent_common.errors import reason_of
from superagent_common.otlp import OtlpExporter

PROPAGATOR = TraceContextTextMapPropagator()
_EXPORT_EVERY_MS = 1000
_EXPORT_TIMEOUT_SECONDS = 2
_CLOSE_SECONDS = 0.5


class Telemetry:
    """One service's tracer and metrics registry."""

    def __init__(
        self,
        service: str,
        *,
        otlp_endpoint: str = "",
        sample_ratio: float = 1.0,
        exporter: SpanExporter | None = None,
    ) -> None:
        """Exports to `otlp_endpoint` (host:port, plain gRPC) or to `exporter`; to nowhere when both are missing."""
        self.service = service
        self.registry = CollectorRegistry()
        self.rpc_seconds = Histogram(
            "rpc_server_seconds",
            "Duration of served calls.",
            ("method", "code"),
            registry=self.registry,
            buckets=(0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60),
        )
        self._provider = TracerProvider(
            resource=Resource({"service.name": service}),
            sampler=ParentBased(TraceIdRatioBased(sample_ratio)),
            shutdown_on_exit=False,
        )
        if otlp_endpoint and exporter is None:
            exporter = OtlpExporter(otlp_endpoint, service, _EXPORT_TIMEOUT_SECONDS)
        if exporter:
            self._provider.add_span_processor(
                BatchSpanProcessor(exporter, schedule_delay_millis=_EXPORT_EVERY_MS, max_export_batch_size=512)
            )
        self.tracer: Tracer = self._provider.get_tracer(service)

    @contextmanager
    def span(
        self, name: str, kind: SpanKind = SpanKind.INTERNAL, attributes: Mapping[str, AttributeValue] | None = None
    ) -> Iterator[Span]:
        """A span that is failed by an exception with the error's reason only: exception texts stay out of traces."""
        with self.tracer.start_as_current_span(
            name,
            kind=kind,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield span  # type: ignore[misc]
            except asyncio.CancelledError:
                span.set_attribute("superagent.cancelled", True)
                raise
            except BaseException as error:
                fail(span, error)
                raise

    async def close(self) -> None:
        """Sends what is waiting and stops, in half a second at most: whoever takes spans may be gone already."""
        # A thread of its own that nobody must wait for when the process ends.
        closing = threading.Thread(target=self._provider.shutdown, daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, _CLOSE_SECONDS)


def fail(span: trace.Span, error: BaseException) -> None:
    """Marks a span as failed by an error, by reason and type, never by its text."""
    reason = reason_of(error)
    span.set_attribute("error.type", reason)
    span.set_status(Status(StatusCode.ERROR, reason))


def traceparent(span: trace.Span | None = None) -> str:
    """A span, the current one unless given, as a W3C `traceparent` value; empty outside of one."""
    context = (span or trace.get_current_span()).get_span_context()
    if not context.is_valid:
        return ""
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def current_trace_id() -> str:
    """Trace id of the current span as 32 hexadecimal digits; empty outside of one."""
    context = trace.get_current_span().get_span_context()
    return format(context.trace_id, "032x") if context.is_valid else ""
