"""Deleted conversations."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "deleted",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("deleted_by_time", "deleted", ["deleted_at"], unique=False)
    op.create_index("turns_by_trace", "turns", ["trace_id"], unique=False)


def downgrade() -> None:
    op.drop_index("turns_by_trace", table_name="turns")
    op.drop_index("deleted_by_time", table_name="deleted")
    op.drop_table("deleted")
