"""Events are handled in order and once; what fails comes again, and in the end stands aside."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from google.protobuf.wrappers_pb2 import StringValue
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client import CollectorRegistry
from sqlalchemy import func, insert, select, text

from libs.common.tests.memory_log import MemoryLog, MemorySource
from libs.common.tests.sample_service.notes import TOPIC, NoteKeeper
from libs.common.tests.sample_service.tables import dead_letters, handled_events
from superagent_common.bus import EventConsumer
from superagent_common.bus.event import Record
from superagent_common.db import Database, migrate
from superagent_common.errors import Conflict, NotFound, Unavailable
from superagent_common.ids import new_id

AT_ONCE = (0.0, 0.0, 0.0, 0.0)
FAILURES = [Unavailable("model_down") for _ in range(5)]


class Service:
    """A service that keeps notes, with what its consumer is made of."""

    def __init__(self, database: Database, tracer_provider: TracerProvider) -> None:
        self.database = database
        self.keeper = NoteKeeper(database)
        self.log = MemoryLog()
        self.registry = CollectorRegistry()
        self.tracer = tracer_provider.get_tracer("notes")

    def append(self, *texts: str, key: str = "a", event_id: str = "", traceparent: str = "") -> None:
        for each in texts:
            headers = {"event-id": event_id or new_id(), "traceparent": traceparent}
            self.log.append(Record(TOPIC, key, StringValue(value=each).SerializeToString(), headers))

    @asynccontextmanager
    async def consuming(
        self, source: MemorySource | None = None, retry_seconds: Sequence[float] = AT_ONCE, stop_seconds: float = 0.2
    ) -> AsyncIterator[EventConsumer]:
        self.source = source or MemorySource(self.log)
        async with EventConsumer(
            self.source,
            [self.keeper.subscription],
            self.database,
            handled_events,
            dead_letters,
            tracer=self.tracer,
            registry=self.registry,
            retry_seconds=retry_seconds,
            handled_retention_seconds=3600,
            stop_seconds=stop_seconds,
        ) as consumer:
            yield consumer

    async def settled(self, count: int) -> None:
        await self.log.until(lambda: self.log.count_settled() == count)

    def outcome(self, name: str) -> float:
        return self.registry.get_sample_value("events_handled_total", {"topic": TOPIC, "outcome": name}) or 0


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
async def service(tmp_path: Path, spans: InMemorySpanExporter) -> AsyncIterator[Service]:
    url = f"sqlite:///{tmp_path}/notes.db"
    await migrate(url, "libs.common.tests.sample_service")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    async with Database.opened(url, tracer=provider.get_tracer("notes")) as database:
        yield Service(database, provider)


async def test_events_of_a_key_are_handled_in_order(service: Service) -> None:
    service.append("1", "2", "3")
    async with service.consuming():
        await service.settled(3)
        service.append("4")
        await service.settled(4)
    assert await service.keeper.kept() == ["1", "2", "3", "4"]


async def test_a_second_copy_of_an_event_is_skipped(service: Service) -> None:
    event_id = new_id()
    service.append("once", event_id=event_id)
    service.append("once", event_id=event_id)
    async with service.consuming():
        await service.settled(2)
    assert service.keeper.calls == ["once"]
    assert (service.outcome("handled"), service.outcome("duplicate")) == (1, 1)


async def test_a_new_consumer_goes_on_where_the_last_one_ended(service: Service) -> None:
    service.append("1")
    async with service.consuming():
        await service.settled(1)
    service.registry = CollectorRegistry()
    service.append("2")
    async with service.consuming():
        await service.settled(2)
    assert service.keeper.calls == ["1", "2"]


async def test_a_failing_event_holds_up_its_key_until_it_succeeds_and_no_other(service: Service) -> None:
    service.keeper.failures["1"] = FAILURES[:2]
    service.append("1", "2", key="a")
    service.append("other", key="b")
    async with service.consuming():
        await service.settled(3)
    assert [text for text in service.keeper.calls if text != "other"] == ["1", "1", "1", "2"]
    assert sorted(await service.keeper.kept()) == ["1", "2", "other"]
    assert service.source.pauses == [(TOPIC, 1)]
    assert service.source.paused == set()


async def test_an_attempt_that_fails_leaves_nothing_behind(service: Service) -> None:
    service.keeper.failures["1"] = FAILURES[:1]
    service.append("1")
    async with service.consuming(retry_seconds=(60.0,)):
        await service.log.until(lambda: service.source.pauses != [])
    assert await service.keeper.kept() == []


async def test_an_event_that_fails_five_times_becomes_a_dead_letter_and_the_next_one_goes_on(
    service: Service,
) -> None:
    service.keeper.failures["bad"] = FAILURES[:]
    service.append("bad", "good")
    async with service.consuming() as consumer:
        await service.settled(2)
        [letter] = await consumer.dead_letters.list(None, 10)
    assert service.keeper.calls == ["bad"] * 5 + ["good"]
    assert (letter.topic, letter.key, letter.reason, letter.attempts) == (TOPIC, "a", "model_down", 5)
    assert StringValue.FromString(letter.payload).value == "bad"
    assert (service.outcome("failed"), service.outcome("dead_letter"), service.outcome("handled")) == (4, 1, 1)


async def test_an_unexpected_error_is_told_by_its_type_and_not_by_its_text(service: Service) -> None:
    service.keeper.failures["bad"] = [RuntimeError("the secret text")] * 5
    service.append("bad")
    async with service.consuming() as consumer:
        await service.settled(1)
        [letter] = await consumer.dead_letters.list(None, 10)
    assert letter.reason == "RuntimeError"


async def test_bytes_that_are_no_event_become_a_dead_letter_at_once(service: Service) -> None:
    service.log.append(Record(TOPIC, "a", b"\xff\xff", {"event-id": new_id()}))
    async with service.consuming() as consumer:
        await service.settled(1)
        [letter] = await consumer.dead_letters.list(None, 10)
    assert (letter.reason, letter.attempts) == ("undecodable_event", 1)


async def test_a_redelivered_dead_letter_is_handled_and_gone(service: Service) -> None:
    service.keeper.failures["bad"] = FAILURES[:]
    service.append("bad")
    async with service.consuming() as consumer:
        await service.settled(1)
        [letter] = await consumer.dead_letters.list(None, 10)
        await consumer.dead_letters.redeliver(letter.event_id)
        assert await consumer.dead_letters.list(None, 10) == []
        with pytest.raises(NotFound):
            await consumer.dead_letters.redeliver(letter.event_id)
        # Another copy in the log changes nothing.
        service.append("bad", event_id=letter.event_id)
        await service.settled(2)
    assert await service.keeper.kept() == ["bad"]


async def test_a_redelivery_that_fails_keeps_the_letter_with_the_new_reason(service: Service) -> None:
    service.keeper.failures["bad"] = [*FAILURES, Conflict("note_locked")]
    service.append("bad")
    async with service.consuming() as consumer:
        await service.settled(1)
        [letter] = await consumer.dead_letters.list(None, 10)
        with pytest.raises(Conflict) as failure:
            await consumer.dead_letters.redeliver(letter.event_id)
        [kept] = await consumer.dead_letters.list(None, 10)
    assert (failure.value.reason, failure.value.metadata) == ("redelivery_failed", {"cause": "note_locked"})
    assert (kept.event_id, kept.reason, kept.attempts) == (letter.event_id, "note_locked", 6)
    assert await service.keeper.kept() == []


async def test_two_redeliveries_at_once_reach_the_handler_once(service: Service) -> None:
    service.keeper.failures["bad"] = FAILURES[:]
    service.append("bad")
    async with service.consuming() as consumer:
        await service.settled(1)
        [letter] = await consumer.dead_letters.list(None, 10)
        both = await asyncio.gather(
            *(consumer.dead_letters.redeliver(letter.event_id) for _ in range(2)), return_exceptions=True
        )
    assert sorted(type(result).__name__ for result in both) == ["NoneType", "NotFound"]
    assert await service.keeper.kept() == ["bad"]


async def test_a_discarded_dead_letter_never_comes_back(service: Service) -> None:
    service.keeper.failures["bad"] = FAILURES[:]
    service.append("bad")
    async with service.consuming() as consumer:
        await service.settled(1)
        [letter] = await consumer.dead_letters.list(None, 10)
        await consumer.dead_letters.discard(letter.event_id)
        service.append("bad", event_id=letter.event_id)
        await service.settled(2)
        assert await consumer.dead_letters.list(None, 10) == []
        with pytest.raises(NotFound):
            await consumer.dead_letters.discard(letter.event_id)
    assert await service.keeper.kept() == []


async def test_a_partition_that_is_handed_over_in_mid_retry_is_read_again(service: Service) -> None:
    service.keeper.failures["1"] = FAILURES[:1]
    service.append("1", "2")
    async with service.consuming(retry_seconds=(3600.0,)):
        await service.log.until(lambda: service.source.pauses != [])
        service.source.hand_over((TOPIC, 1))
        await service.settled(2)
    assert service.keeper.calls == ["1", "1", "2"]
    assert await service.keeper.kept() == ["1", "2"]


async def test_a_database_that_fails_costs_no_attempt(service: Service) -> None:
    async with service.database.write() as connection:
        await connection.execute(text("ALTER TABLE handled_events RENAME TO away"))
    service.append("patient")
    async with service.consuming(retry_seconds=(0.0,)):
        for _ in range(100):
            await asyncio.sleep(0)
        async with service.database.write() as connection:
            await connection.execute(text("ALTER TABLE away RENAME TO handled_events"))
        await service.settled(1)
    assert await service.keeper.kept() == ["patient"]
    assert service.outcome("failed") == 0


async def test_a_burst_is_held_back_and_goes_on(service: Service) -> None:
    texts = [f"{number:03}" for number in range(500)]
    service.append(*texts)
    async with service.consuming():
        await service.settled(500)
        service.append("after")
        await service.settled(501)
    assert await service.keeper.kept() == [*texts, "after"]
    assert service.source.pauses == [(TOPIC, 1)]


async def test_closing_lets_a_handler_finish(service: Service) -> None:
    entered, release = asyncio.Event(), asyncio.Event()
    keep = service.keeper.subscription.handler

    async def slow(connection, event):  # type: ignore[no-untyped-def]
        entered.set()
        await release.wait()
        await keep(connection, event)

    service.keeper.subscription = type(service.keeper.subscription)(TOPIC, StringValue, slow)
    service.append("slow", "never begun")
    async with service.consuming(stop_seconds=5):
        await entered.wait()
        asyncio.get_running_loop().call_soon(release.set)
    assert await service.keeper.kept() == ["slow"]
    assert service.log.count_settled() == 1


async def test_closing_cancels_a_handler_that_does_not_finish_and_its_event_comes_again(service: Service) -> None:
    entered = asyncio.Event()

    async def stuck(connection, event):  # type: ignore[no-untyped-def]
        entered.set()
        await asyncio.Event().wait()

    subscription = service.keeper.subscription
    service.keeper.subscription = type(subscription)(TOPIC, StringValue, stuck)
    service.append("again")
    async with service.consuming(stop_seconds=0.01):
        await entered.wait()
    assert service.log.count_settled() == 0
    service.keeper.subscription = subscription
    service.registry = CollectorRegistry()
    async with service.consuming():
        await service.settled(1)
    assert await service.keeper.kept() == ["again"]


async def test_old_handled_ids_are_forgotten_and_new_ones_kept(service: Service) -> None:
    async with service.database.write() as connection:
        await connection.execute(
            insert(handled_events), [{"event_id": f"old-{number}", "handled_at": 1} for number in range(600)]
        )
    service.append("new")
    async with service.consuming():
        await service.settled(1)
    async with service.database.read() as connection:
        assert await connection.scalar(select(func.count()).select_from(handled_events)) == 1


async def test_handling_is_a_span_of_the_trace_that_the_event_comes_from(
    service: Service, spans: InMemorySpanExporter
) -> None:
    service.keeper.failures["traced"] = FAILURES[:1]
    service.append("traced", traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    async with service.consuming():
        await service.settled(1)
    failed, handled = [span for span in spans.get_finished_spans() if span.kind is SpanKind.CONSUMER]
    assert {failed.context.trace_id, handled.context.trace_id} == {0x0AF7651916CD43DD8448EB211C80319C}
    assert handled.parent is not None and handled.parent.span_id == 0xB7AD6B7169203331
    assert (failed.status.status_code, failed.status.description) == (StatusCode.ERROR, "model_down")
    assert handled.name == f"process {TOPIC}"
    assert handled.attributes is not None and handled.attributes["messaging.consumer.group.name"] == "notes"
    writes = [span for span in spans.get_finished_spans() if span.name == "sql write"]
    assert [span.parent and span.parent.span_id for span in writes] == [failed.context.span_id, handled.context.span_id]
