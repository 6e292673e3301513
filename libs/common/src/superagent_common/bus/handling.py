"""Runs the handler of an event in a transaction with the event's id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from google.protobuf.message import DecodeError
from opentelemetry.trace import Span, SpanKind, Tracer, use_span
from sqlalchemy import Table, insert
from sqlalchemy.exc import IntegrityError

from superagent_common import clock
from superagent_common.bus.event import TRACEPARENT_HEADER, Delivery, Event, Subscription
from superagent_common.db import Connection, Database
from superagent_common.errors import InvalidInput, NotFound
from superagent_common.telemetry import PROPAGATOR, fail


class StoreFailed(Exception):
    """The consumer's own database failed before the handler was entered: not the event's fault."""


class SettledBefore(Exception):
    """The event has been handled or given up already; raised to leave the transaction."""


class Handling:
    """The handlers of a consumer, by topic, and the table of what is settled."""

    def __init__(
        self, group: str, subscriptions: Sequence[Subscription[Any]], database: Database, handled: Table, tracer: Tracer
    ) -> None:
        self._group = group
        self._subscriptions: Mapping[str, Subscription[Any]] = {each.topic: each for each in subscriptions}
        self._database = database
        self._insert_handled = insert(handled)
        self._tracer = tracer

    async def handle_once(self, delivery: Delivery, attempt: int) -> Literal["handled", "duplicate"]:
        """Handles an event unless that has happened before.

        Raises StoreFailed, InvalidInput("undecodable_event"), or what the handler raises.
        """
        entered = False
        with self.span(delivery, attempt) as span:
            try:
                async with self._database.write() as connection:
                    await self.settle(connection, delivery.event_id)
                    entered = True
                    await self.call(connection, delivery)
            except SettledBefore:
                span.set_attribute("superagent.duplicate", True)
                return "duplicate"
            except Exception as error:
                if not entered:
                    raise StoreFailed from error
                raise
        return "handled"

    async def settle(self, connection: Connection, event_id: str) -> None:
        """Records an event as settled. Raises SettledBefore when it is already."""
        try:
            await connection.execute(self._insert_handled, {"event_id": event_id, "handled_at": clock.now()})
        except IntegrityError as error:
            raise SettledBefore from error

    async def call(self, connection: Connection, delivery: Delivery) -> None:
        """Runs the handler."""
        subscription = self._subscriptions.get(delivery.topic)
        if subscription is None:
            raise NotFound("no_handler", "Nothing handles this topic any more.")
        try:
            message = subscription.message_type.FromString(delivery.value)
        except DecodeError as error:
            raise InvalidInput("undecodable_event") from error
        await subscription.handler(connection, Event(delivery.event_id, delivery.topic, delivery.key, message))

    @contextmanager
    def span(self, delivery: Delivery, attempt: int) -> Iterator[Span]:
        """A span in the trace that the event comes from."""
        span = self._tracer.start_span(
            f"process {delivery.topic}",
            PROPAGATOR.extract({TRACEPARENT_HEADER: delivery.traceparent}),
            SpanKind.CONSUMER,
            {
                "messaging.system": "kafka",
                "messaging.operation.type": "process",
                "messaging.destination.name": delivery.topic,
                "messaging.destination.partition.id": str(delivery.partition),
                "messaging.consumer.group.name": self._group,
                "messaging.message.id": delivery.event_id,
                "messaging.kafka.message.key": delivery.key,
                "messaging.kafka.offset": delivery.offset,
                "superagent.attempt": attempt,
            },
        )
        with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            try:
                yield span
            except BaseException as error:
                fail(span, error)
                raise
