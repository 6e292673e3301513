"""Turns and spans."""

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
        "spans",
        sa.Column("span_id", sa.String(length=16), nullable=False),
        sa.Column("trace_id", sa.String(length=32), nullable=False),
        sa.Column("parent_span_id", sa.String(length=16), nullable=False),
        sa.Column("service", sa.String(length=60), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("duration_us", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.Boolean(), nullable=False),
        sa.Column("attributes", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("span_id"),
    )
    op.create_index("spans_by_start", "spans", ["started_at"], unique=False)
    op.create_index("spans_by_trace", "spans", ["trace_id", "started_at"], unique=False)
    op.create_table(
        "turns",
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("conversation_id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("trace_id", sa.String(length=32), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("turn_id"),
    )
    op.create_index("turns_by_conversation", "turns", ["conversation_id", "started_at"], unique=False)
    op.create_index("turns_by_start", "turns", ["started_at", "turn_id"], unique=False)
    op.create_index("turns_by_user", "turns", ["user_id", "started_at", "turn_id"], unique=False)


def downgrade() -> None:
    op.drop_index("turns_by_user", table_name="turns")
    op.drop_index("turns_by_start", table_name="turns")
    op.drop_index("turns_by_conversation", table_name="turns")
    op.drop_table("turns")
    op.drop_index("spans_by_trace", table_name="spans")
    op.drop_index("spans_by_start", table_name="spans")
    op.drop_table("spans")
    op.drop_index("handled_events_by_time", table_name="handled_events")
    op.drop_table("handled_events")
    op.drop_index("dead_letters_by_time", table_name="dead_letters")
    op.drop_table("dead_letters")
