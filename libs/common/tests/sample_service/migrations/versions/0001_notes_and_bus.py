"""Notes and bus."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


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
        "notes",
        sa.Column("note_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("note_id"),
        sa.UniqueConstraint("text"),
    )
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
    op.drop_table("notes")
    op.drop_index("handled_events_by_time", table_name="handled_events")
    op.drop_table("handled_events")
    op.drop_index("dead_letters_by_time", table_name="dead_letters")
    op.drop_table("dead_letters")
