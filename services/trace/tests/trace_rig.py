"""Traces on a real database, and what other services send there."""

from __future__ import annotations

from datetime import UTC, datetime

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from sqlalchemy import select

from superagent.orchestrator.v1 import events_pb2, plan_pb2
from superagent_common.db import Database
from superagent_common.identity import Principal
from superagent_common.ids import new_id
from superagent_trace.adapters.sql_traces import SqlTraceStore, drop_conversation, record_turn
from superagent_trace.adapters.tables import spans, turns
from superagent_trace.api import OtlpApi, turn_of
from superagent_trace.application import Traces

ANNA, BEN, ROOT = Principal("anna-id"), Principal("ben-id"), Principal("root-id", roles=("admin",))
NOON = int(datetime(2026, 3, 5, 12, tzinfo=UTC).timestamp()) * 1_000_000
TRACE = "0af7651916cd43dd8448eb211c80319c"
OTHER_TRACE = "1af7651916cd43dd8448eb211c80319c"


class Rig:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.store = SqlTraceStore(database)
        self.otlp = OtlpApi(self.store)
        self.traces = Traces(self.store, lambda: NOON + 1_000_000)

    async def record(
        self,
        who: Principal = ANNA,
        at: int = NOON,
        conversation: str = "c1",
        tokens: int = 10,
        question: str = "",
        trace_id: str = TRACE,
    ) -> str:
        record = events_pb2.TurnRecord(
            turn_id=new_id(),
            conversation_id=conversation,
            user_id=who.user_id,
            trace_id=trace_id,
            plan=plan_pb2.ExecutionPlan(original_question=question),
            usage=events_pb2.Usage(model="m", input_tokens=tokens, output_tokens=1, cost=0.5),
            stages=[events_pb2.Stage(name="plan", duration_ms=1.5)],
        )
        record.started_at.FromMicroseconds(at)
        async with self.database.write() as connection:
            await record_turn(connection, turn_of(record), NOON)
        return record.turn_id

    async def delete(self) -> None:
        """Conversation `c1`."""
        async with self.database.write() as connection:
            await drop_conversation(connection, "c1", NOON)

    async def says(self, *texts: str) -> list[str]:
        """Which of these are in any turn or span."""
        async with self.database.read() as connection:
            rows = [str(row) for table in (turns, spans) for row in await connection.execute(select(table))]
        return [text for text in texts if any(text in row for row in rows)]

    async def export(self, *names: str, service: str = "gateway", failed: bool = False, trace_id: str = TRACE) -> None:
        request = ExportTraceServiceRequest()
        resource = request.resource_spans.add()
        resource.resource.attributes.add(key="service.name").value.string_value = service
        spans = resource.scope_spans.add().spans
        for number, name in enumerate(names, start=1):
            span = spans.add(
                name=name, trace_id=bytes.fromhex(trace_id), span_id=f"{service[:4]:4}{number:04}".encode()
            )
            span.kind, span.start_time_unix_nano = span.SPAN_KIND_SERVER, (NOON + number) * 1_000
            span.end_time_unix_nano = span.start_time_unix_nano + 2_500_000
            span.attributes.add(key="n").value.int_value = number
            span.status.code = span.status.STATUS_CODE_ERROR if failed else span.status.STATUS_CODE_OK
        await self.otlp.Export(request, None)
