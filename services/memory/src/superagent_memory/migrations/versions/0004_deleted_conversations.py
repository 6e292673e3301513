"""Deleted conversations."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "deleted_conversations",
        sa.Column("conversation_id", sa.String(length=36), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id"),
    )
    op.create_index("deleted_conversations_by_time", "deleted_conversations", ["deleted_at"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("event_id", sa.String(length=36), nullable=False),
        sa.Column("topic", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("payload", sa.LargeBinary(length=1048576), nullable=False),
        sa.Column("traceparent", sa.String(length=55), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("published_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("position"),
        sa.UniqueConstraint("event_id"),
    )
    op.create_index("outbox_unpublished", "outbox", ["published_at", "position"], unique=False)


def downgrade() -> None:
    op.drop_index("outbox_unpublished", table_name="outbox")
    op.drop_table("outbox")
    op.drop_index("deleted_conversations_by_time", table_name="deleted_conversations")
    op.drop_table("deleted_conversations")
