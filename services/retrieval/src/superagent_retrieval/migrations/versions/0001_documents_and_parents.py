"""Documents and parents."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "documents",
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("generation", sa.String(length=36), nullable=False),
        sa.Column("title", sa.String(length=300), nullable=False),
        sa.Column("domain", sa.String(length=64), nullable=False),
        sa.Column("business_category", sa.String(length=64), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("language", sa.String(length=10), nullable=False),
        sa.Column("owner_id", sa.String(length=36), nullable=False),
        sa.Column("org_tag", sa.String(length=64), nullable=True),
        sa.Column("is_public", sa.Boolean(), nullable=False),
        sa.Column("uploaded_at", sa.BigInteger(), nullable=False),
        sa.Column("outline", sa.JSON(), nullable=False),
        sa.Column("parents", sa.Integer(), nullable=False),
        sa.Column("children", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("document_id"),
    )
    op.create_index("documents_by_org_tag", "documents", ["org_tag"], unique=False)
    op.create_index("documents_by_owner", "documents", ["owner_id"], unique=False)
    op.create_index("documents_by_visibility", "documents", ["is_public"], unique=False)
    op.create_table(
        "embedding",
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("chosen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("model"),
    )
    op.create_table(
        "parents",
        sa.Column("parent_id", sa.String(length=36), nullable=False),
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("generation", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("heading_path", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("page_from", sa.Integer(), nullable=True),
        sa.Column("page_to", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("parent_id"),
    )
    op.create_index("parents_by_document", "parents", ["document_id", "generation"], unique=False)


def downgrade() -> None:
    op.drop_index("parents_by_document", table_name="parents")
    op.drop_table("parents")
    op.drop_table("embedding")
    op.drop_index("documents_by_visibility", table_name="documents")
    op.drop_index("documents_by_owner", table_name="documents")
    op.drop_index("documents_by_org_tag", table_name="documents")
    op.drop_table("documents")
