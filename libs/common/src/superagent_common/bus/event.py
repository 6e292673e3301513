"""Events as producers write them, as they travel, and as handlers get them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from google.protobuf.message import Message

from superagent_common.db import Connection

EVENT_ID_HEADER = "event-id"
TRACEPARENT_HEADER = "traceparent"
TRACEPARENT_LENGTH = 55
"""Of version 00, the only one there is."""
MAX_EVENT_BYTES = 900_000
"""Kafka's default limit of a record is 1 MB with headers and framing."""

M = TypeVar("M", bound=Message)


@dataclass(frozen=True, slots=True)
class Event(Generic[M]):
    """An event for a handler. `key` is the aggregate's id: events of one key come in the order they were written."""

    id: str
    topic: str
    key: str
    message: M


@dataclass(frozen=True, slots=True)
class Subscription(Generic[M]):
    """What handles the events of one topic.

    `handler` runs in a write transaction that also records the event as handled: what it writes through the connection
    happens exactly once, anything else at least once. It holds the service's write lock meanwhile, so long work belongs
    in a row that a worker picks up. Raising makes the event come again, and finally a dead letter.
    """

    topic: str
    message_type: type[M]
    handler: Callable[[Connection, Event[M]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Record:
    """An event on its way out."""

    topic: str
    key: str
    value: bytes
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event that has come in, with its place in the log."""

    event_id: str
    topic: str
    partition: int
    offset: int
    key: str
    value: bytes
    traceparent: str
