"""Tables of the orchestrator service."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, LargeBinary, MetaData, String, Table, UniqueConstraint

from superagent_common.bus import dead_letters_table, handled_events_table, outbox_table

metadata = MetaData()
outbox = outbox_table(metadata)
handled_events = handled_events_table(metadata)
dead_letters = dead_letters_table(metadata)

turns = Table(
    "turns",
    metadata,
    Column("turn_id", String(36), primary_key=True),
    Column("conversation_id", String(36), nullable=False),
    Column("user_id", String(36), nullable=False),
    Column("idempotency_key", String(200)),
    # The conversation while the turn runs, else NULL: a conversation has one running turn.
    Column("running_in", String(36), unique=True),
    # The order of a conversation's turns, from 1: no clock has a say in it.
    Column("position", Integer, nullable=False),
    Column("replaces_turn_id", String(36)),
    Column("replays_turn_id", String(36)),
    Column("principal", JSON, nullable=False),
    Column("request", LargeBinary(2**24 - 1), nullable=False),
    Column("record", LargeBinary(2**24 - 1)),
    Column("trace_parent", String(60), nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("owner", String(36), nullable=False),
    Column("lease_until", BigInteger),
    Column("attempts", Integer, nullable=False),
    # Set once somebody wants the running turn to stop.
    Column("stop_asked_at", BigInteger),
    UniqueConstraint("user_id", "idempotency_key", name="turns_by_key"),
    Index("turns_by_lease", "lease_until"),
    Index("turns_by_conversation", "conversation_id", "position", unique=True),
)

# Turns that memory could not take when they ended.
unstored_turns = Table(
    "unstored_turns",
    metadata,
    Column("turn_id", String(36), primary_key=True),
    Column("conversation_id", String(36), nullable=False),
    Column("principal", JSON, nullable=False),
    Column("request", LargeBinary(2**24 - 1), nullable=False),
    Column("kept_at", BigInteger, nullable=False),
)

# Conversations that memory has deleted. Kept for a while: what belongs to them may still come in.
deleted_conversations = Table(
    "deleted_conversations",
    metadata,
    Column("conversation_id", String(36), primary_key=True),
    Column("deleted_at", BigInteger, nullable=False),
    # From when on to look for what is left of it; 0: nothing is.
    Column("due_at", BigInteger, nullable=False),
    Index("deleted_conversations_due", "due_at"),
    Index("deleted_conversations_by_time", "deleted_at"),
)
