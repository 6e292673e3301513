"""The workers: a Celery prefork pool. Each child keeps one event loop for its life and opens everything after the fork."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from celery.signals import worker_process_init, worker_process_shutdown

from superagent_common import clock
from superagent_common.bus import Outbox
from superagent_common.db import Database
from superagent_common.ids import new_id
from superagent_common.logging import configure
from superagent_common.runtime import service_core
from superagent_common.settings import load
from superagent_ingestion.adapters.celery_hints import TASK, celery_app
from superagent_ingestion.adapters.grpc_index import GrpcIndex
from superagent_ingestion.adapters.grpc_neighbours import GrpcNeighbours
from superagent_ingestion.adapters.parsed_objects import ParsedObjects
from superagent_ingestion.adapters.parsing.equipment import equipment
from superagent_ingestion.adapters.parsing.limits import ParserLimits
from superagent_ingestion.adapters.parsing.process import ParserProcess
from superagent_ingestion.adapters.scratch_folder import scratch_folder
from superagent_ingestion.adapters.sql_documents import SqlDocumentStore
from superagent_ingestion.adapters.sql_jobs import SqlJobStore
from superagent_ingestion.adapters.sql_progress import SqlProgress
from superagent_ingestion.adapters.tables import outbox
from superagent_ingestion.adapters.url_fetcher import FetchLimits, HttpUrlFetcher
from superagent_ingestion.adapters.worker_locks import WorkerLocks
from superagent_ingestion.application.pipeline import Pipeline
from superagent_ingestion.application.processing import Processing
from superagent_ingestion.application.topics import TopicFinding
from superagent_ingestion.build import object_store, topic_model
from superagent_ingestion.domain.chunking import ChunkLimits
from superagent_ingestion.domain.fetching import networks_of, ports_of
from superagent_ingestion.settings import Settings

_SHIFT_SECONDS = 30.0
"""Celery limits and recycles by the task, so that one hint must not keep a worker for good."""


class Worker:
    """What one child of the pool holds."""

    def __init__(self, settings: Settings) -> None:
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._stack = AsyncExitStack()
        self._pipeline = self._loop.run_until_complete(self._stack.enter_async_context(_opened(settings)))

    def work(self) -> None:
        """Runs jobs until none is due, or its shift is over."""
        self._loop.run_until_complete(self._pipeline.run_due(_SHIFT_SECONDS))

    def close(self) -> None:
        self._loop.run_until_complete(self._stack.aclose())


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Pipeline]:
    async with AsyncExitStack() as stack:
        # The service itself serves metrics and migrates; workers only work.
        core = await stack.enter_async_context(
            service_core("ingestion", settings.model_copy(update={"metrics_listen": ""}))
        )
        telemetry = core.telemetry
        database = await stack.enter_async_context(Database.opened(settings.database_url, tracer=telemetry.tracer))
        owner = new_id()
        stack.enter_context(scratch_folder(owner))
        parser = ParserProcess(
            ParserLimits(ocr_pages=settings.ocr_pages, ocr_seconds=settings.ocr_seconds),
            equipment(settings.ocr, settings.soffice),
        )
        stack.push_async_callback(parser.aclose)
        if settings.worker_locks_dir:
            stack.enter_context(WorkerLocks(settings.worker_locks_dir).held(owner))
        events = Outbox(outbox)
        progress = SqlProgress(database, events, clock.now, owner)
        index = GrpcIndex(core.channel(settings.retrieval_address), settings.index_timeout_seconds)

        def committed() -> None:
            """The relay lives in the service, which looks into the outbox every second."""

        objects = object_store(settings, telemetry)
        copies = ParsedObjects(objects)
        limits = ChunkLimits()
        neighbours = GrpcNeighbours(core.channel(settings.retrieval_address))
        model = await stack.enter_async_context(topic_model(settings, telemetry))
        documents = SqlDocumentStore(database, events, clock.now)
        processing = Processing(
            progress,
            documents,
            objects,
            HttpUrlFetcher(_fetch_limits(settings), telemetry),
            parser,
            copies,
            TopicFinding(neighbours, model, copies, limits),
            index,
            telemetry,
            core.log,
            committed,
            limits,
        )
        pipeline = Pipeline(
            SqlJobStore(database, clock.now, settings.lease_seconds),
            documents,
            progress,
            processing,
            telemetry,
            core.log,
            committed,
            owner=owner,
            lease_seconds=settings.lease_seconds,
            give_way_seconds=settings.give_way_seconds,
        )
        yield pipeline


def _fetch_limits(settings: Settings) -> FetchLimits:
    return FetchLimits(
        networks_of(settings.import_networks),
        ports_of(settings.import_ports),
        settings.import_max_bytes,
        settings.import_timeout_seconds,
        settings.import_redirects,
    )


class _Child:
    """A child's worker, opened after the fork; again for the next document when that failed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._worker: Worker | None = None

    def open(self) -> Worker:
        if self._worker is None:
            self._worker = Worker(self._settings)
        return self._worker

    def close(self) -> None:
        if self._worker:
            self._worker.close()


def main() -> int:
    """Runs the pool until SIGTERM; another worker takes up a job that was running. Returns the exit code."""
    settings = load(Settings)
    app = celery_app(settings.redis_url, hard_limit_seconds=settings.job_limit_seconds)
    app.conf.worker_max_memory_per_child = settings.worker_memory_mib * 1024
    # Parsers are its children and inherit it.
    os.nice(settings.worker_nice)
    child = _Child(settings)

    @worker_process_init.connect(weak=False)
    def open_worker(**_: Any) -> None:
        configure(settings.log_level)
        # Celery logs what this raises and keeps the child.
        child.open()

    @worker_process_shutdown.connect(weak=False)
    def close_worker(**_: Any) -> None:
        child.close()

    @app.task(name=TASK)
    def ingest_due() -> None:
        child.open().work()

    # Not `worker_main`, which ends with 0 whatever happened, and would not be started again then.
    pool = app.Worker(
        hostname=f"ingestion-{os.getpid()}@{socket.gethostname()}",
        pool_cls="prefork",
        concurrency=settings.worker_processes,
        loglevel="WARNING",
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    pool.start()
    return pool.exitcode or 0


if __name__ == "__main__":
    # Celery's warm shutdown waits for running tasks; the lease makes waiting needless.
    os.environ.setdefault("REMAP_SIGTERM", "SIGQUIT")
    sys.exit(main())
