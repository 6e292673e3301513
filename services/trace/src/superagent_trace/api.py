"""Contract messages ↔ domain, nothing else."""

from __future__ import annotations

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as otlp
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceServicer as OtlpServicer
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2 as otlp_trace

from superagent.orchestrator.v1 import events_pb2
from superagent.trace.v1 import trace_pb2 as pb
from superagent.trace.v1.trace_pb2_grpc import TraceServiceServicer
from superagent_common.clock import timestamp
from superagent_common.identity import current_principal
from superagent_common.rpc import Access
from superagent_trace.application import Traces
from superagent_trace.domain import Span, SpanKind, Turn
from superagent_trace.ports import TraceStore

_SERVICE = "/superagent.trace.v1.TraceService/"
ACCESS: dict[str, Access] = {
    _SERVICE + "ListTurns": "user",
    _SERVICE + "GetTurn": "user",
    _SERVICE + "GetUsage": "user",
    _SERVICE + "GetHealth": "user",
    "/opentelemetry.proto.collector.trace.v1.TraceService/Export": "open_untraced",
}
_KINDS: dict[int, SpanKind] = {
    otlp_trace.Span.SPAN_KIND_SERVER: "server",
    otlp_trace.Span.SPAN_KIND_CLIENT: "client",
    otlp_trace.Span.SPAN_KIND_PRODUCER: "producer",
    otlp_trace.Span.SPAN_KIND_CONSUMER: "consumer",
}
_ATTRIBUTE_CHARACTERS = 500
_NAME_CHARACTERS = 200


class TraceApi(TraceServiceServicer):  # type: ignore[misc]
    """`superagent.trace.v1.TraceService`."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces

    async def ListTurns(self, request: pb.ListTurnsRequest, context: grpc.aio.ServicerContext) -> pb.ListTurnsResponse:
        turns, cursor = await self._traces.turns(
            current_principal(), request.conversation_id, request.page.limit, request.page.cursor
        )
        return pb.ListTurnsResponse(turns=map(_summary, turns), next_cursor=cursor)

    async def GetTurn(self, request: pb.GetTurnRequest, context: grpc.aio.ServicerContext) -> pb.GetTurnResponse:
        turn, spans = await self._traces.turn(current_principal(), request.turn_id)
        return pb.GetTurnResponse(turn=events_pb2.TurnRecord.FromString(turn.record), spans=map(_span_message, spans))

    async def GetUsage(self, request: pb.GetUsageRequest, context: grpc.aio.ServicerContext) -> pb.GetUsageResponse:
        rows = await self._traces.usage(current_principal(), request.from_day, request.to_day)
        return pb.GetUsageResponse(
            rows=[
                pb.UsageRow(
                    day=row.day,
                    user_id=row.user_id,
                    model=row.model,
                    turns=row.turns,
                    input_tokens=row.input_tokens,
                    output_tokens=row.output_tokens,
                    cost=row.cost,
                )
                for row in rows
            ]
        )

    async def GetHealth(self, request: pb.GetHealthRequest, context: grpc.aio.ServicerContext) -> pb.GetHealthResponse:
        rows = await self._traces.health(current_principal())
        return pb.GetHealthResponse(
            services=[
                pb.ServiceHealth(
                    service=row.service,
                    calls=row.calls,
                    failures=row.failures,
                    last_seen_at=timestamp(row.last_seen_at),
                )
                for row in rows
            ]
        )


class OtlpApi(OtlpServicer):  # type: ignore[misc]
    """OTLP `Export`: open on the internal port, and not traced itself."""

    def __init__(self, store: TraceStore) -> None:
        self._store = store

    async def Export(
        self, request: otlp.ExportTraceServiceRequest, context: grpc.aio.ServicerContext
    ) -> otlp.ExportTraceServiceResponse:
        spans = [
            _span(span, service)
            for resource in request.resource_spans
            for service in (_attributes(resource.resource.attributes).get("service.name", "unknown"),)
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        if spans:
            await self._store.add_spans(spans)
        return otlp.ExportTraceServiceResponse()


def turn_of(record: events_pb2.TurnRecord) -> Turn:
    """The row of a finished turn."""
    return Turn(
        turn_id=record.turn_id,
        conversation_id=record.conversation_id,
        user_id=record.user_id,
        trace_id=record.trace_id,
        model=record.usage.model,
        started_at=record.started_at.ToMicroseconds(),
        input_tokens=record.usage.input_tokens,
        output_tokens=record.usage.output_tokens,
        cost=record.usage.cost,
        record=record.SerializeToString(),
    )


def _summary(turn: Turn) -> events_pb2.TurnRecord:
    record = events_pb2.TurnRecord.FromString(turn.record)
    record.ClearField("stages")
    mode, question = record.plan.mode, record.plan.original_question
    record.ClearField("plan")
    record.plan.mode, record.plan.original_question = mode, question
    return record


def _span(span: otlp_trace.Span, service: str) -> Span:
    return Span(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_span_id=span.parent_span_id.hex(),
        service=service[:60],
        name=span.name[:_NAME_CHARACTERS],
        kind=_KINDS.get(span.kind, "internal"),
        started_at=span.start_time_unix_nano // 1000,
        duration_us=max(0, span.end_time_unix_nano - span.start_time_unix_nano) // 1000,
        failed=span.status.code == otlp_trace.Status.STATUS_CODE_ERROR,
        attributes=_attributes(span.attributes),
    )


def _span_message(span: Span) -> pb.Span:
    return pb.Span(
        span_id=span.span_id,
        parent_span_id=span.parent_span_id,
        service=span.service,
        name=span.name,
        kind=span.kind,
        started_at=timestamp(span.started_at),
        duration_ms=span.duration_us / 1000,
        failed=span.failed,
        attributes=span.attributes,
    )


def _attributes(pairs: list[KeyValue]) -> dict[str, str]:
    return {pair.key: _text(pair.value)[:_ATTRIBUTE_CHARACTERS] for pair in pairs}


def _text(value: AnyValue) -> str:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return ", ".join(map(_text, value.array_value.values))
    if kind == "bool_value":
        return "true" if value.bool_value else "false"
    return str(getattr(value, kind)) if kind else ""
