"""`Source` on Kafka."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Sequence

import structlog
from confluent_kafka import Consumer, KafkaException, Message, TopicPartition

from superagent_common.bus.event import EVENT_ID_HEADER, TRACEPARENT_HEADER, TRACEPARENT_LENGTH, Delivery
from superagent_common.bus.kafka.client import KafkaSettings, Outage
from superagent_common.bus.kafka.topics import ensure_topics
from superagent_common.bus.ports import Partition
from superagent_common.ids import is_id

_POLL_SECONDS = 0.1
_BATCH = 100
_JOIN_SECONDS = 1.0
_AGAIN_SECONDS = 1.0
# Ids for events of outside producers that send none: the same place in the log is the same event.
_PLACES = uuid.UUID("6f0f8f4e-0f0c-4c43-9d0e-6c1f0a4c4b52")


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

        def received(deliveries: Sequence[Delivery]) -> None:
            if not self._stop.is_set():
                loop.call_soon_threadsafe(receive, deliveries)

        def revoked(partitions: Iterable[Partition]) -> None:
            if not self._stop.is_set():
                loop.call_soon_threadsafe(revoke, partitions)

        def run() -> None:
            while not self._stop.is_set():
                try:
                    self._consume(topics, received, revoked)
                except Exception as error:  # noqa: BLE001 - nobody would miss a thread that has ended
                    self._log.error("consumer_failed", exc_info=error)
                    self._stop.wait(_AGAIN_SECONDS)

        self._thread = threading.Thread(target=run, name="kafka-poll", daemon=True)
        self._thread.start()

    def _consume(
        self,
        topics: Sequence[str],
        receive: Callable[[Sequence[Delivery]], None],
        revoke: Callable[[Iterable[Partition]], None],
    ) -> None:
        """Is a member of the group until `stop` is set; blocks. Leaving it revokes what it was given."""
        if not ensure_topics(self._settings, topics, self._outage, self._stop):
            return

        def revoked(_: Consumer, partitions: list[TopicPartition]) -> None:
            revoke([(place.topic, place.partition) for place in partitions])

        consumer = self._open()
        try:
            consumer.subscribe(list(topics), on_revoke=revoked, on_lost=revoked)
            while not self._stop.is_set():
                if deliveries := self._poll(consumer):
                    receive(deliveries)
                self._make_calls(consumer)
            self._make_calls(consumer)
        finally:
            consumer.close()

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
