"""Composition root of the orchestrator service."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from superagent.common.v1.common_pb2_grpc import add_DeadLetterServiceServicer_to_server
from superagent.ingestion.v1 import ingestion_pb2
from superagent.memory.v1 import memory_pb2
from superagent.orchestrator.v1.orchestrator_pb2_grpc import add_OrchestratorServiceServicer_to_server
from superagent_common import clock
from superagent_common.bus import (
    DEAD_LETTER_ACCESS,
    REMEMBERED_SECONDS,
    DeadLetterApi,
    Event,
    EventConsumer,
    KafkaPublisher,
    KafkaSettings,
    KafkaSource,
    Outbox,
    OutboxRelay,
    Subscription,
)
from superagent_common.bus.topics import CONVERSATION_DELETED, DOCUMENT_DELETED, DOCUMENT_INDEXED
from superagent_common.db import Connection, Database, migrate
from superagent_common.llm import ModelSettings, ModelSpending, build_small_model
from superagent_common.redis_client import opened_redis
from superagent_common.runtime import service_core
from superagent_common.settings import load
from superagent_common.tasks import repeating, running
from superagent_orchestrator.adapters.grpc_services import (
    GrpcCatalogue,
    GrpcConversations,
    GrpcExecutor,
    GrpcSkillCatalogue,
)
from superagent_orchestrator.adapters.model_planner import ModelPlanner
from superagent_orchestrator.adapters.redis_events import RedisEventLog
from superagent_orchestrator.adapters.redis_signal import CANCEL, CONVERSATIONS, DOCUMENTS, RedisSignal
from superagent_orchestrator.adapters.rule_planner import RulePlanner
from superagent_orchestrator.adapters.sql_deletions import SqlDeletedConversations, note_deletion
from superagent_orchestrator.adapters.sql_turns import SqlTurnStore
from superagent_orchestrator.adapters.sql_unstored import SqlUnstoredTurns
from superagent_orchestrator.adapters.tables import dead_letters, handled_events, outbox
from superagent_orchestrator.api import ACCESS, OrchestratorApi
from superagent_orchestrator.application import Turns
from superagent_orchestrator.application.archive import Archive
from superagent_orchestrator.application.deletions import Deletions
from superagent_orchestrator.application.lease import LEASE_SECONDS
from superagent_orchestrator.application.metrics import TurnMetrics
from superagent_orchestrator.application.own_turns import OwnTurns
from superagent_orchestrator.application.planning import Planning
from superagent_orchestrator.application.preparing import Preparing
from superagent_orchestrator.application.runner import TurnRunner
from superagent_orchestrator.ports import Planner
from superagent_orchestrator.prompts import PlanningPrompt, prompt_texts
from superagent_orchestrator.settings import Settings

_CLEAR_SECONDS = 3.0
_FORGET_SECONDS = 3600.0


@asynccontextmanager
async def build(settings: Settings) -> AsyncIterator[None]:
    """Serves turns until the block ends."""
    await migrate(settings.database_url, "superagent_orchestrator")
    async with AsyncExitStack() as stack:
        core = await stack.enter_async_context(service_core("orchestrator", settings))
        tracer, registry = core.telemetry.tracer, core.telemetry.registry
        database = await stack.enter_async_context(Database.opened(settings.database_url, tracer=tracer))
        redis = await stack.enter_async_context(opened_redis(settings.redis_url))
        kafka = KafkaSettings(settings.kafka_brokers, "orchestrator")
        events = Outbox(outbox)
        relay = await stack.enter_async_context(
            OutboxRelay(database, events, KafkaPublisher(kafka), tracer=tracer, registry=registry)
        )
        log = RedisEventLog(redis, int(settings.event_retention_hours * 3600), core.log)
        await stack.enter_async_context(log.reading())
        catalogue = GrpcCatalogue(
            core.channel(settings.retrieval_address),
            settings.catalogue_seconds,
            settings.listing_seconds,
            time.monotonic,
        )
        conversations = GrpcConversations(core.channel(settings.memory_address))
        executor_channel = core.channel(settings.agent_executor_address)
        spent = ModelSpending(registry)
        model = build_small_model(load(ModelSettings), tracer=tracer, monotonic=time.monotonic, spent=spent)
        planner: Planner = RulePlanner()
        if model is not None:
            stack.push_async_callback(model.close)
            if settings.planner == "auto":
                texts = prompt_texts(settings.prompts_dir, core.log)
                await stack.enter_async_context(texts.watching(settings.prompts_check_seconds))
                planner = ModelPlanner(model, PlanningPrompt(texts), seconds=settings.planning_seconds)
        store = SqlTurnStore(database, events, relay.wake, lease_seconds=LEASE_SECONDS)
        cancel_signal = RedisSignal(redis, CANCEL, core.log)
        documents_signal = RedisSignal(redis, DOCUMENTS, core.log)
        skills = GrpcSkillCatalogue(executor_channel, settings.skills_seconds, settings.listing_seconds, time.monotonic)
        planning = Planning(catalogue, skills, planner, model_available=model is not None)
        archive = Archive(conversations, SqlUnstoredTurns(database, clock.now), core.log)
        preparing = Preparing(conversations, archive, store, core.log, clock.now)
        runner = TurnRunner(
            archive,
            planning,
            GrpcExecutor(executor_channel),
            store,
            core.telemetry,
            TurnMetrics(registry),
            core.log,
            clock.now,
        )
        own = OwnTurns(
            store,
            log,
            preparing,
            archive,
            runner,
            core.log,
            clock.now,
            grace_seconds=settings.stop_grace_seconds,
        )
        conversations_signal = RedisSignal(redis, CONVERSATIONS, core.log)
        deletions = Deletions(SqlDeletedConversations(database, clock.now), log, clock.now, REMEMBERED_SECONDS)
        turns = Turns(store, log, preparing, planning, runner, own, cancel_signal, clock.now)

        async def documents_changed(connection: Connection, event: Event) -> None:  # type: ignore[type-arg]
            catalogue.forget()
            await documents_signal.send(event.key)

        async def conversation_deleted(connection: Connection, event: Event[memory_pb2.ConversationDeleted]) -> None:
            await note_deletion(connection, event.message.conversation_id, clock.now())
            await conversations_signal.send(event.message.conversation_id)

        consumer = EventConsumer(
            KafkaSource(kafka, "orchestrator"),
            [
                Subscription(DOCUMENT_INDEXED, ingestion_pb2.DocumentIndexed, documents_changed),
                Subscription(DOCUMENT_DELETED, ingestion_pb2.DocumentDeleted, documents_changed),
                Subscription(CONVERSATION_DELETED, memory_pb2.ConversationDeleted, conversation_deleted),
            ],
            database,
            handled_events,
            dead_letters,
            tracer=tracer,
            registry=registry,
        )
        await stack.enter_async_context(consumer)
        await stack.enter_async_context(
            running(
                cancel_signal.listen(own.cancel_here),
                documents_signal.listen(lambda _: catalogue.forget()),
                conversations_signal.listen(own.conversation_deleted),
                repeating(deletions.clear, _CLEAR_SECONDS, core.log, "deleted_conversations_not_cleared"),
                repeating(deletions.forget, _FORGET_SECONDS, core.log, "deletions_not_forgotten"),
            )
        )
        await stack.enter_async_context(own.running())

        await stack.enter_async_context(
            core.serve(
                {**ACCESS, **DEAD_LETTER_ACCESS},
                partial(add_OrchestratorServiceServicer_to_server, OrchestratorApi(turns)),
                partial(add_DeadLetterServiceServicer_to_server, DeadLetterApi(consumer.dead_letters)),
            )
        )
        yield
