"""Publishes a service's outbox."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

import structlog
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context
from prometheus_client import CollectorRegistry, Counter, Gauge
from sqlalchemy import Row

from superagent_common import clock
from superagent_common.bus.event import EVENT_ID_HEADER, TRACEPARENT_HEADER, Record
from superagent_common.bus.outbox import Outbox
from superagent_common.bus.ports import Publisher
from superagent_common.db import Database
from superagent_common.telemetry import PROPAGATOR

_BATCH = 200
_DELETE_EVERY_SECONDS = 60.0


class OutboxRelay:
    """Publishes what is in the outbox, in order, at least once: a context manager that works while it is open.

    It looks when woken and every `sweep_seconds`, and rests for `rest_seconds` when it has published: what is written at
    once goes together, since a request costs the brokers far more than an event more in it. Relays of several replicas
    may share a table without a lock: each publishes every event in the order of writing, so the first copies are in order,
    and consumers skip the others.
    """

    def __init__(
        self,
        database: Database,
        outbox: Outbox,
        publisher: Publisher,
        *,
        tracer: Tracer,
        registry: CollectorRegistry,
        retention_seconds: float = 24 * 3600,
        sweep_seconds: float = 1.0,
        rest_seconds: float = 0.25,
        stop_seconds: float = 1.0,
    ) -> None:
        """Published events are kept for `retention_seconds`; closing takes `stop_seconds` at most to publish the rest."""
        self._database = database
        self._outbox = outbox
        self._publisher = publisher
        self._tracer = tracer
        self._retention = int(retention_seconds * clock.SECOND)
        self._sweep_seconds = sweep_seconds
        self._rest_seconds = rest_seconds
        self._stop_seconds = stop_seconds
        self._published = Counter("events_published", "Events published.", ("topic",), registry=registry)
        self._waiting = Gauge("outbox_unpublished", "Events that wait to be published.", registry=registry)
        self._wake = asyncio.Event()
        self._stopping = asyncio.Event()
        self._rests_until = 0.0
        self._next_deletion = 0.0
        self._log = structlog.get_logger()

    def wake(self) -> None:
        """Says that an event has been committed."""
        self._wake.set()

    async def __aenter__(self) -> OutboxRelay:
        self._task = asyncio.create_task(self._run(), name="outbox-relay")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._wake.set()
        await asyncio.wait([self._task], timeout=self._stop_seconds)
        await self._publisher.close()
        await self._task

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            last_round = self._stopping.is_set()
            try:
                more = await self._publish_batch()
                if time.monotonic() >= self._next_deletion:
                    await self._delete_old()
            except Exception as error:  # noqa: BLE001 - the relay outlives a database that is down
                self._log.warning("outbox_relay_failed", error=repr(error))
                more = False
            if last_round and not more:
                return
            if not more:
                await self._rest()
                timer = asyncio.get_running_loop().call_later(self._sweep_seconds, self._wake.set)
                await self._wake.wait()
                timer.cancel()

    async def _rest(self) -> None:
        seconds = self._rests_until - time.monotonic()
        if seconds > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _publish_batch(self) -> bool:
        """Publishes the oldest events; returns whether to go on at once."""
        async with self._database.read() as connection:
            rows = await self._outbox.unpublished(connection, _BATCH)
            waiting = len(rows) if len(rows) < _BATCH else await self._outbox.count_unpublished(connection)
        self._waiting.set(waiting)
        if not rows:
            return False
        spans = [self._start_span(row) for row in rows]
        records = [_record(row, span) for row, span in zip(rows, spans, strict=True)]
        stored: Sequence[bool] = [False] * len(rows)
        try:
            stored = await self._publisher.publish(records)
        finally:
            for span, is_stored in zip(spans, stored, strict=True):
                if not is_stored:
                    span.set_status(Status(StatusCode.ERROR, "not_stored"))
                span.end()
        done = [row for row, is_stored in zip(rows, stored, strict=True) if is_stored]
        if done:
            self._rests_until = time.monotonic() + self._rest_seconds
            async with self._database.write() as connection:
                await self._outbox.mark_published(connection, [row.position for row in done])
        for row in done:
            self._published.labels(row.topic).inc()
        self._waiting.set(waiting - len(done))
        if len(done) < len(rows):
            self._log.warning("events_not_stored", count=len(rows) - len(done))
            return False
        return len(rows) == _BATCH

    async def _delete_old(self) -> None:
        before = clock.now() - self._retention
        more = True
        while more:
            async with self._database.write() as connection:
                more = await self._outbox.delete_published(connection, before)
        self._next_deletion = time.monotonic() + _DELETE_EVERY_SECONDS

    def _start_span(self, row: Row[Any]) -> Span:
        return self._tracer.start_span(
            f"publish {row.topic}",
            PROPAGATOR.extract({TRACEPARENT_HEADER: row.traceparent}),
            SpanKind.PRODUCER,
            {
                "messaging.system": "kafka",
                "messaging.operation.type": "send",
                "messaging.destination.name": row.topic,
                "messaging.message.id": row.event_id,
                "messaging.kafka.message.key": row.key,
            },
        )


def _record(row: Row[Any], span: Span) -> Record:
    headers = {EVENT_ID_HEADER: row.event_id}
    PROPAGATOR.inject(headers, set_span_in_context(span))
    return Record(row.topic, row.key, row.payload, headers)
