"""Revisions of what is said of documents; documents that were removed a short while ago."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("documents", sa.Column("revision", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_table(
        "removed_documents",
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("document_id"),
    )
    op.create_index("removed_documents_by_time", "removed_documents", ["removed_at"], unique=False)


def downgrade() -> None:
    op.drop_index("removed_documents_by_time", table_name="removed_documents")
    op.drop_table("removed_documents")
    op.drop_column("documents", "revision")
