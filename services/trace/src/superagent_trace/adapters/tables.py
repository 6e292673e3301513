"""Tables of the trace service."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, Float, Index, LargeBinary, MetaData, String, Table

from superagent_common.bus import dead_letters_table, handled_events_table

metadata = MetaData()
handled_events = handled_events_table(metadata)
dead_letters = dead_letters_table(metadata)

turns = Table(
    "turns",
    metadata,
    Column("turn_id", String(36), primary_key=True),
    Column("conversation_id", String(36), nullable=False),
    Column("user_id", String(36), nullable=False),
    Column("trace_id", String(32), nullable=False),
    Column("model", String(200), nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost", Float, nullable=False),
    Column("record", LargeBinary(2**24 - 1), nullable=False),
    Index("turns_by_user", "user_id", "started_at", "turn_id"),
    Index("turns_by_conversation", "conversation_id", "started_at"),
    Index("turns_by_start", "started_at", "turn_id"),
    Index("turns_by_trace", "trace_id"),
)

spans = Table(
    "spans",
    metadata,
    Column("span_id", String(16), primary_key=True),
    Column("trace_id", String(32), nullable=False),
    Column("parent_span_id", String(16), nullable=False),
    Column("service", String(60), nullable=False),
    Column("name", String(200), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("duration_us", BigInteger, nullable=False),
    Column("failed", Boolean, nullable=False),
    Column("attributes", JSON, nullable=False),
    Index("spans_by_trace", "trace_id", "started_at"),
    Index("spans_by_start", "started_at"),
)

# Deleted conversations and the traces of their turns, which are dropped when they come late. The two kinds of ids do
# not look alike.
deleted = Table(
    "deleted",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("deleted_at", BigInteger, nullable=False),
    Index("deleted_by_time", "deleted_at"),
)
