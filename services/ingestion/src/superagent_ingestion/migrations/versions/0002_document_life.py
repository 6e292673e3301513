"""Found and confirmed facts of documents, revisions of what is said of them, where they come from."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    no = sa.false()
    # Not in a batch: SQLite would make the table anew, and dropping the old one takes stages and jobs along.
    op.execute("ALTER TABLE documents RENAME COLUMN strategy TO recommended_strategy")
    for column in (
        sa.Column("found_title", sa.String(300), nullable=False, server_default=""),
        sa.Column("found_language", sa.String(10), nullable=False, server_default=""),
        sa.Column("chosen_strategy", sa.String(100), nullable=False, server_default=""),
        sa.Column("review_strategy", sa.Boolean(), nullable=False, server_default=no),
        sa.Column("answering", sa.Boolean(), nullable=False, server_default=no),
        sa.Column("metadata_revision", sa.Integer(), nullable=False, server_default="1"),
        sa.Column("indexed_revision", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("source_url", sa.String(2000), nullable=False, server_default=""),
        sa.Column("copied_from", sa.String(36), nullable=False, server_default=""),
        sa.Column("import_key", sa.String(200)),
        sa.Column("content_losses", sa.Integer(), nullable=False, server_default="0"),
    ):
        op.add_column("documents", column)
    for column in (
        sa.Column("review_strategy", sa.Boolean(), nullable=False, server_default=no),
        sa.Column("challenge", sa.JSON(none_as_null=True)),
        sa.Column("instant", sa.Boolean(), nullable=False, server_default=no),
    ):
        op.add_column("uploads", column)
    op.create_index("documents_by_import_key", "documents", ["owner_id", "import_key"], unique=True)
    op.create_index("documents_by_revision", "documents", ["answering", "indexed_revision", "metadata_revision"])
    op.create_index("uploads_by_document", "uploads", ["document_id"])
    op.add_column("jobs", sa.Column("person_id", sa.String(36), nullable=False, server_default=""))
    op.add_column("jobs", sa.Column("claimed_at", sa.BigInteger()))
    op.execute(
        "UPDATE jobs SET person_id = (SELECT owner_id FROM documents WHERE documents.document_id = jobs.document_id)"
    )
    op.drop_index("jobs_by_time", "jobs")
    op.create_index("jobs_by_time", "jobs", ["kind", "available_at", "person_id"])
    op.create_index("jobs_by_person", "jobs", ["person_id", "claimed_at"])
    op.execute(sa.text("UPDATE documents SET answering = :yes WHERE state = 'ready'").bindparams(yes=True))
    op.execute("UPDATE documents SET indexed_revision = 1 WHERE state = 'ready'")
