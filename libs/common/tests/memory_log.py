"""A log of events in memory: the bus's ports without a broker."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from superagent_common.bus.event import Delivery, Record
from superagent_common.bus.ports import Partition


class MemoryLog:
    """Topics of two partitions. `up` is cleared to take it down."""

    def __init__(self) -> None:
        self.up = asyncio.Event()
        self.up.set()
        self.partitions: dict[Partition, list[Delivery]] = defaultdict(list)
        self.settled: dict[tuple[str, Partition], int] = defaultdict(int)
        self.changed = asyncio.Event()
        self.progress = asyncio.Event()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Waits for something that changes as events are appended and settled, and partitions paused."""
        while not condition():
            self.progress.clear()
            await asyncio.wait_for(self.progress.wait(), 120)

    def settle(self, group: str, delivery: Delivery) -> None:
        self.settled[group, (delivery.topic, delivery.partition)] = delivery.offset + 1
        self.progress.set()

    def count_settled(self) -> int:
        return sum(self.settled.values())

    def append(self, record: Record) -> None:
        partition = (record.topic, sum(record.key.encode()) % 2)
        log = self.partitions[partition]
        log.append(
            Delivery(
                event_id=record.headers["event-id"],
                topic=record.topic,
                partition=partition[1],
                offset=len(log),
                key=record.key,
                value=record.value,
                traceparent=record.headers.get("traceparent", ""),
            )
        )
        self.changed.set()
        self.progress.set()

    def all(self) -> list[Delivery]:
        return [delivery for log in self.partitions.values() for delivery in log]


class MemoryPublisher:
    """`Publisher` on a `MemoryLog`; `batches` counts calls, `called` is set by each."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log
        self._closed = asyncio.Event()
        self.batches = 0
        self.called = asyncio.Event()

    async def publish(self, records: Sequence[Record]) -> Sequence[bool]:
        self.batches += 1
        self.called.set()
        up, closed = (asyncio.create_task(event.wait()) for event in (self._log.up, self._closed))
        await asyncio.wait([up, closed], return_when=asyncio.FIRST_COMPLETED)
        up.cancel()
        closed.cancel()
        if not self._log.up.is_set():
            return [False] * len(records)
        for record in records:
            self._log.append(record)
        return [True] * len(records)

    async def close(self) -> None:
        self._closed.set()


class MemorySource:
    """`Source` on a `MemoryLog`, the only member of its group."""

    def __init__(self, log: MemoryLog, group: str = "notes") -> None:
        self.group = group
        self._log = log
        self._read: dict[Partition, int] = {}
        self.paused: set[Partition] = set()
        self.pauses: list[Partition] = []

    def start(
        self,
        topics: Sequence[str],
        receive: Callable[[Sequence[Delivery]], None],
        revoke: Callable[[Iterable[Partition]], None],
    ) -> None:
        self._topics = topics
        self._receive = receive
        self.revoke = revoke
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            self._log.changed.clear()
            await self._log.up.wait()
            for partition, log in list(self._log.partitions.items()):
                if partition[0] in self._topics and partition not in self.paused:
                    position = self._read.setdefault(partition, self._log.settled[self.group, partition])
                    if log[position:]:
                        self._receive(log[position:])
                        self._read[partition] = len(log)
            await self._log.changed.wait()

    def hand_over(self, partition: Partition) -> None:
        """Takes a partition away and gives it back: reading starts again behind what is settled."""
        self.revoke([partition])
        self.paused.discard(partition)
        self._read.pop(partition)
        self._log.changed.set()

    def pause(self, partition: Partition) -> None:
        self.pauses.append(partition)
        self._log.progress.set()
        self.paused.add(partition)

    def resume(self, partition: Partition) -> None:
        self.paused.remove(partition)
        self._log.changed.set()

    def settled(self, delivery: Delivery) -> None:
        self._log.settle(self.group, delivery)

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
