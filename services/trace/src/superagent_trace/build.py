"""Composition root of the trace service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    add_TraceServiceServicer_to_server as add_otlp_to_server,
)

from superagent.common.v1.common_pb2_grpc import add_DeadLetterServiceServicer_to_server
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1 import events_pb2
from superagent.trace.v1.trace_pb2_grpc import add_TraceServiceServicer_to_server
from superagent_common import clock
from superagent_common.bus import (
    DEAD_LETTER_ACCESS,
    REMEMBERED_SECONDS,
    DeadLetterApi,
    Event,
    EventConsumer,
    KafkaSettings,
    KafkaSource,
    Subscription,
)
from superagent_common.bus.topics import CONVERSATION_DELETED, TURN_COMPLETED
from superagent_common.db import Connection, Database, migrate
from superagent_common.runtime import service_core
from superagent_common.tasks import repeating, running
from superagent_trace.adapters.sql_traces import SqlTraceStore, drop_conversation, record_turn
from superagent_trace.adapters.tables import dead_letters, handled_events
from superagent_trace.api import ACCESS, OtlpApi, TraceApi, turn_of
from superagent_trace.application import Traces
from superagent_trace.settings import Settings

_FORGET_EVERY_SECONDS = 3600.0


@asynccontextmanager
async def build(settings: Settings) -> AsyncIterator[None]:
    """Serves traces until the block ends."""
    await migrate(settings.database_url, "superagent_trace")
    async with (
        service_core("trace", settings) as core,
        Database.opened(settings.database_url, tracer=core.telemetry.tracer) as database,
    ):
        store = SqlTraceStore(database)

        async def turn_completed(connection: Connection, event: Event[events_pb2.TurnCompleted]) -> None:
            await record_turn(connection, turn_of(event.message.turn), clock.now())

        async def conversation_deleted(connection: Connection, event: Event[memory_pb2.ConversationDeleted]) -> None:
            await drop_conversation(connection, event.message.conversation_id, clock.now())

        consumer = EventConsumer(
            KafkaSource(KafkaSettings(settings.kafka_brokers, "trace"), "trace"),
            [
                Subscription(TURN_COMPLETED, events_pb2.TurnCompleted, turn_completed),
                Subscription(CONVERSATION_DELETED, memory_pb2.ConversationDeleted, conversation_deleted),
            ],
            database,
            handled_events,
            dead_letters,
            tracer=core.telemetry.tracer,
            registry=core.telemetry.registry,
        )

        kept = int(settings.span_retention_days * 86_400 * clock.SECOND)

        async def forget() -> None:
            await store.forget(clock.now() - kept, clock.now() - REMEMBERED_SECONDS * clock.SECOND)

        retention = running(repeating(forget, _FORGET_EVERY_SECONDS, core.log, "spans_not_forgotten"))
        serving = core.serve(
            {**ACCESS, **DEAD_LETTER_ACCESS},
            partial(add_TraceServiceServicer_to_server, TraceApi(Traces(store, clock.now))),
            partial(add_otlp_to_server, OtlpApi(store)),
            partial(add_DeadLetterServiceServicer_to_server, DeadLetterApi(consumer.dead_letters)),
        )
        async with retention, consumer, serving:
            yield
