"""Unlisted conversations."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("conversations", sa.Column("listed", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.drop_index(op.f("conversations_by_activity"), table_name="conversations")
    op.create_index(
        "conversations_by_activity",
        "conversations",
        ["user_id", "listed", "updated_at", "conversation_id"],
        unique=False,
    )


def downgrade() -> None:
    op.drop_index("conversations_by_activity", table_name="conversations")
    op.create_index(
        op.f("conversations_by_activity"), "conversations", ["user_id", "updated_at", "conversation_id"], unique=False
    )
    op.drop_column("conversations", "listed")
