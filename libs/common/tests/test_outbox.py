"""What a transaction says it did is published once it is committed, in order, and not forgotten before."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from google.protobuf.wrappers_pb2 import StringValue
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client import CollectorRegistry
from sqlalchemy import func, select, update

from libs.common.tests.memory_log import MemoryLog, MemoryPublisher
from libs.common.tests.sample_service.notes import TOPIC, NoteWriter
from libs.common.tests.sample_service.tables import outbox
from superagent_common import ids
from superagent_common.bus import OutboxRelay
from superagent_common.bus.event import MAX_EVENT_BYTES, Record
from superagent_common.bus.ports import Publisher
from superagent_common.db import Database, migrate

NEVER = 3600.0


class Producer:
    """A service that writes notes, with its relay's parts."""

    def __init__(self, database: Database, tracer_provider: TracerProvider) -> None:
        self.database = database
        self.writer = NoteWriter(database)
        self.log = MemoryLog()
        self.registry = CollectorRegistry()
        self.tracer = tracer_provider.get_tracer("notes")

    def relay(
        self,
        publisher: Publisher,
        *,
        retention_seconds: float = NEVER,
        sweep_seconds: float = NEVER,
        rest_seconds: float = 0.0,
    ) -> OutboxRelay:
        return OutboxRelay(
            self.database,
            self.writer.outbox,
            publisher,
            tracer=self.tracer,
            registry=self.registry,
            retention_seconds=retention_seconds,
            sweep_seconds=sweep_seconds,
            rest_seconds=rest_seconds,
            stop_seconds=0.2,
        )

    async def waiting(self) -> int:
        async with self.database.read() as connection:
            return await self.writer.outbox.count_unpublished(connection)

    def published(self) -> list[str]:
        return [StringValue.FromString(delivery.value).value for delivery in self.log.all()]


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
async def producer(tmp_path: Path, spans: InMemorySpanExporter) -> AsyncIterator[Producer]:
    url = f"sqlite:///{tmp_path}/notes.db"
    await migrate(url, "libs.common.tests.sample_service")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    async with Database.opened(url, tracer=provider.get_tracer("notes")) as database:
        yield Producer(database, provider)


async def test_a_committed_event_is_published_with_its_key_and_id(producer: Producer) -> None:
    async with producer.relay(MemoryPublisher(producer.log)) as relay:
        await producer.writer.write("hello", key="document-1")
        relay.wake()
        await producer.log.until(lambda: len(producer.log.all()) == 1)
    [delivery] = producer.log.all()
    assert (delivery.topic, delivery.key) == (TOPIC, "document-1")
    assert StringValue.FromString(delivery.value).value == "hello"
    assert ids.is_id(delivery.event_id)
    assert await producer.waiting() == 0


async def test_an_event_of_a_rolled_back_transaction_is_never_published(producer: Producer) -> None:
    with pytest.raises(RuntimeError):
        async with producer.database.write() as connection:
            await producer.writer.outbox.add(connection, TOPIC, "a", StringValue(value="undone"))
            raise RuntimeError
    async with producer.relay(MemoryPublisher(producer.log)):
        await producer.writer.write("done")
    assert producer.published() == ["done"]


async def test_events_are_published_in_the_order_of_writing_beyond_one_batch(producer: Producer) -> None:
    texts = [f"{number:03}" for number in range(450)]
    await producer.writer.write(*texts)
    async with producer.relay(MemoryPublisher(producer.log)):
        await producer.log.until(lambda: len(producer.log.all()) == 450)
    assert producer.published() == texts


async def test_closing_publishes_what_was_committed_last(producer: Producer) -> None:
    async with producer.relay(MemoryPublisher(producer.log)) as relay:
        await producer.writer.write("first")
        relay.wake()
        await producer.log.until(lambda: producer.published() == ["first"])
        await producer.writer.write("last words")
    assert producer.published() == ["first", "last words"]


async def test_what_is_written_just_after_a_publication_is_published_together(producer: Producer) -> None:
    publisher = MemoryPublisher(producer.log)
    async with producer.relay(publisher, rest_seconds=NEVER) as relay:
        await producer.writer.write("at once")
        relay.wake()
        await producer.log.until(lambda: producer.published() == ["at once"])
        for text in ("one", "two", "three"):
            await producer.writer.write(text)
            relay.wake()
            for _ in range(50):
                await asyncio.sleep(0)
        assert producer.published() == ["at once"]
    assert producer.published() == ["at once", "one", "two", "three"]
    assert publisher.batches == 2


async def test_a_sweep_finds_events_nobody_told_of(producer: Producer) -> None:
    async with producer.relay(MemoryPublisher(producer.log), sweep_seconds=0.01):
        await producer.writer.write("quiet")
        await producer.log.until(lambda: producer.published() == ["quiet"])


