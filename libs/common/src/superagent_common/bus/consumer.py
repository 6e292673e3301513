"""Consumes events: in order, once, with retries, and never stuck on one of them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import structlog
from opentelemetry.trace import Tracer
from prometheus_client import CollectorRegistry, Counter
from sqlalchemy import Table, bindparam, delete, select

from superagent_common import clock
from superagent_common.bus.dead_letters import DeadLetters
from superagent_common.bus.event import Delivery, Subscription
from superagent_common.bus.handling import Handling, StoreFailed
from superagent_common.bus.ports import Partition, Source
from superagent_common.db import Database
from superagent_common.errors import InvalidInput, reason_of

DEFAULT_RETRY_SECONDS = (0.5, 2.0, 8.0, 30.0)
"""Pauses before the second to the fifth try."""
REMEMBERED_SECONDS = 14 * 86_400
"""How long consumers know what they have handled: longer than topics keep events."""
_BACKLOG = 200
_DELETE_EVERY_SECONDS = 3600.0
_DELETED_AT_ONCE = 500


@dataclass(slots=True)
class _Backlog:
    """What has come in of one partition and is not settled."""

    deliveries: deque[Delivery] = field(default_factory=deque)
    paused: bool = False
    revoked: asyncio.Event = field(default_factory=asyncio.Event)


class EventConsumer:
    """A service's member of its consumer group: a context manager that consumes while it is open.

    Partitions are handled side by side, each in order. An event that fails is tried again after each of
    `retry_seconds`, the partition waiting; then it becomes a dead letter and the next one's turn comes. Failures of the
    service's own database before the handler is entered do not count as tries.
    """

    def __init__(
        self,
        source: Source,
        subscriptions: Sequence[Subscription[Any]],
        database: Database,
        handled: Table,
        dead_letters: Table,
        *,
        tracer: Tracer,
        registry: CollectorRegistry,
        retry_seconds: Sequence[float] = DEFAULT_RETRY_SECONDS,
        handled_retention_seconds: float = REMEMBERED_SECONDS,
        stop_seconds: float = 3.0,
    ) -> None:
        """Handled ids are kept for `handled_retention_seconds`: longer than the topics keep their events.

        Closing gives handlers that run `stop_seconds` to end; they are cancelled then, and the event comes again.
        """
        self._handling = Handling(source.group, subscriptions, database, handled, tracer)
        self.dead_letters = DeadLetters(database, dead_letters, self._handling)
        self._topics = [subscription.topic for subscription in subscriptions]
        self._source = source
        self._database = database
        self._handled = handled
        self._retry_seconds = tuple(retry_seconds)
        self._handled_retention = int(handled_retention_seconds * clock.SECOND)
        self._stop_seconds = stop_seconds
        self._outcomes = Counter("events_handled", "Events by outcome.", ("topic", "outcome"), registry=registry)
        self._backlogs: dict[Partition, _Backlog] = {}
        self._workers: set[asyncio.Task[None]] = set()
        self._stopping = False
        self._log = structlog.get_logger().bind(group=source.group)

    async def __aenter__(self) -> EventConsumer:
        self._source.start(self._topics, self._receive, self._revoke)
        self._deletion = asyncio.create_task(self._delete_old(), name="handled-events-retention")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping = True
        self._deletion.cancel()
        self._revoke(list(self._backlogs))
        if self._workers:
            _, late = await asyncio.wait(self._workers, timeout=self._stop_seconds)
            for worker in late:
                worker.cancel()
        await asyncio.gather(self._deletion, *self._workers, return_exceptions=True)
        await self._source.close()

    def _receive(self, deliveries: Sequence[Delivery]) -> None:
        if self._stopping:
            return
        for delivery in deliveries:
            partition = (delivery.topic, delivery.partition)
            backlog = self._backlogs.get(partition)
            if backlog is None:
                backlog = self._backlogs[partition] = _Backlog()
                worker = asyncio.create_task(self._work(partition, backlog), name=f"consume {partition}")
                self._workers.add(worker)
                worker.add_done_callback(self._end_work)
            backlog.deliveries.append(delivery)
            if len(backlog.deliveries) > _BACKLOG:
                self._pause(partition, backlog)

    def _revoke(self, partitions: Iterable[Partition]) -> None:
        """Drops what is waiting; what is being handled ends, and whoever gets it again finds it handled."""
        for partition in partitions:
            if backlog := self._backlogs.pop(partition, None):
                backlog.revoked.set()

    async def _work(self, partition: Partition, backlog: _Backlog) -> None:
        while backlog.deliveries and not backlog.revoked.is_set():
            delivery = backlog.deliveries[0]
            if await self._settle(delivery, partition, backlog):
                backlog.deliveries.popleft()
                self._source.settled(delivery)
        if not backlog.revoked.is_set():
            del self._backlogs[partition]
            if backlog.paused:
                self._source.resume(partition)

    def _end_work(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        if not worker.cancelled() and (error := worker.exception()):
            self._log.critical("consumer_stuck", work=worker.get_name(), exc_info=error)

    async def _settle(self, delivery: Delivery, partition: Partition, backlog: _Backlog) -> bool:
        """Handles an event or gives it up; False when the partition was revoked before either."""
        attempt = 1
        while True:
            try:
                outcome = await self._handling.handle_once(delivery, attempt)
            except StoreFailed as error:
                self._log.warning("event_store_failed", error=repr(error.__cause__))
                pause = self._retry_seconds[-1]
            except Exception as error:  # noqa: BLE001 - whatever a handler raises is counted and told by its reason
                hopeless = isinstance(error, InvalidInput) and error.reason == "undecodable_event"
                if hopeless or attempt > len(self._retry_seconds):
                    return await self._give_up(delivery, error, attempt, backlog)
                pause = self._retry_seconds[attempt - 1]
                attempt += 1
                self._count(delivery, "failed")
                self._log.warning(
                    "event_failed",
                    topic=delivery.topic,
                    event_id=delivery.event_id,
                    reason=reason_of(error),
                    next_try_in=pause,
                )
            else:
                self._count(delivery, outcome)
                return True
            self._pause(partition, backlog)
            if await _is_set_within(backlog.revoked, pause):
                return False

    async def _give_up(self, delivery: Delivery, error: Exception, attempts: int, backlog: _Backlog) -> bool:
        reason = reason_of(error)
        while True:
            try:
                await self.dead_letters.add(delivery, reason, attempts)
            except Exception as failure:  # noqa: BLE001 - an event is never dropped, whatever the database does
                self._log.warning("event_store_failed", error=repr(failure))
                if await _is_set_within(backlog.revoked, self._retry_seconds[-1]):
                    return False
            else:
                self._count(delivery, "dead_letter")
                self._log.error(
                    "event_given_up",
                    topic=delivery.topic,
                    event_id=delivery.event_id,
                    reason=reason,
                    attempts=attempts,
                    exc_info=error,
                )
                return True

    def _pause(self, partition: Partition, backlog: _Backlog) -> None:
        if not backlog.paused and not backlog.revoked.is_set():
            backlog.paused = True
            self._source.pause(partition)

    def _count(self, delivery: Delivery, outcome: str) -> None:
        self._outcomes.labels(delivery.topic, outcome).inc()

    async def _delete_old(self) -> None:
        table = self._handled
        old = select(table.c.event_id).where(table.c.handled_at < bindparam("at")).limit(_DELETED_AT_ONCE)
        remove = delete(table).where(table.c.event_id.in_(bindparam("ids", expanding=True)))
        while True:
            try:
                while True:
                    async with self._database.write() as connection:
                        ids = (await connection.scalars(old, {"at": clock.now() - self._handled_retention})).all()
                        if ids:
                            await connection.execute(remove, {"ids": ids})
                    if len(ids) < _DELETED_AT_ONCE:
                        break
            except Exception as error:  # noqa: BLE001 - the next hour is another chance
                self._log.warning("handled_events_retention_failed", error=repr(error))
            await asyncio.sleep(_DELETE_EVERY_SECONDS)


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True
