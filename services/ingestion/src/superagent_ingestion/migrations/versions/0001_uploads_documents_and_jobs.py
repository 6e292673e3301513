"""Uploads documents and jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "dead_letters",
        sa.Column("event_id", sa.String(length=36), nullable=False),
        sa.Column("topic", sa.String(length=249), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(length=1048576), nullable=False),
        sa.Column("traceparent", sa.String(length=55), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("event_id"),
    )
    op.create_index("dead_letters_by_time", "dead_letters", ["failed_at", "event_id"], unique=False)
    op.create_table(
        "documents",
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("owner_id", sa.String(length=36), nullable=False),
        sa.Column("file_name", sa.String(length=255), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("domain_code", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("progress", sa.Integer(), nullable=False),
        sa.Column("waiting_reason", sa.String(length=200), nullable=False),
        sa.Column("failure", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("children", sa.Integer(), nullable=False),
        sa.Column("parents", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("strategy", sa.String(length=100), nullable=False),
        sa.Column("strategy_reasons", sa.JSON(), nullable=False),
        sa.Column("generation", sa.String(length=36), nullable=False),
        sa.Column("trace_parent", sa.String(length=60), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("document_id"),
    )
    op.create_index("documents_by_content", "documents", ["sha256"], unique=False)
    op.create_index("documents_by_owner", "documents", ["owner_id", "created_at", "document_id"], unique=False)
    op.create_table(
        "handled_events",
        sa.Column("event_id", sa.String(length=36), nullable=False),
        sa.Column("handled_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("event_id"),
    )
    op.create_index("handled_events_by_time", "handled_events", ["handled_at"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("position", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("event_id", sa.String(length=36), nullable=False),
        sa.Column("topic", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("payload", sa.LargeBinary(length=1048576), nullable=False),
        sa.Column("traceparent", sa.String(length=55), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("published_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("position"),
        sa.UniqueConstraint("event_id"),
    )
    op.create_index("outbox_unpublished", "outbox", ["published_at", "position"], unique=False)
    op.create_table(
        "uploads",
        sa.Column("upload_id", sa.String(length=36), nullable=False),
        sa.Column("user_id", sa.String(length=36), nullable=False),
        sa.Column("file_name", sa.String(length=255), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("completed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("idempotency_key", sa.String(length=200), nullable=True),
        sa.PrimaryKeyConstraint("upload_id"),
        sa.UniqueConstraint("user_id", "idempotency_key", name="uploads_by_key"),
    )
    op.create_index("uploads_by_age", "uploads", ["completed", "created_at"], unique=False)
    op.create_table(
        "document_log",
        sa.Column("row", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("stage", sa.String(length=20), nullable=False),
        sa.Column("level", sa.String(length=10), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("row"),
    )
    op.create_index("document_log_by_document", "document_log", ["document_id", "row"], unique=False)
    op.create_table(
        "document_stages",
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("document_id", "name"),
    )
    op.create_table(
        "jobs",
        sa.Column("document_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("available_at", sa.BigInteger(), nullable=True),
        sa.Column("owner", sa.String(length=36), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["document_id"], ["documents.document_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("document_id"),
    )
    op.create_index("jobs_by_time", "jobs", ["kind", "available_at"], unique=False)
    op.create_table(
        "upload_parts",
        sa.Column("upload_id", sa.String(length=36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["upload_id"], ["uploads.upload_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("upload_id", "number"),
    )


def downgrade() -> None:
    op.drop_table("upload_parts")
    op.drop_index("jobs_by_time", table_name="jobs")
    op.drop_table("jobs")
    op.drop_table("document_stages")
    op.drop_index("document_log_by_document", table_name="document_log")
    op.drop_table("document_log")
    op.drop_index("uploads_by_age", table_name="uploads")
    op.drop_table("uploads")
    op.drop_index("outbox_unpublished", table_name="outbox")
    op.drop_table("outbox")
    op.drop_index("handled_events_by_time", table_name="handled_events")
    op.drop_table("handled_events")
    op.drop_index("documents_by_owner", table_name="documents")
    op.drop_index("documents_by_content", table_name="documents")
    op.drop_table("documents")
    op.drop_index("dead_letters_by_time", table_name="dead_letters")
    op.drop_table("dead_letters")
