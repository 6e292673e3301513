"""Summaries and people."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.mysql import MEDIUMTEXT

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "dead_letters",
        sa.Column("event_id", sa.String(length=36), nullable=False),
        sa.Column("topic", sa.String(length=249), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(length=1048576), nullable=False),
        sa.Column("traceparent", sa.String(length=55), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("event_id"),
    )
    op.create_index("dead_letters_by_time", "dead_letters", ["failed_at", "event_id"], unique=False)
    op.create_table(
        "handled_events",
        sa.Column("event_id", sa.String(length=36), nullable=False),
        sa.Column("handled_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("event_id"),
    )
    op.create_index("handled_events_by_time", "handled_events", ["handled_at"], unique=False)
    op.create_table(
        "memory_items",
        sa.Column("item_id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("text", sa.String(length=300), nullable=False),
        sa.Column("conversation_id", sa.String(length=36), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("item_id"),
    )
    op.create_index("memory_items_by_time", "memory_items", ["user_id", "created_at", "item_id"], unique=False)
    op.create_table(
        "people",
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("remembers", sa.Boolean(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id"),
    )
    op.create_table(
        "summaries",
        sa.Column("conversation_id", sa.String(length=36), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("turns_covered", sa.Integer(), nullable=False),
        sa.Column("messages_covered", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["conversation_id"], ["conversations.conversation_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("conversation_id"),
    )
    op.add_column("conversations", sa.Column("messages_total", sa.Integer(), server_default="0", nullable=False))
    op.add_column("conversations", sa.Column("title_is_draft", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("conversations", sa.Column("due_at", sa.BigInteger(), server_default="0", nullable=False))
    op.create_index("conversations_by_age", "conversations", ["updated_at"], unique=False)
    op.create_index("conversations_due", "conversations", ["due_at"], unique=False)
    op.add_column("turns", sa.Column("tools", sa.Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb"), nullable=True))
    op.execute("UPDATE conversations SET messages_total = 2 * turns_total")


def downgrade() -> None:
    op.drop_column("turns", "tools")
    op.drop_index("conversations_due", table_name="conversations")
    op.drop_index("conversations_by_age", table_name="conversations")
    op.drop_column("conversations", "due_at")
    op.drop_column("conversations", "title_is_draft")
    op.drop_column("conversations", "messages_total")
    op.drop_table("summaries")
    op.drop_table("people")
    op.drop_index("memory_items_by_time", table_name="memory_items")
    op.drop_table("memory_items")
    op.drop_index("handled_events_by_time", table_name="handled_events")
    op.drop_table("handled_events")
    op.drop_index("dead_letters_by_time", table_name="dead_letters")
    op.drop_table("dead_letters")
