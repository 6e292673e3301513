"""Tables of the gateway. Times are microseconds since the epoch, UTC."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Index, Integer, MetaData, String, Table, Text

metadata = MetaData()

users = Table(
    "users",
    metadata,
    Column("user_id", String(36), primary_key=True),
    Column("username", String(64), nullable=False),
    # The form under which a name is unique; case folding may lengthen it.
    Column("username_key", String(192), nullable=False, unique=True),
    Column("password_hash", String(200), nullable=False),
    Column("roles", JSON, nullable=False),
    Column("token_version", BigInteger, nullable=False),
    # When older access tokens stopped counting.
    Column("tokens_revoked_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    # Set while the person is banned.
    Column("banned_at", BigInteger),
    Index("users_by_revocation", "tokens_revoked_at"),
)

org_tags = Table(
    "org_tags",
    metadata,
    Column("code", String(64), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("parent_code", String(64), ForeignKey("org_tags.code")),
)

user_org_tags = Table(
    "user_org_tags",
    metadata,
    Column("user_id", String(36), ForeignKey("users.user_id", ondelete="CASCADE"), primary_key=True),
    Column("code", String(64), ForeignKey("org_tags.code"), primary_key=True),
    Column("position", Integer, nullable=False),
)

knowledge_domains = Table(
    "knowledge_domains",
    metadata,
    Column("code", String(64), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("description", Text, nullable=False),
    Column("owner_org_tag", String(64), ForeignKey("org_tags.code")),
)

refresh_tokens = Table(
    "refresh_tokens",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("family_id", String(36), nullable=False, index=True),
    Column("user_id", String(36), ForeignKey("users.user_id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("rotated_at", BigInteger),
    Column("revoked_at", BigInteger),
)

refused_access_tokens = Table(
    "refused_access_tokens",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("expires_at", BigInteger, nullable=False, index=True),
)

# One row: grows with each change that replicas and services must follow.
configuration_version = Table(
    "configuration_version",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version", BigInteger, nullable=False),
)
