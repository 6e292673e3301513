"""The org tree and the fleet's configuration in a relational database."""

from __future__ import annotations

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from superagent_common.db import Connection, Database
from superagent_common.errors import AlreadyExists, InvalidInput, Unavailable
from superagent_gateway.adapters.tables import configuration_version, org_tags, refused_access_tokens, users
from superagent_gateway.domain import REVOCATION_LIFE, Configuration, OrgTag


class SqlOrgTree:
    """`OrgTree` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, tag: OrgTag) -> None:
        try:
            async with self._database.write() as connection:
                if tag.parent_code:
                    parent = select(org_tags.c.code).where(org_tags.c.code == tag.parent_code)
                    if (await connection.execute(parent)).first() is None:
                        raise InvalidInput("unknown_org_tag", "There is no such org tag.", org_tag=tag.parent_code)
                await connection.execute(
                    insert(org_tags).values(code=tag.code, name=tag.name, parent_code=tag.parent_code or None)
                )
                await next_version(connection)
        except IntegrityError as error:
            raise AlreadyExists("org_tag_exists", "This org tag exists already.") from error


class SqlConfigurationStore:
    """`ConfigurationStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, now: int) -> Configuration:
        try:
            return await self._read(now)
        except SQLAlchemyError as error:
            raise Unavailable("database_unavailable") from error

    async def _read(self, now: int) -> Configuration:
        async with self._database.read() as connection:
            # The version first: what is read behind it is at least as new as it says.
            version = await connection.scalar(select(configuration_version.c.version))
            tags = await connection.execute(select(org_tags).order_by(org_tags.c.code))
            revoked = await connection.execute(
                select(users.c.user_id, users.c.token_version)
                .where(users.c.tokens_revoked_at > now - REVOCATION_LIFE)
                .order_by(users.c.user_id)
            )
            refused = await connection.scalars(
                select(refused_access_tokens.c.token_hash).where(refused_access_tokens.c.expires_at > now)
            )
            return Configuration(
                version,
                tuple(OrgTag(row.code, row.name, row.parent_code or "") for row in tags),
                tuple((row.user_id, row.token_version) for row in revoked),
                frozenset(refused),
            )


async def next_version(connection: Connection) -> None:
    """Counts a change of the configuration, in the transaction that makes it."""
    await connection.execute(update(configuration_version).values(version=configuration_version.c.version + 1))
