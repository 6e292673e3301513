"""Tables of the ingestion service."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from superagent_common.bus import dead_letters_table, handled_events_table, outbox_table

metadata = MetaData()
outbox = outbox_table(metadata)
handled_events = handled_events_table(metadata)
dead_letters = dead_letters_table(metadata)

_ROW = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only in an INTEGER key

uploads = Table(
    "uploads",
    metadata,
    Column("upload_id", String(36), primary_key=True),
    Column("user_id", String(36), nullable=False),
    Column("file_name", String(255), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("document_id", String(36), nullable=False),
    Column("completed", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("idempotency_key", String(200)),
    Column("review_strategy", Boolean, nullable=False, server_default=false()),
    Column("challenge", JSON(none_as_null=True)),
    Column("instant", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("user_id", "idempotency_key", name="uploads_by_key"),
    Index("uploads_by_age", "completed", "created_at"),
    Index("uploads_by_document", "document_id"),
)

upload_parts = Table(
    "upload_parts",
    metadata,
    Column("upload_id", String(36), ForeignKey("uploads.upload_id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("sha256", String(64), nullable=False),
)

documents = Table(
    "documents",
    metadata,
    Column("document_id", String(36), primary_key=True),
    Column("owner_id", String(36), nullable=False),
    Column("file_name", String(255), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("domain_code", String(64), nullable=False),
    Column("state", String(20), nullable=False),
    Column("progress", Integer, nullable=False),
    Column("waiting_reason", String(200), nullable=False),
    Column("failure", JSON(none_as_null=True)),
    Column("children", Integer, nullable=False),
    Column("parents", Integer, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("found_title", String(300), nullable=False, server_default=""),
    Column("found_language", String(10), nullable=False, server_default=""),
    Column("recommended_strategy", String(100), nullable=False),
    Column("chosen_strategy", String(100), nullable=False, server_default=""),
    Column("review_strategy", Boolean, nullable=False, server_default=false()),
    Column("strategy_reasons", JSON, nullable=False),
    Column("generation", String(36), nullable=False),
    Column("answering", Boolean, nullable=False, server_default=false()),
    Column("metadata_revision", Integer, nullable=False, server_default="1"),
    Column("indexed_revision", Integer, nullable=False, server_default="0"),
    Column("source_url", String(2000), nullable=False, server_default=""),
    Column("copied_from", String(36), nullable=False, server_default=""),
    Column("import_key", String(200)),  # the Idempotency-Key of an import
    Column("content_losses", Integer, nullable=False, server_default="0"),
    Column("trace_parent", String(60), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("documents_by_owner", "owner_id", "created_at", "document_id"),
    Index("documents_by_content", "sha256"),
    Index("documents_by_revision", "answering", "indexed_revision", "metadata_revision"),
    Index("documents_by_import_key", "owner_id", "import_key", unique=True),
)

document_stages = Table(
    "document_stages",
    metadata,
    Column("document_id", String(36), ForeignKey("documents.document_id", ondelete="CASCADE"), primary_key=True),
    Column("name", String(20), primary_key=True),
    Column("state", String(20), nullable=False),
    Column("started_at", BigInteger),
    Column("ended_at", BigInteger),
    Column("attempts", Integer, nullable=False),
    Column("counts", JSON, nullable=False),
)

document_log = Table(
    "document_log",
    metadata,
    Column("row", _ROW, primary_key=True, autoincrement=True),
    Column("document_id", String(36), ForeignKey("documents.document_id", ondelete="CASCADE"), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("stage", String(20), nullable=False),
    Column("level", String(10), nullable=False),
    Column("message", Text, nullable=False),
    Index("document_log_by_document", "document_id", "row"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("document_id", String(36), ForeignKey("documents.document_id", ondelete="CASCADE"), primary_key=True),
    Column("kind", String(10), nullable=False),
    # Whoever may have it from this time on: a queued job when it is due, a running one when its lease has run out.
    Column("available_at", BigInteger),
    Column("owner", String(36), nullable=False),
    Column("attempts", Integer, nullable=False),
    # The document's owner, between whom workers are shared fairly, and when a worker last took the job.
    Column("person_id", String(36), nullable=False, server_default=""),
    Column("claimed_at", BigInteger),
    Index("jobs_by_time", "kind", "available_at", "person_id"),
    Index("jobs_by_person", "person_id", "claimed_at"),
)
