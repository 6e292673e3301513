"""Tables of the memory service."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

conversations = Table(
    "conversations",
    metadata,
    Column("conversation_id", String(36), primary_key=True),
    Column("user_id", String(36), nullable=False),
    Column("title", String(200), nullable=False),
    Column("strategy", String(20), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("turns_total", Integer, nullable=False),
    Index("conversations_by_activity", "user_id", "updated_at", "conversation_id"),
)

turns = Table(
    "turns",
    metadata,
    Column("turn_id", String(36), primary_key=True),
    Column(
        "conversation_id",
        String(36),
        ForeignKey("conversations.conversation_id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("position", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("state", String(20), nullable=False),
    Column("mode", String(20), nullable=False),
    Column("finish_reason", String(40), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("asked_at", BigInteger, nullable=False),
    Column("stored_at", BigInteger, nullable=False),
    Column("sources", LargeBinary, nullable=False),
    Column("clarify", LargeBinary, nullable=False),
    Index("turns_by_position", "conversation_id", "position", unique=True),
)
