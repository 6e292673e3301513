"""Tables of the memory service."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
    true,
)
from sqlalchemy.dialects.mysql import MEDIUMTEXT

from superagent_common.bus import dead_letters_table, handled_events_table, outbox_table
from superagent_memory.domain.conversations import FINISH_REASON_CHARACTERS

metadata = MetaData()
outbox = outbox_table(metadata)
handled_events = handled_events_table(metadata)
dead_letters = dead_letters_table(metadata)

# MySQL's TEXT and BLOB end at 64 KB; the others' have no such limit.
_LONG_TEXT = Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")
_LONG_BYTES = LargeBinary(2**24 - 1)


def _of_conversation(*, primary_key: bool = False) -> Column[str]:
    return Column(
        "conversation_id",
        String(36),
        ForeignKey("conversations.conversation_id", ondelete="CASCADE"),
        nullable=False,
        primary_key=primary_key,
    )


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
    Column("messages_total", Integer, nullable=False, server_default="0"),
    Column("title_is_draft", Boolean, nullable=False, server_default=false()),
    # 0: nothing to do. Otherwise from when on it may be taken; whoever takes it moves that to the end of a lease.
    Column("due_at", BigInteger, nullable=False, server_default="0"),
    # False: begun by a client that keeps its conversations itself.
    Column("listed", Boolean, nullable=False, server_default=true()),
    Index("conversations_by_activity", "user_id", "listed", "updated_at", "conversation_id"),
    Index("conversations_due", "due_at"),
    Index("conversations_by_age", "updated_at"),
)

# Ids that nobody gets again while what a deleted conversation has left elsewhere may still come in.
deleted_conversations = Table(
    "deleted_conversations",
    metadata,
    Column("conversation_id", String(36), primary_key=True),
    Column("deleted_at", BigInteger, nullable=False),
    Index("deleted_conversations_by_time", "deleted_at"),
)

turns = Table(
    "turns",
    metadata,
    Column("turn_id", String(36), primary_key=True),
    _of_conversation(),
    Column("position", Integer, nullable=False),
    Column("question", _LONG_TEXT, nullable=False),
    Column("answer", _LONG_TEXT, nullable=False),
    Column("state", String(20), nullable=False),
    Column("mode", String(20), nullable=False),
    Column("finish_reason", String(FINISH_REASON_CHARACTERS), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("asked_at", BigInteger, nullable=False),
    Column("stored_at", BigInteger, nullable=False),
    Column("sources", _LONG_BYTES, nullable=False),
    Column("clarify", _LONG_BYTES, nullable=False),
    # JSON, empty without any: [[call id, name, arguments, ok, result], ...]
    Column("tools", _LONG_TEXT),
    Index("turns_by_position", "conversation_id", "position", unique=True),
)

summaries = Table(
    "summaries",
    metadata,
    _of_conversation(primary_key=True),
    Column("text", Text, nullable=False),
    # JSON: [[text, weight], ...]
    Column("facts", Text, nullable=False),
    Column("turns_covered", Integer, nullable=False),
    Column("messages_covered", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)

people = Table(
    "people",
    metadata,
    Column("user_id", String(36), primary_key=True),
    Column("remembers", Boolean, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)

memory_items = Table(
    "memory_items",
    metadata,
    Column("item_id", String(36), primary_key=True),
    Column("user_id", String(36), nullable=False),
    Column("text", String(300), nullable=False),
    Column("conversation_id", String(36), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("memory_items_by_time", "user_id", "created_at", "item_id"),
)
