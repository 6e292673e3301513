"""Room for long questions and records: MySQL's plain BLOB ends at 64 KiB."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    if op.get_bind().dialect.name in ("mysql", "mariadb"):
        blob = sa.LargeBinary(2**24 - 1)
        op.alter_column("turns", "request", type_=blob, existing_nullable=False)
        op.alter_column("turns", "record", type_=blob, existing_nullable=True)
        op.alter_column("unstored_turns", "request", type_=blob, existing_nullable=False)


def downgrade() -> None:
    """What fits into the wider columns may not fit back."""
