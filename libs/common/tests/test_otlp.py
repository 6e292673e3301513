"""Spans over OTLP: as the SDK's own encoder writes them, and a receiver that is away holds nobody up."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from superagent_common.errors import NotFound
from superagent_common.otlp import OtlpExporter, message
from superagent_common.telemetry import PROPAGATOR, Telemetry

_ATTRIBUTES = {
    "text": "für 你",
    "yes": True,
    "count": 7,
    "share": 0.5,
    "many": ("a", "b"),
    "numbers": (1, 2),
    "map": {"a": 1},
}


@pytest.fixture
async def spans() -> list[ReadableSpan]:
    exporter = InMemorySpanExporter()
    telemetry = Telemetry("memory", exporter=exporter)
    remote = PROPAGATOR.extract({"traceparent": f"00-{1:032x}-{2:016x}-01", "tracestate": "vendor=1"})
    telemetry.tracer.start_span("from elsewhere", remote, SpanKind.SERVER, _ATTRIBUTES).end()
    for kind in SpanKind:
        with telemetry.span("outer"), telemetry.span("inner", kind, {"n": kind.value}):
            pass
    with pytest.raises(NotFound), telemetry.span("failed"):
        raise NotFound("unknown_note")
    await telemetry.close()
    return list(exporter.get_finished_spans())


def test_spans_are_encoded_as_the_sdk_does(spans: list[ReadableSpan]) -> None:
    assert len(spans) == 12
    assert message(spans, "memory") == encode_spans(spans)


class _Receiver(TraceServiceServicer):  # type: ignore[misc]
    def __init__(self) -> None:
        self.names: list[str] = []

    def Export(self, request: Any, context: Any) -> ExportTraceServiceResponse:
        self.names += [span.name for span in request.resource_spans[0].scope_spans[0].spans]
        return ExportTraceServiceResponse()


def test_a_batch_is_sent_or_dropped_in_time(tmp_path: Path, spans: list[ReadableSpan]) -> None:
    receiver = _Receiver()
    server = grpc.server(ThreadPoolExecutor(1))
    add_TraceServiceServicer_to_server(receiver, server)
    server.add_insecure_port(f"unix:{tmp_path}/otlp.sock")
    server.start()
    taking = OtlpExporter(f"unix:{tmp_path}/otlp.sock", "memory", timeout_seconds=30)
    away = OtlpExporter(f"unix:{tmp_path}/nobody.sock", "memory", timeout_seconds=0.05)
    try:
        assert taking.export(spans) is SpanExportResult.SUCCESS
        assert receiver.names == [span.name for span in spans]
        assert away.export(spans) is SpanExportResult.FAILURE
    finally:
        for exporter in (taking, away):
            exporter.shutdown()
        server.stop(None)
