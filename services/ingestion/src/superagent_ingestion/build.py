"""Composition root of the ingestion service; the workers' is `worker.py`."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from superagent.common.v1.common_pb2_grpc import add_DeadLetterServiceServicer_to_server
from superagent.ingestion.v1.ingestion_pb2_grpc import add_IngestionServiceServicer_to_server
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
)
from superagent_common.db import Database, migrate
from superagent_common.llm import ModelSettings, ModelSpending, build_small_model
from superagent_common.org_tree import OrgTree
from superagent_common.redis_client import opened_redis
from superagent_common.runtime import service_core
from superagent_common.settings import load
from superagent_common.tasks import running
from superagent_common.telemetry import Telemetry
from superagent_ingestion.adapters.celery_hints import CeleryHints, celery_app
from superagent_ingestion.adapters.grpc_index import GrpcIndex
from superagent_ingestion.adapters.grpc_neighbours import GrpcNeighbours
from superagent_ingestion.adapters.minio_objects import MinioObjectStore
from superagent_ingestion.adapters.model_topics import ModelTopics
from superagent_ingestion.adapters.parsed_objects import ParsedObjects
from superagent_ingestion.adapters.redis_merge_lock import RedisMergeLock
from superagent_ingestion.adapters.redis_parts import RedisPartMap
from superagent_ingestion.adapters.sql_contents import SqlContentStore
from superagent_ingestion.adapters.sql_documents import SqlDocumentStore
from superagent_ingestion.adapters.sql_imports import SqlImportStore
from superagent_ingestion.adapters.sql_jobs import SqlJobStore
from superagent_ingestion.adapters.sql_uploads import SqlUploadStore
from superagent_ingestion.adapters.tables import dead_letters, handled_events, outbox
from superagent_ingestion.adapters.uploaded_events import uploaded_events
from superagent_ingestion.adapters.worker_locks import WorkerLocks
from superagent_ingestion.api import ACCESS, IngestionApi
from superagent_ingestion.application.changes import Changes
from superagent_ingestion.application.documents import Documents
from superagent_ingestion.application.imports import Imports
from superagent_ingestion.application.instant_uploads import InstantUploads
from superagent_ingestion.application.metrics import InstantUploadMetrics
from superagent_ingestion.application.parts import Parts
from superagent_ingestion.application.reprocessing import Reprocessing
from superagent_ingestion.application.strategies import Strategies
from superagent_ingestion.application.sweeper import Sweeper
from superagent_ingestion.application.topics import TopicFinding
from superagent_ingestion.application.uploads import Uploads
from superagent_ingestion.application.watching import Watching
from superagent_ingestion.domain.chunking import ChunkLimits
from superagent_ingestion.prompts import TopicsPrompt
from superagent_ingestion.settings import Settings

_QUICK_SECONDS = 0.5
"""Redis that hangs must not hold up an upload, which does without."""

_WATCH_SECONDS = 1.0


@asynccontextmanager
async def build(settings: Settings) -> AsyncIterator[None]:
    """Serves uploads and documents until the block ends."""
    await migrate(settings.database_url, "superagent_ingestion")
    async with AsyncExitStack() as stack:
        core = await stack.enter_async_context(service_core("ingestion", settings))
        tracer, registry = core.telemetry.tracer, core.telemetry.registry
        database = await stack.enter_async_context(Database.opened(settings.database_url, tracer=tracer))
        redis = await stack.enter_async_context(opened_redis(settings.redis_url))
        kafka = KafkaSettings(settings.kafka_brokers, "ingestion")
        events = Outbox(outbox)
        relay = await stack.enter_async_context(
            OutboxRelay(database, events, KafkaPublisher(kafka), tracer=tracer, registry=registry)
        )
        org_tree = OrgTree(core.channel(settings.gateway_address), redis, core.log, core.verifier.refuse_below)
        await stack.enter_async_context(org_tree.following())
        objects = object_store(settings, core.telemetry)
        await objects.ensure_bucket()
        index = GrpcIndex(core.channel(settings.retrieval_address), settings.index_timeout_seconds)
        quick_redis = await stack.enter_async_context(opened_redis(settings.redis_url, give_up_seconds=_QUICK_SECONDS))
        stored_uploads = SqlUploadStore(database, events)
        keep_seconds = int((settings.upload_days + 1) * 86_400)
        uploads = Uploads(
            stored_uploads,
            objects,
            Parts(stored_uploads, objects, RedisPartMap(quick_redis, keep_seconds), core.log),
            InstantUploads(
                stored_uploads,
                SqlContentStore(database),
                objects,
                relay.wake,
                InstantUploadMetrics(registry).count,
                core.log,
                clock.now,
            ),
            RedisMergeLock(quick_redis, core.log),
            org_tree.expand,
            relay.wake,
            core.log,
            clock.now,
            keep_days=settings.upload_days,
        )
        stack.push_async_callback(uploads.close)
        imports = Imports(SqlImportStore(database, events), org_tree.expand, relay.wake, clock.now)
        store = SqlDocumentStore(database, events, clock.now)
        documents = Documents(store, objects, index, org_tree.expand, relay.wake, core.log)
        changes = Changes(store, index, org_tree.expand, relay.wake, core.log)
        app = celery_app(settings.redis_url, hard_limit_seconds=settings.job_limit_seconds)
        sweeper = Sweeper(
            SqlJobStore(database, clock.now, settings.lease_seconds),
            CeleryHints(app, redis, tracer),
            WorkerLocks(settings.worker_locks_dir) if settings.worker_locks_dir else None,
            documents,
            changes,
            uploads,
            core.log,
            every_seconds=settings.sweep_seconds,
        )

        copies, limits = ParsedObjects(objects), ChunkLimits()
        neighbours = GrpcNeighbours(core.channel(settings.retrieval_address))
        model = await stack.enter_async_context(topic_model(settings, core.telemetry))
        topics = TopicFinding(neighbours, model, copies, limits)
        strategies = Strategies(store, copies, topics, sweeper.tell, limits, core.log)

        reprocessing = Reprocessing(store, sweeper.tell, core.log)
        watching = Watching(store, core.log, every_seconds=_WATCH_SECONDS)
        api = IngestionApi(uploads, imports, documents, strategies, changes, reprocessing, watching)

        consumer = EventConsumer(
            KafkaSource(kafka, "ingestion"),
            [uploaded_events(sweeper.tell, clock.now)],
            database,
            handled_events,
            dead_letters,
            tracer=tracer,
            registry=registry,
        )
        await stack.enter_async_context(consumer)
        await stack.enter_async_context(running(sweeper.run(), sweeper.clean_up()))

        await stack.enter_async_context(
            core.serve(
                {**ACCESS, **DEAD_LETTER_ACCESS},
                partial(add_IngestionServiceServicer_to_server, api),
                partial(add_DeadLetterServiceServicer_to_server, DeadLetterApi(consumer.dead_letters)),
            )
        )
        yield


def object_store(settings: Settings, telemetry: Telemetry) -> MinioObjectStore:
    """The configured object store."""
    return MinioObjectStore(
        settings.s3_endpoint,
        settings.s3_access_key.get_secret_value(),
        settings.s3_secret_key.get_secret_value(),
        settings.s3_bucket,
        telemetry,
    )


@asynccontextmanager
async def topic_model(settings: Settings, telemetry: Telemetry) -> AsyncIterator[ModelTopics | None]:
    """What the model strategy asks; None unless it is switched on and a model is configured."""
    if not settings.model_chunking:
        yield None
        return
    spent = ModelSpending(telemetry.registry)
    model = build_small_model(load(ModelSettings), tracer=telemetry.tracer, monotonic=time.monotonic, spent=spent)
    if model is None:
        yield None
        return
    try:
        yield ModelTopics(model, TopicsPrompt(), most_calls=settings.model_chunking_calls)
    finally:
        await model.close()
