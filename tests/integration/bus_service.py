"""The sample service of the bus's tests on the real broker, with a topic and a group of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from google.protobuf.wrappers_pb2 import StringValue
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry

from libs.common.tests.sample_service.notes import NoteKeeper, NoteWriter
from libs.common.tests.sample_service.tables import dead_letters, handled_events
from superagent_common.bus import Event, EventConsumer, KafkaPublisher, KafkaSettings, KafkaSource, OutboxRelay
from superagent_common.db import Connection, Database, migrate
from superagent_common.ids import new_id

SAMPLE = "libs.common.tests.sample_service"
_PATIENCE_SECONDS = 120.0


class BusService:
    """Writes notes to its topic and keeps those that come from it."""

    def __init__(self, database: Database, brokers: str, tracer_provider: TracerProvider) -> None:
        name = new_id()
        self.topic = f"superagent.note-{name}.written.v1"
        self.group = f"notes-{name}"
        self._database = database
        self._settings = KafkaSettings(brokers, "notes")
        self.tracer = tracer_provider.get_tracer("notes")
        self._writer = NoteWriter(database)
        self.keeper = NoteKeeper(database)
        self._keep = self.keeper.subscription.handler
        self._entered: asyncio.Queue[str] = asyncio.Queue()

    async def write(self, *texts: str, key: str = "a") -> None:
        await self._writer.write(*texts, key=key, topic=self.topic)

    @asynccontextmanager
    async def producing(self) -> AsyncIterator[OutboxRelay]:
        async with OutboxRelay(
            self._database,
            self._writer.outbox,
            KafkaPublisher(self._settings),
            tracer=self.tracer,
            registry=CollectorRegistry(),
        ) as relay:
            yield relay

    @asynccontextmanager
    async def consuming(self) -> AsyncIterator[EventConsumer]:
        subscription = replace(self.keeper.subscription, topic=self.topic, handler=self._handle)
        async with EventConsumer(
            KafkaSource(self._settings, self.group),
            [subscription],
            self._database,
            handled_events,
            dead_letters,
            tracer=self.tracer,
            registry=CollectorRegistry(),
            retry_seconds=(0.05, 0.1, 0.15, 0.2),
        ) as consumer:
            yield consumer

    async def handler_entered(self, times: int) -> None:
        """Waits until the handler has been entered so often since the last wait."""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            for _ in range(times):
                await self._entered.get()

    async def published(self) -> None:
        """Waits until the outbox is empty."""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while True:
                async with self._database.read() as connection:
                    if await self._writer.outbox.count_unpublished(connection) == 0:
                        return
                await asyncio.sleep(0.02)

    async def kept(self, count: int) -> None:
        """Waits until so many notes are kept."""
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while len(await self.keeper.kept()) < count:
                await asyncio.sleep(0.02)

    async def _handle(self, connection: Connection, event: Event[StringValue]) -> None:
        self._entered.put_nowait(event.message.value)
        await self._keep(connection, event)


@asynccontextmanager
async def bus_service(
    folder: Path, brokers: str, spans: InMemorySpanExporter | None = None
) -> AsyncIterator[BusService]:
    """Opens the service on a new database."""
    url = f"sqlite:///{folder}/notes.db"
    await migrate(url, SAMPLE)
    provider = TracerProvider()
    if spans:
        provider.add_span_processor(SimpleSpanProcessor(spans))
    async with Database.opened(url, tracer=provider.get_tracer("notes")) as database:
        yield BusService(database, brokers, provider)
