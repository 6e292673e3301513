"""That somebody wants a running turn to stop, for whoever runs it next."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("turns", sa.Column("stop_asked_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("turns", "stop_asked_at")
