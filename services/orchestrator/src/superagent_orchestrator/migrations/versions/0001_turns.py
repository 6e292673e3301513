"""Turns."""

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
    op.create_table(
        "turns",
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("conversation_id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("idempotency_key", sa.String(length=200), nullable=True),
        sa.Column("running_in", sa.String(length=36), nullable=True),
        sa.Column("principal", sa.JSON(), nullable=False),
        sa.Column("request", sa.LargeBinary(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=True),
        sa.Column("trace_parent", sa.String(length=60), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.String(length=36), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("turn_id"),
        sa.UniqueConstraint("running_in"),
        sa.UniqueConstraint("user_id", "idempotency_key", name="turns_by_key"),
    )
    op.create_index("turns_by_lease", "turns", ["lease_until"], unique=False)


def downgrade() -> None:
    op.drop_index("turns_by_lease", table_name="turns")
    op.drop_table("turns")
    op.drop_index("outbox_unpublished", table_name="outbox")
    op.drop_table("outbox")
    op.drop_index("handled_events_by_time", table_name="handled_events")
    op.drop_table("handled_events")
    op.drop_index("dead_letters_by_time", table_name="dead_letters")
    op.drop_table("dead_letters")
