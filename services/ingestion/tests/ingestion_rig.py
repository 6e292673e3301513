"""The ingestion service on a real database with fakes around it."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from opentelemetry.trace import NoOpTracer
from sqlalchemy import select, update

from services.ingestion.tests.processing_fakes import (
    Clock,
    FakeDepartures,
    FakeFetcher,
    FakeHints,
    FakeIndex,
    FakeNeighbours,
    FakeParser,
    FakeTopicModel,
)
from services.ingestion.tests.upload_fakes import FakeMergeLock, FakeObjects, FakePartMap
from superagent_common.bus import Outbox
from superagent_common.db import Database
from superagent_common.identity import Principal
from superagent_common.logging import get_logger
from superagent_common.telemetry import Telemetry
from superagent_ingestion.adapters import tables
from superagent_ingestion.adapters.parsed_objects import ParsedObjects
from superagent_ingestion.adapters.sql_contents import SqlContentStore
from superagent_ingestion.adapters.sql_documents import SqlDocumentStore
from superagent_ingestion.adapters.sql_imports import SqlImportStore
from superagent_ingestion.adapters.sql_jobs import SqlJobStore
from superagent_ingestion.adapters.sql_progress import SqlProgress
from superagent_ingestion.adapters.sql_uploads import SqlUploadStore
from superagent_ingestion.application.changes import Changes
from superagent_ingestion.application.documents import Documents
from superagent_ingestion.application.imports import Imports
from superagent_ingestion.application.instant_uploads import InstantUploads
from superagent_ingestion.application.parts import Parts
from superagent_ingestion.application.pipeline import Pipeline
from superagent_ingestion.application.processing import Processing
from superagent_ingestion.application.reprocessing import Reprocessing
from superagent_ingestion.application.strategies import Strategies
from superagent_ingestion.application.sweeper import Sweeper
from superagent_ingestion.application.topics import TopicFinding
from superagent_ingestion.application.uploads import NewUpload, Uploads
from superagent_ingestion.application.watching import Watching
from superagent_ingestion.domain.chunking import ChunkLimits
from superagent_ingestion.domain.documents import Document, Metadata
from superagent_ingestion.domain.jobs import Job
from superagent_ingestion.domain.uploads import PART_BYTES
from superagent_ingestion.ports import MergeLock
from tests.support.databases import new_database

ANNA, BEN = Principal("anna-id", "anna", ("user",), ("sales",)), Principal("ben-id", "ben", ("user",))
SECOND = 1_000_000
LOG = get_logger("ingestion")


class Worker:
    """A pipeline that also runs a certain document's job."""

    def __init__(self, rig: Rig, pipeline: Pipeline, progress: SqlProgress) -> None:
        self._rig = rig
        self.progress = progress
        self._pipeline = pipeline
        self.run_next, self.run_due = pipeline.run_next, pipeline.run_due

    async def run(self, document_id: str) -> bool:
        """Runs this document's job if it is there to be had, as if there were no other."""
        async with self._rig.only(document_id):
            return await self._pipeline.run_next()