async def test_events_wait_while_the_log_is_down_and_one_attempt_does(producer: Producer) -> None:
    producer.log.up.clear()
    publisher = MemoryPublisher(producer.log)
    async with producer.relay(publisher) as relay:
        await producer.writer.write("patient")
        relay.wake()
        await publisher.called.wait()
        for _ in range(50):
            relay.wake()
            await asyncio.sleep(0)
        assert (publisher.batches, await producer.waiting()) == (1, 1)
        producer.log.up.set()
        await producer.log.until(lambda: producer.published() == ["patient"])
    assert await producer.waiting() == 0


async def test_closing_while_the_log_is_down_keeps_the_events(producer: Producer) -> None:
    producer.log.up.clear()
    await producer.writer.write("for the next start")
    async with producer.relay(MemoryPublisher(producer.log)):
        pass
    assert await producer.waiting() == 1


class RefusingPublisher(MemoryPublisher):
    """Stores nothing."""

    async def publish(self, records: Sequence[Record]) -> Sequence[bool]:
        await super().publish([])
        return [False] * len(records)


async def test_events_that_are_refused_wait_for_the_next_sweep(producer: Producer) -> None:
    await producer.writer.write(*(f"{number:03}" for number in range(450)))
    publisher = RefusingPublisher(producer.log)
    async with producer.relay(publisher):
        await publisher.called.wait()
        for _ in range(50):
            await asyncio.sleep(0)
        assert publisher.batches == 1
    assert await producer.waiting() == 450


class DyingPublisher(MemoryPublisher):
    """Publishes and dies before it can tell."""

    async def publish(self, records: Sequence[Record]) -> Sequence[bool]:
        await super().publish(records)
        raise ConnectionResetError


async def test_an_event_published_but_not_marked_is_published_again_with_the_same_id(producer: Producer) -> None:
    await producer.writer.write("twice")
    async with producer.relay(DyingPublisher(producer.log)):
        await producer.log.until(lambda: len(producer.log.all()) == 1)
    assert await producer.waiting() == 1
    producer.registry = CollectorRegistry()
    async with producer.relay(MemoryPublisher(producer.log)):
        pass
    first, *_, last = producer.log.all()
    assert first.event_id == last.event_id
    assert await producer.waiting() == 0


async def test_two_relays_on_one_table_leave_first_copies_in_order(producer: Producer) -> None:
    texts = [f"{number:03}" for number in range(300)]
    await producer.writer.write(*texts)
    first = producer.relay(MemoryPublisher(producer.log))
    producer.registry = CollectorRegistry()
    async with first, producer.relay(MemoryPublisher(producer.log)):
        pass
    assert list(dict.fromkeys(producer.published())) == texts


async def test_published_events_are_deleted_after_their_time_and_waiting_ones_are_not(producer: Producer) -> None:
    await producer.writer.write(*(f"old {number}" for number in range(700)))
    async with producer.database.write() as connection:
        await connection.execute(update(outbox).where(outbox.c.position <= 650).values(published_at=1))
    producer.log.up.clear()
    async with producer.relay(MemoryPublisher(producer.log), retention_seconds=60):
        pass
    async with producer.database.read() as connection:
        assert await connection.scalar(select(func.count()).select_from(outbox)) == 50


async def test_an_event_no_broker_would_take_fails_where_it_is_written(producer: Producer) -> None:
    with pytest.raises(ValueError, match="put what is large elsewhere"):
        await producer.writer.write("x" * MAX_EVENT_BYTES)


async def test_figures_count_what_is_published_and_what_waits(producer: Producer) -> None:
    producer.log.up.clear()
    await producer.writer.write("one", "two")
    publisher = MemoryPublisher(producer.log)
    async with producer.relay(publisher):
        await publisher.called.wait()
        assert producer.registry.get_sample_value("outbox_unpublished") == 2
        producer.log.up.set()
    assert producer.registry.get_sample_value("outbox_unpublished") == 0
    assert producer.registry.get_sample_value("events_published_total", {"topic": TOPIC}) == 2


async def test_publishing_is_a_span_of_the_writers_trace_and_parent_of_what_follows(
    producer: Producer, spans: InMemorySpanExporter
) -> None:
    with producer.tracer.start_as_current_span("turn") as turn:
        await producer.writer.write("traced")
    async with producer.relay(MemoryPublisher(producer.log)):
        pass
    [publish] = [span for span in spans.get_finished_spans() if span.kind is SpanKind.PRODUCER]
    [delivery] = producer.log.all()
    assert publish.name == f"publish {TOPIC}"
    assert publish.parent is not None and publish.parent.span_id == turn.get_span_context().span_id
    assert publish.attributes is not None and publish.attributes["messaging.message.id"] == delivery.event_id
    _, trace_id, span_id, _ = delivery.traceparent.split("-")
    assert (int(trace_id, 16), int(span_id, 16)) == (publish.context.trace_id, publish.context.span_id)


async def test_a_publish_that_fails_shows_in_the_trace(producer: Producer, spans: InMemorySpanExporter) -> None:
    producer.log.up.clear()
    await producer.writer.write("traced")
    async with producer.relay(MemoryPublisher(producer.log)):
        pass
    [publish] = [span for span in spans.get_finished_spans() if span.kind is SpanKind.PRODUCER]
    assert publish.status.status_code is StatusCode.ERROR
