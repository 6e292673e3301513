"""Deleted conversations."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "deleted_conversations",
        sa.Column("conversation_id", sa.String(length=36), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id"),
    )
    op.create_index("deleted_conversations_by_time", "deleted_conversations", ["deleted_at"], unique=False)
    op.create_index("deleted_conversations_due", "deleted_conversations", ["due_at"], unique=False)


def downgrade() -> None:
    op.drop_index("deleted_conversations_due", table_name="deleted_conversations")
    op.drop_index("deleted_conversations_by_time", table_name="deleted_conversations")
    op.drop_table("deleted_conversations")
