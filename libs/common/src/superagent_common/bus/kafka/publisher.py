"""`Publisher` on Kafka."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from confluent_kafka import KafkaError, Message, Producer

from superagent_common.bus.event import Record
from superagent_common.bus.kafka.client import KafkaSettings, Outage
from superagent_common.bus.kafka.topics import ensure_topics

_FLUSH_SECONDS = 0.2


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
        while self._producer.flush(_FLUSH_SECONDS) and not self._closing.is_set():
            pass
        if all(stored):
            self._outage.end()
        else:
            # An idempotent producer that has met a fatal error refuses everything from then on.
            self._producer.purge()
            self._producer.flush(0)
            self._producer = None
        return stored
