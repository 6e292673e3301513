"""Tables of the retrieval service's catalogue."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, Index, Integer, MetaData, String, Table, Text

metadata = MetaData()

documents = Table(
    "documents",
    metadata,
    Column("document_id", String(36), primary_key=True),
    # The generation that answers; empty while there is none.
    Column("generation", String(36), nullable=False),
    # Counts the changes of what is said of the document, from title to uploaded_at.
    Column("revision", BigInteger, nullable=False, server_default="0"),
    Column("title", String(300), nullable=False),
    Column("domain", String(64), nullable=False),
    Column("business_category", String(64), nullable=False),
    Column("tags", JSON, nullable=False),
    Column("language", String(10), nullable=False),
    Column("owner_id", String(36), nullable=False),
    Column("org_tag", String(64)),
    Column("is_public", Boolean, nullable=False),
    Column("uploaded_at", BigInteger, nullable=False),
    Column("outline", JSON, nullable=False),
    Column("parents", Integer, nullable=False),
    Column("children", Integer, nullable=False),
    # The run whose index holds all children of the generation that answers; empty, or an older run, when none does.
    Column("held_by", String(36), nullable=False, server_default=""),
    Index("documents_by_owner", "owner_id"),
    Index("documents_by_org_tag", "org_tag"),
    Index("documents_by_visibility", "is_public"),
    # A run looks through all documents without reading their outlines.
    Index("documents_by_holder", "document_id", "generation", "held_by"),
)

# Documents that were removed a short while ago: an index run that is under way must not bring them back.
removed_documents = Table(
    "removed_documents",
    metadata,
    Column("document_id", String(36), primary_key=True),
    Column("removed_at", BigInteger, nullable=False),
    Index("removed_documents_by_time", "removed_at"),
)

parents = Table(
    "parents",
    metadata,
    Column("parent_id", String(36), primary_key=True),
    Column("document_id", String(36), nullable=False),
    Column("generation", String(36), nullable=False),
    Column("position", Integer, nullable=False),
    Column("heading_path", JSON, nullable=False),
    Column("text", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("page_from", Integer),
    Column("page_to", Integer),
    Index("parents_by_document", "document_id", "generation"),
)

# One index for each embedding model, because vectors of two models are not comparable. Exactly one is `answering`, one at
# most `building`; `retired` ones are being removed. run_id: of the run that makes or made it.
vector_indexes = Table(
    "vector_indexes",
    metadata,
    Column("model", String(200), primary_key=True),
    Column("dimension", Integer, primary_key=True, autoincrement=False),
    Column("state", String(10), nullable=False),
    Column("run_id", String(36), nullable=False),
    Column("started_at", BigInteger, nullable=False),
)
