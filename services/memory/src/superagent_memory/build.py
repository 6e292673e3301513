"""Composition root of the memory service."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from prometheus_client import Counter

from superagent.common.v1.common_pb2_grpc import add_DeadLetterServiceServicer_to_server
from superagent.memory.v1.memory_pb2_grpc import add_MemoryServiceServicer_to_server
from superagent.orchestrator.v1 import events_pb2
from superagent_common import clock
from superagent_common.bus import (
    DEAD_LETTER_ACCESS,
    DeadLetterApi,
    EventConsumer,
    KafkaPublisher,
    KafkaSettings,
    KafkaSource,
    Outbox,
    OutboxRelay,
    Subscription,
)
from superagent_common.bus.topics import TURN_COMPLETED
from superagent_common.db import Database, migrate
from superagent_common.llm import ModelSettings, ModelSpending, build_small_model
from superagent_common.runtime import service_core
from superagent_common.settings import load
from superagent_common.tasks import repeating, running
from superagent_memory.adapters.completed_turns import CompletedTurns
from superagent_memory.adapters.model_writer import ModelWriter
from superagent_memory.adapters.sql_conversations import SqlConversationStore
from superagent_memory.adapters.sql_person import SqlPersonStore
from superagent_memory.adapters.sql_summaries import SqlSummaryStore
from superagent_memory.adapters.tables import dead_letters, handled_events, outbox
from superagent_memory.api import ACCESS, MemoryApi
from superagent_memory.application import Care, Folding, Memory, PersonMemory, Retention
from superagent_memory.prompts import Prompts, prompt_texts
from superagent_memory.settings import Settings

_RETENTION_EVERY_SECONDS = 600.0
_DELETED_IDS_SECONDS = 30 * 86_400
"""Longer than the event waits in its topic and those who heard it keep the id, 7 and 14 days."""
_FREE_IDS_EVERY_SECONDS = 3600.0


@asynccontextmanager
async def build(settings: Settings) -> AsyncIterator[None]:
    """Serves memory until the block ends."""
    await migrate(settings.database_url, "superagent_memory")
    async with AsyncExitStack() as stack:
        core = await stack.enter_async_context(service_core("memory", settings))
        tracer, registry = core.telemetry.tracer, core.telemetry.registry
        database = await stack.enter_async_context(Database.opened(settings.database_url, tracer=tracer))
        spent = ModelSpending(registry)
        model = build_small_model(load(ModelSettings), tracer=tracer, monotonic=time.monotonic, spent=spent)
        writer = None
        if model is not None:
            stack.push_async_callback(model.close)
            texts = prompt_texts(settings.prompts_dir, core.log)
            await stack.enter_async_context(texts.watching(settings.prompts_check_seconds))
            writer = ModelWriter(model, Prompts(texts), core.log)
        kafka = KafkaSettings(settings.kafka_brokers, "memory")
        events = Outbox(outbox)
        relay = await stack.enter_async_context(
            OutboxRelay(database, events, KafkaPublisher(kafka), tracer=tracer, registry=registry)
        )
        conversations, summaries = SqlConversationStore(database, events, relay.wake), SqlSummaryStore(database)
        rules = settings.rules()
        steps = Counter("summary_steps", "Steps of folding older turns, by who wrote.", ("by",), registry=registry)
        folding = Folding(conversations, summaries, writer, clock.now, rules, told=lambda by: steps.labels(by).inc())
        retention = None
        if settings.retention:
            retention = Retention(conversations, clock.now, int(settings.retention_days * 86_400 * clock.SECOND))
        titles = writer if settings.model_titles else None
        care = Care(
            summaries,
            folding,
            titles,
            clock.now,
            core.log,
            lease_seconds=settings.care_lease_seconds,
            sweep_seconds=settings.care_sweep_seconds,
        )
        completed = CompletedTurns(folding, care.wake_soon, clock.now, writes_titles=titles is not None)
        consumer = EventConsumer(
            KafkaSource(kafka, "memory"),
            [Subscription(TURN_COMPLETED, events_pb2.TurnCompleted, completed.handle)],
            database,
            handled_events,
            dead_letters,
            tracer=tracer,
            registry=registry,
        )
        await stack.enter_async_context(running(*(care.run() for _ in range(settings.care_workers))))
        freeing = repeating(
            lambda: conversations.free_ids(clock.now() - _DELETED_IDS_SECONDS * clock.SECOND),
            _FREE_IDS_EVERY_SECONDS,
            core.log,
            "deleted_ids_not_freed",
        )
        await stack.enter_async_context(running(freeing))
        if retention:
            sweeping = repeating(retention.sweep, _RETENTION_EVERY_SECONDS, core.log, "conversations_not_swept")
            await stack.enter_async_context(running(sweeping))
        await stack.enter_async_context(consumer)
        api = MemoryApi(
            Memory(conversations, clock.now, rules, retention),
            folding,
            PersonMemory(SqlPersonStore(database), clock.now),
        )
        await stack.enter_async_context(
            core.serve(
                {**ACCESS, **DEAD_LETTER_ACCESS},
                partial(add_MemoryServiceServicer_to_server, api),
                partial(add_DeadLetterServiceServicer_to_server, DeadLetterApi(consumer.dead_letters)),
            )
        )
        yield
