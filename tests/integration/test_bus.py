"""Events over the real broker: each is handled once, whatever dies on the way."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from dev.infrastructure import EmbeddedInfrastructure
from superagent_common.errors import Unavailable
from tests.integration.bus_service import BusService, bus_service

_READY_SECONDS = 90.0
_STOP_SECONDS = 2.0


# Its own: the broker is killed here.
@pytest.fixture(scope="module")
async def infrastructure(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedInfrastructure]:
    async with EmbeddedInfrastructure(tmp_path_factory.mktemp("bus")) as running:
        yield running


@pytest.fixture
def brokers(infrastructure: EmbeddedInfrastructure) -> str:
    return infrastructure.environment()["KAFKA_BROKERS"]


@pytest.fixture
async def service(tmp_path: Path, brokers: str) -> AsyncIterator[BusService]:
    async with bus_service(tmp_path, brokers) as opened:
        yield opened


async def test_an_event_travels_in_one_trace_on_a_topic_of_six_partitions(tmp_path: Path, brokers: str) -> None:
    spans = InMemorySpanExporter()
    async with bus_service(tmp_path, brokers, spans) as service, service.producing() as relay, service.consuming():
        with service.tracer.start_as_current_span("turn") as turn:
            await service.write("traced")
            relay.wake()
        await service.handler_entered(1)
    by_kind = {span.kind: span for span in spans.get_finished_spans() if span.kind is not SpanKind.CLIENT}
    publish, process = by_kind[SpanKind.PRODUCER], by_kind[SpanKind.CONSUMER]
    assert publish.parent is not None and publish.parent.span_id == turn.get_span_context().span_id
    assert process.parent is not None and process.parent.span_id == publish.context.span_id
    assert process.context.trace_id == turn.get_span_context().trace_id
    admin = AdminClient({"bootstrap.servers": brokers})
    topics = (await asyncio.to_thread(admin.list_topics, service.topic, timeout=30)).topics
    assert len(topics[service.topic].partitions) == 6


async def test_a_failing_event_holds_up_its_key_until_it_succeeds(service: BusService) -> None:
    service.keeper.failures["2"] = [Unavailable("model_down")] * 3
    async with service.producing() as relay, service.consuming():
        await service.write("1", "2", "3", key="a")
        await service.write("other", key="b")
        relay.wake()
        await service.handler_entered(7)
        await service.kept(4)
    assert [text for text in service.keeper.calls if text != "other"] == ["1", "2", "2", "2", "2", "3"]
    assert sorted(await service.keeper.kept()) == ["1", "2", "3", "other"]


async def test_an_event_that_fails_five_times_waits_for_an_administrator(service: BusService) -> None:
    service.keeper.failures["bad"] = [Unavailable("model_down")] * 5
    async with service.producing() as relay, service.consuming() as consumer:
        await service.write("bad", "good")
        relay.wake()
        await service.handler_entered(6)
        [letter] = await consumer.dead_letters.list(None, 10)
        assert (letter.reason, letter.attempts) == ("model_down", 5)
        await consumer.dead_letters.redeliver(letter.event_id)
        assert await consumer.dead_letters.list(None, 10) == []
        await service.kept(2)
    assert service.keeper.calls == ["bad"] * 5 + ["good", "bad"]
    assert await service.keeper.kept() == ["good", "bad"]


async def test_a_broker_that_is_down_at_start_is_waited_for(
    infrastructure: EmbeddedInfrastructure, service: BusService
) -> None:
    broker = infrastructure.processes["tansu"]
    await broker.stop(_STOP_SECONDS)
    async with service.producing() as relay, service.consuming():
        await service.write("patient")
        relay.wake()
        broker.start()
        await broker.wait_ready(_READY_SECONDS)
        await service.kept(1)
    assert await service.keeper.kept() == ["patient"]


_ENDS_WHILE_THE_BROKER_IS_DOWN = """
import asyncio, sys
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry
from libs.common.tests.sample_service.notes import NoteKeeper, NoteWriter
from libs.common.tests.sample_service.tables import dead_letters, handled_events
from superagent_common.bus import EventConsumer, KafkaPublisher, KafkaSettings, KafkaSource, OutboxRelay
from superagent_common.db import Database

