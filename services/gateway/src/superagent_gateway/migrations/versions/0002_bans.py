"""Bans."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("users", sa.Column("banned_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("users", "banned_at")