class Rig:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = Clock()
        self.objects, self.parser, self.index, self.hints = FakeObjects(), FakeParser(), FakeIndex(), FakeHints()
        self.copies = ParsedObjects(self.objects)
        self.neighbours = FakeNeighbours()
        self.topic_model: FakeTopicModel | None = None
        self.fetcher = FakeFetcher()
        outbox = Outbox(tables.outbox)
        self.outbox = outbox
        self.store = SqlDocumentStore(database, outbox, self.clock)
        self.jobs = SqlJobStore(database, self.clock, lease_seconds=15)
        self.part_map, self.merging = FakePartMap(), FakeMergeLock()
        self.instant_outcomes: list[str] = []
        self.upload_store = SqlUploadStore(database, outbox)
        self.uploads = self.new_uploads(self.merging)
        self.imports = Imports(SqlImportStore(database, outbox), frozenset, self._committed, self.clock)
        self.documents = Documents(self.store, self.objects, self.index, frozenset, self._committed, LOG)
        self.changes = Changes(self.store, self.index, frozenset, self._committed, LOG)
        self.watching = Watching(self.store, LOG, every_seconds=0.01)
        self.departures = FakeDepartures()
        self.sweeper = self.new_sweeper(every_seconds=2)
        self.strategies = self.new_strategies()
        self.reprocessing = Reprocessing(self.store, self.sweeper.tell, LOG)

    def new_sweeper(self, every_seconds: float) -> Sweeper:
        return Sweeper(
            self.jobs,
            self.hints,
            self.departures,
            self.documents,
            self.changes,
            self.uploads,
            LOG,
            every_seconds=every_seconds,
        )

    def new_uploads(self, merging: MergeLock) -> Uploads:
        """As another replica has them."""
        return Uploads(
            self.upload_store,
            self.objects,
            Parts(self.upload_store, self.objects, self.part_map, LOG),
            InstantUploads(
                self.upload_store,
                SqlContentStore(self.database),
                self.objects,
                self._committed,
                self.instant_outcomes.append,
                LOG,
                self.clock,
            ),
            merging,
            frozenset,
            self._committed,
            LOG,
            self.clock,
            keep_days=7,
        )

    def topic_finding(self) -> TopicFinding:
        """With the topic model that there is now."""
        return TopicFinding(self.neighbours, self.topic_model, self.copies, ChunkLimits())

    def new_strategies(self) -> Strategies:
        """As another process has them, which has cut nothing yet."""
        return Strategies(self.store, self.copies, self.topic_finding(), self.sweeper.tell, ChunkLimits(), LOG)

    @asynccontextmanager
    async def only(self, document_id: str) -> AsyncIterator[None]:
        """Puts off what else is queued while the block runs."""

        async def put_off(seconds: int) -> None:
            others = tables.jobs.c.document_id != document_id, tables.jobs.c.owner == "", tables.jobs.c.kind == "ingest"
            later = tables.jobs.c.available_at + seconds * SECOND
            async with self.database.write() as connection:
                await connection.execute(update(tables.jobs).where(*others).values(available_at=later))

        await put_off(1_000_000)
        try:
            yield
        finally:
            await put_off(-1_000_000)

    async def claim(self, document_id: str, owner: str) -> Job | None:
        """Takes this document's job if it is there to be had."""
        async with self.only(document_id):
            return await self.jobs.claim(owner)

    def pipeline(self, owner: str = "worker", lease_seconds: float = 15) -> Worker:
        """A worker of its own."""
        progress = SqlProgress(self.database, self.outbox, self.clock, owner)
        processing = Processing(
            progress,
            self.store,
            self.objects,
            self.fetcher,
            self.parser,
            self.copies,
            self.topic_finding(),
            self.index,
            Telemetry("ingestion"),
            LOG,
            self._committed,
            ChunkLimits(),
        )
        pipeline = Pipeline(
            self.jobs,
            self.store,
            progress,
            processing,
            Telemetry("ingestion"),
            LOG,
            self._committed,
            owner=owner,
            lease_seconds=lease_seconds,
            give_way_seconds=10,
        )
        return Worker(self, pipeline, progress)

    async def upload(
        self,
        content: bytes,
        who: Principal = ANNA,
        name: str = "a.txt",
        review_strategy: bool = False,
        **metadata: object,
    ) -> str:
        """A completed upload; gives the document's id."""
        digest = hashlib.sha256(content).hexdigest()
        said = Metadata(**metadata)  # type: ignore[arg-type]
        wanted = NewUpload(name, len(content), digest, said, review_strategy=review_strategy)
        upload, _ = await self.uploads.create(who, wanted)
        for number in range(upload.parts_total):
            part = content[number * PART_BYTES : (number + 1) * PART_BYTES]
            await self.uploads.put_part(who, upload.upload_id, number, "", chunks(part))
        return await self.uploads.complete(who, upload.upload_id)

    async def continue_trace(self, document_id: str, trace_parent: str) -> None:
        """Makes the document part of a trace."""
        async with self.database.write() as connection:
            one = tables.documents.c.document_id == document_id
            await connection.execute(update(tables.documents).where(one).values(trace_parent=trace_parent))

    async def choose(self, document_id: str, strategy: str) -> None:
        """As if a person had chosen it before the document's job began."""
        async with self.database.write() as connection:
            await connection.execute(
                update(tables.documents)
                .where(tables.documents.c.document_id == document_id)
                .values(chosen_strategy=strategy)
            )

    async def document(self, document_id: str) -> Document:
        document = await self.store.get(document_id)
        assert document is not None
        return document

    async def topics(self) -> list[str]:
        """Names of the events written so far, without the house's prefix."""
        async with self.database.read() as connection:
            topics = await connection.scalars(select(tables.outbox.c.topic).order_by(tables.outbox.c.position))
            return [topic.removeprefix("superagent.document.").removesuffix(".v1") for topic in topics]

    def _committed(self) -> None:
        pass


async def ready(rig: Rig, content: bytes = b"text", **metadata: object) -> str:
    """A document that has gone through the pipeline, by its id."""
    document_id = await rig.upload(content, **metadata)
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"
    return document_id


def said(rig: Rig, document_id: str) -> Metadata:
    """What the index was told of a document."""
    return rig.index.said[document_id].metadata


async def chunks(content: bytes, size: int = 65_536) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


@asynccontextmanager
async def ingestion_rig(folder: Path) -> AsyncIterator[Rig]:
    async with Database.opened(await new_database("superagent_ingestion", folder), tracer=NoOpTracer()) as database:
        yield Rig(database)