async def main():
    url, brokers, topic, group = sys.argv[1:]
    settings, common = KafkaSettings(brokers, "notes"), dict(tracer=NoOpTracer(), registry=CollectorRegistry())
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with Database.opened(url, tracer=NoOpTracer()) as database:
        writer, keeper, source = NoteWriter(database), NoteKeeper(database), KafkaSource(settings, group)
        subscription = type(keeper.subscription)(topic, keeper.subscription.message_type, keeper.subscription.handler)
        async with (
            OutboxRelay(database, writer.outbox, KafkaPublisher(settings), **common) as relay,
            EventConsumer(source, [subscription], database, handled_events, dead_letters, **common),
        ):
            await writer.write("before", topic=topic)
            relay.wake()
            await lines.readline()
            await writer.write("while down", topic=topic)
            relay.wake()

asyncio.run(main())
"""


async def test_a_service_ends_in_time_while_the_broker_is_down_and_goes_on_at_its_next_start(
    infrastructure: EmbeddedInfrastructure, tmp_path: Path, brokers: str, service: BusService
) -> None:
    broker = infrastructure.processes["tansu"]
    where = (f"sqlite:///{tmp_path}/notes.db", brokers, service.topic, service.group)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _ENDS_WHILE_THE_BROKER_IS_DOWN, *where), stdin=asyncio.subprocess.PIPE
    )
    await service.kept(1)
    await broker.stop(_STOP_SECONDS)
    async with asyncio.timeout(120):
        await process.communicate(b"end\n")
    assert process.returncode == 0
    broker.start()
    await broker.wait_ready(_READY_SECONDS)
    async with service.producing(), service.consuming():
        await service.kept(2)
    assert await service.keeper.kept() == ["before", "while down"]


async def test_nothing_is_lost_or_handled_twice_when_the_broker_is_killed(
    infrastructure: EmbeddedInfrastructure, service: BusService
) -> None:
    broker = infrastructure.processes["tansu"]
    texts = [f"{number:03}" for number in range(120)]
    async with service.producing() as relay, service.consuming():
        for number, text in enumerate(texts):
            await service.write(text, key=str(number % 4))
            relay.wake()
            if number in (30, 80):
                killed = broker.kill(signal.SIGKILL)
            if number in (60, 110):
                await broker.wait_ready(_READY_SECONDS, other_than=killed)
                await service.published()
        await service.kept(len(texts))
    kept = await service.keeper.kept()
    assert sorted(kept) == texts
    for key in range(4):
        of_key = [text for text in kept if int(text) % 4 == key]
        assert of_key == sorted(of_key)


_PUBLISHES_BUT_NEVER_TELLS = """
import asyncio, sys
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry
from libs.common.tests.sample_service.notes import NoteWriter
from superagent_common.bus import KafkaPublisher, KafkaSettings, OutboxRelay
from superagent_common.db import Database

class Publisher(KafkaPublisher):
    async def publish(self, records):
        assert all(await super().publish(records))
        print("published", flush=True)
        await asyncio.Event().wait()

async def main():
    async with Database.opened(sys.argv[1], tracer=NoOpTracer()) as database:
        publisher, parts = Publisher(KafkaSettings(sys.argv[2], "doomed")), dict(tracer=NoOpTracer())
        async with OutboxRelay(database, NoteWriter(database).outbox, publisher, registry=CollectorRegistry(), **parts):
            await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_a_relay_killed_between_publishing_and_noting_it_leads_to_one_handling(
    tmp_path: Path, brokers: str, service: BusService
) -> None:
    await service.write("once")
    doomed = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PUBLISHES_BUT_NEVER_TELLS, f"sqlite:///{tmp_path}/notes.db", brokers),
        stdout=asyncio.subprocess.PIPE,
    )
    assert doomed.stdout is not None
    assert await asyncio.wait_for(doomed.stdout.readline(), _READY_SECONDS) == b"published\n"
    doomed.kill()
    await doomed.wait()
    async with service.producing() as relay, service.consuming():
        await service.published()
        await service.write("after", key="a")
        relay.wake()
        # "after" has the same key, so both copies of "once" are behind us when it comes.
        await service.handler_entered(2)
    assert service.keeper.calls == ["once", "after"]


async def test_a_second_replica_takes_over_and_nothing_is_handled_twice(service: BusService) -> None:
    texts = [f"{number:03}" for number in range(60)]
    async with service.producing() as relay:
        async with service.consuming():
            for number, text in enumerate(texts[:30]):
                await service.write(text, key=str(number))
            relay.wake()
            await service.handler_entered(10)
            async with service.consuming():
                for number, text in enumerate(texts[30:]):
                    await service.write(text, key=str(number))
                relay.wake()
                await service.handler_entered(20)
        async with service.consuming():
            await service.kept(len(texts))
    assert sorted(await service.keeper.kept()) == texts
