"""The bus's log on Kafka, through confluent-kafka (librdkafka)."""

from __future__ import annotations

import asyncio
import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import structlog
from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewTopic

from superagent_common.bus.event import EVENT_ID_HEADER, TRACEPARENT_HEADER, TRACEPARENT_LENGTH, Delivery, Record
from superagent_common.bus.ports import Partition
from superagent_common.ids import is_id

_POLL_SECONDS = 0.1
_BATCH = 100
_ADMIN_SECONDS = 2.0
_RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0, 5.0)
_JOIN_SECONDS = 1.5
# Ids for events of outside producers that send none: the same place in the log is the same event.
_PLACES = uuid.UUID("6f0f8f4e-0f0c-4c43-9d0e-6c1f0a4c4b52")


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """How to reach the brokers and what topics look like when they are made.

    `options` go to librdkafka as they are (`security.protocol`, `sasl.username` …). Kafka's own default keeps events
    for seven days; consumers must remember handled ids for longer than that.
    """

    bootstrap_servers: str
    client_id: str
    partitions: int = 6
    retention_seconds: int = 7 * 24 * 3600
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    def client(self, outage: Outage) -> dict[str, Any]:
        """The configuration that every kind of client shares."""
        return {
            "bootstrap.servers": self.bootstrap_servers,
            "client.id": self.client_id,
            "error_cb": outage.report,
            "logger": _LIBRARY_LOG,
            "log.connection.close": False,
            # Each attempt makes and ends threads in librdkafka: with its own 100 ms, ten clients burn 6 % of a core.
            "reconnect.backoff.ms": 500,
            "reconnect.backoff.max.ms": 3_000,
            "socket.keepalive.enable": True,
            **self.options,
        }


# librdkafka writes a line per attempt to reconnect; `Outage` says the same once.
_LIBRARY_LOG = logging.getLogger("librdkafka")
_LIBRARY_LOG.setLevel(logging.CRITICAL)


class Outage:
    """Logs that the brokers cannot be reached once per outage."""

    def __init__(self, client: str) -> None:
        self._client = client
        self.is_on = False
        self._log = structlog.get_logger()

    def report(self, error: KafkaError) -> None:
        """librdkafka's error callback; called in whichever thread polls."""
        if not self.is_on:
            self.is_on = True
            self._log.warning("kafka_unreachable", client=self._client, error=error.name())

    def end(self) -> None:
        """Something has worked."""
        if self.is_on:
            self.is_on = False
            self._log.info("kafka_reachable", client=self._client)


def ensure_topics(settings: KafkaSettings, topics: Iterable[str], outage: Outage, stop: threading.Event) -> bool:
    """Makes the topics that are missing; blocks until they are there (True) or until `stop` is set (False)."""
    admin = AdminClient(settings.client(outage))
    tries = 0
    while not stop.is_set():
        try:
            _make_missing(admin, settings, set(topics))
        except KafkaException as error:
            outage.report(error.args[0])
        else:
            outage.end()
            return True
        stop.wait(_RETRY_SECONDS[min(tries, len(_RETRY_SECONDS) - 1)])
        tries += 1
    return False


def _make_missing(admin: AdminClient, settings: KafkaSettings, topics: set[str]) -> None:
    missing = topics - set(admin.list_topics(timeout=_ADMIN_SECONDS).topics)
    if not missing:
        return
    config = {"retention.ms": str(settings.retention_seconds * 1000)}
    # Without a replication factor the brokers' default applies.
    wanted = [NewTopic(topic, num_partitions=settings.partitions, config=config) for topic in missing]
    for made in admin.create_topics(wanted, operation_timeout=_ADMIN_SECONDS).values():
        try:
            made.result(timeout=2 * _ADMIN_SECONDS)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise


