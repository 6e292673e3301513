"""Conversations and turns."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.mysql import MEDIUMTEXT

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "conversations",
        sa.Column("conversation_id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("strategy", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("turns_total", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id"),
    )
    op.create_index(
        "conversations_by_activity", "conversations", ["user_id", "updated_at", "conversation_id"], unique=False
    )
    op.create_table(
        "turns",
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("conversation_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("question", sa.Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb"), nullable=False),
        sa.Column("answer", sa.Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb"), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("mode", sa.String(length=20), nullable=False),
        sa.Column("finish_reason", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.Column("sources", sa.LargeBinary(length=2**24 - 1), nullable=False),
        sa.Column("clarify", sa.LargeBinary(length=2**24 - 1), nullable=False),
        sa.ForeignKeyConstraint(["conversation_id"], ["conversations.conversation_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("turn_id"),
    )
    op.create_index("turns_by_position", "turns", ["conversation_id", "position"], unique=True)


def downgrade() -> None:
    op.drop_index("turns_by_position", table_name="turns")
    op.drop_table("turns")
    op.drop_index("conversations_by_activity", table_name="conversations")
    op.drop_table("conversations")
