"""Tables of the bus. A service adds those it needs to its own metadata and to a migration of its own."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, String, Table, Text

from superagent_common.bus.event import TRACEPARENT_LENGTH

_POSITION = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only in an INTEGER key
_TRACEPARENT = String(TRACEPARENT_LENGTH)


def outbox_table(metadata: MetaData) -> Table:
    """`outbox`: events to publish. For services that produce."""
    return Table(
        "outbox",
        metadata,
        Column("position", _POSITION, primary_key=True, autoincrement=True),
        Column("event_id", String(36), nullable=False, unique=True),
        Column("topic", String(200), nullable=False),
        Column("key", String(200), nullable=False),
        Column("payload", LargeBinary(2**20), nullable=False),
        Column("traceparent", _TRACEPARENT, nullable=False),
        Column("created_at", BigInteger, nullable=False),
        Column("published_at", BigInteger),
        Index("outbox_unpublished", "published_at", "position"),
    )


def handled_events_table(metadata: MetaData) -> Table:
    """`handled_events`: ids of events that are settled, handled or given up. For services that consume."""
    return Table(
        "handled_events",
        metadata,
        Column("event_id", String(36), primary_key=True),
        Column("handled_at", BigInteger, nullable=False),
        Index("handled_events_by_time", "handled_at"),
    )


def dead_letters_table(metadata: MetaData) -> Table:
    """`dead_letters`: events that were given up. For services that consume."""
    return Table(
        "dead_letters",
        metadata,
        Column("event_id", String(36), primary_key=True),
        Column("topic", String(249), nullable=False),
        Column("key", Text, nullable=False),
        Column("payload", LargeBinary(2**20), nullable=False),
        Column("traceparent", _TRACEPARENT, nullable=False),
        Column("reason", String(200), nullable=False),
        Column("attempts", Integer, nullable=False),
        Column("failed_at", BigInteger, nullable=False),
        Index("dead_letters_by_time", "failed_at", "event_id"),
    )
