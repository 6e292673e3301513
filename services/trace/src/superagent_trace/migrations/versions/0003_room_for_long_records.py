"""Room for long records: MySQL's plain BLOB ends at 64 KiB."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    if op.get_bind().dialect.name in ("mysql", "mariadb"):
        op.alter_column("turns", "record", type_=sa.LargeBinary(2**24 - 1), existing_nullable=False)


def downgrade() -> None:
    """What fits into the wider column may not fit back."""
