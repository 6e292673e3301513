"""Several vector indexes, one of which answers; which run's index holds a document."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "vector_indexes",
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("dimension", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("model", "dimension"),
    )
    op.execute(
        "INSERT INTO vector_indexes (model, dimension, state, run_id, started_at) "
        "SELECT model, dimension, 'answering', 'before-runs', chosen_at FROM embedding"
    )
    op.drop_table("embedding")
    op.add_column("documents", sa.Column("held_by", sa.String(length=36), nullable=False, server_default=""))
    op.create_index("documents_by_holder", "documents", ["document_id", "generation", "held_by"], unique=False)


def downgrade() -> None:
    op.drop_index("documents_by_holder", table_name="documents")
    op.drop_column("documents", "held_by")
    op.create_table(
        "embedding",
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("chosen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("model"),
    )
    op.execute(
        "INSERT INTO embedding (model, dimension, chosen_at) "
        "SELECT model, dimension, started_at FROM vector_indexes WHERE state = 'answering'"
    )
    op.drop_table("vector_indexes")