class KafkaPublisher:
    """`Publisher` with an idempotent producer. No thread of ours runs between batches."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._outage = Outage(f"{settings.client_id} producer")
        self._thread = ThreadPoolExecutor(1, "kafka-publish")
        self._closing = threading.Event()
        self._topics: set[str] = set()
        self._producer: Producer | None = None

    async def publish(self, records: Sequence[Record]) -> Sequence[bool]:
        if self._closing.is_set():
            return [False] * len(records)
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._publish, records)

    async def close(self) -> None:
        self._closing.set()
        await asyncio.to_thread(self._thread.shutdown)
        self._producer = None

    def _publish(self, records: Sequence[Record]) -> Sequence[bool]:
        stored = [False] * len(records)
        new_topics = {record.topic for record in records} - self._topics
        if new_topics:
            if not ensure_topics(self._settings, new_topics, self._outage, self._closing):
                return stored
            self._topics |= new_topics
        if self._producer is None:
            self._producer = Producer(
                {
                    **self._settings.client(self._outage),
                    "enable.idempotence": True,
                    "acks": "all",
                    # For ever: the outbox keeps what is not stored, and giving up on one event would break the order.
                    "message.timeout.ms": 0,
                }
            )

        def note(index: int) -> Callable[[KafkaError | None, Message], None]:
            def delivered(error: KafkaError | None, _: Message) -> None:
                stored[index] = error is None

            return delivered

        for index, record in enumerate(records):
            headers = [(name, value.encode()) for name, value in record.headers.items()]
            self._producer.produce(
                record.topic, record.value, record.key.encode(), headers=headers, on_delivery=note(index)
            )
        while self._producer.flush(_POLL_SECONDS) and not self._closing.is_set():
            pass
        if all(stored):
            self._outage.end()
        else:
            # An idempotent producer that has met a fatal error refuses everything from then on.
            self._producer.purge()
            self._producer.flush(0)
            self._producer = None
        return stored


class KafkaSource:
    """`Source` of one member of a consumer group; polls in a thread of its own.

    Everything else that the consumer is asked waits for that thread, too: the library serialises its calls, so one made
    from elsewhere would spin while a poll is under way.
    """

    def __init__(self, settings: KafkaSettings, group: str) -> None:
        self._settings = settings
        self.group = group
        self._outage = Outage(f"{settings.client_id} consumer")
        self._log = structlog.get_logger().bind(group=group)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._calls: deque[Callable[[Consumer], None]] = deque()

    def start(
        self,
        topics: Sequence[str],
        receive: Callable[[Sequence[Delivery]], None],
        revoke: Callable[[Iterable[Partition]], None],
    ) -> None:
        loop = asyncio.get_running_loop()

        def run() -> None:
            if not ensure_topics(self._settings, topics, self._outage, self._stop):
                return

            def revoked(_: Consumer, partitions: list[TopicPartition]) -> None:
                if not self._stop.is_set():
                    loop.call_soon_threadsafe(revoke, [(place.topic, place.partition) for place in partitions])

            consumer = self._open()
            consumer.subscribe(list(topics), on_revoke=revoked, on_lost=revoked)
            while not self._stop.is_set():
                deliveries = self._poll(consumer)
                if deliveries and not self._stop.is_set():
                    loop.call_soon_threadsafe(receive, deliveries)
                self._make_calls(consumer)
            self._make_calls(consumer)
            consumer.close()

        self._thread = threading.Thread(target=run, name="kafka-poll", daemon=True)
        self._thread.start()

    def pause(self, partition: Partition) -> None:
        self._calls.append(lambda consumer: consumer.pause([TopicPartition(*partition)]))

    def resume(self, partition: Partition) -> None:
        self._calls.append(lambda consumer: consumer.resume([TopicPartition(*partition)]))

    def settled(self, delivery: Delivery) -> None:
        place = TopicPartition(delivery.topic, delivery.partition, delivery.offset + 1)
        self._calls.append(lambda consumer: consumer.store_offsets(offsets=[place]))

    async def close(self) -> None:
        self._stop.set()
        if self._thread:
            # With the brokers away, leaving the group waits for them; the group then notices by itself.
            await asyncio.to_thread(self._thread.join, 0 if self._outage.is_on else _JOIN_SECONDS)

    def _make_calls(self, consumer: Consumer) -> None:
        while self._calls:
            try:
                self._calls.popleft()(consumer)
            except KafkaException as error:
                # The partition has gone to another member, which will find the event handled.
                self._log.debug("consumer_call_failed", error=error.args[0].name())

    def _open(self) -> Consumer:
        return Consumer(
            {
                **self._settings.client(self._outage),
                "group.id": self.group,
                "auto.offset.reset": "earliest",
                # Offsets are stored by `settled` and committed in the background, once a second and on leaving.
                "enable.auto.offset.store": False,
                "auto.commit.interval.ms": 1_000,
                # tansu lets a member join after half its session time-out.
                "session.timeout.ms": 6_000,
                "heartbeat.interval.ms": 1_000,
                # Latency against idle CPU of the broker, measured on tansu.
                "fetch.wait.max.ms": 100,
            }
        )

    def _poll(self, consumer: Consumer) -> list[Delivery]:
        first = consumer.poll(_POLL_SECONDS)
        if first is None:  # not `not first`: a message without a value is false
            return []
        deliveries = []
        for message in (first, *consumer.consume(_BATCH, 0)):
            if error := message.error():
                self._outage.report(error)
            else:
                deliveries.append(_delivery(message))
        if deliveries:
            self._outage.end()
        return deliveries


def _delivery(message: Message) -> Delivery:
    headers = {name: value.decode("utf-8", "replace") for name, value in message.headers() or () if value is not None}
    topic, partition, offset = message.topic(), message.partition(), message.offset()
    key = message.key()
    value = message.value()
    event_id = headers.get(EVENT_ID_HEADER, "")
    return Delivery(
        event_id=event_id if is_id(event_id) else str(uuid.uuid5(_PLACES, f"{topic}/{partition}/{offset}")),
        topic=topic,
        partition=partition,
        offset=offset,
        key=key.decode("utf-8", "replace") if key is not None else "",
        value=value if value is not None else b"",
        traceparent=headers.get(TRACEPARENT_HEADER, "")[:TRACEPARENT_LENGTH],
    )
