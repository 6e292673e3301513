"""The org tree, the domains and the fleet's configuration in a relational database."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from superagent_common.db import Connection, Database
from superagent_common.errors import AlreadyExists, Conflict, InvalidInput, Unavailable
from superagent_gateway.adapters.tables import (
    configuration_version,
    knowledge_domains,
    org_tags,
    refused_access_tokens,
    user_org_tags,
    users,
)
from superagent_gateway.domain import REVOCATION_LIFE, Configuration, KnowledgeDomain, OrgTag, checked_place

# What refers to an org tag, by the word that the refusal to delete it uses.
_USES = {
    "users": user_org_tags.c.code,
    "org_tags": org_tags.c.parent_code,
    "domains": knowledge_domains.c.owner_org_tag,
}


class SqlOrgTree:
    """`OrgTree` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, tag: OrgTag) -> None:
        try:
            async with self._database.write() as connection:
                await next_version(connection)
                await _check_tag(connection, tag.parent_code)
                await connection.execute(
                    insert(org_tags).values(code=tag.code, name=tag.name, parent_code=tag.parent_code or None)
                )
        except IntegrityError as error:
            raise AlreadyExists("org_tag_exists", "This org tag exists already.") from error

    async def change(self, code: str, name: str | None, parent_code: str | None) -> OrgTag | None:
        async with self._database.write() as connection:
            await next_version(connection)
            tags = {row.code: _tag(row) for row in await connection.execute(select(org_tags))}
            if code not in tags:
                return None
            if parent_code is not None:
                checked_place(code, parent_code, {tag.code: tag.parent_code for tag in tags.values()})
            tag = tags[code]
            changed = OrgTag(
                code, tag.name if name is None else name, tag.parent_code if parent_code is None else parent_code
            )
            await connection.execute(
                update(org_tags)
                .where(org_tags.c.code == code)
                .values(name=changed.name, parent_code=changed.parent_code or None)
            )
            return changed

    async def remove(self, code: str) -> bool:
        async with self._database.write() as connection:
            await next_version(connection)
            for what, column in _USES.items():
                used = await connection.scalar(select(func.count()).where(column == code))
                if used:
                    raise Conflict("org_tag_in_use", "The org tag is still in use.", used_by=what, used_times=str(used))
            removed = await connection.execute(delete(org_tags).where(org_tags.c.code == code))
            return bool(removed.rowcount)


class SqlDomainStore:
    """`DomainStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, domain: KnowledgeDomain) -> None:
        try:
            async with self._database.write() as connection:
                await next_version(connection)
                await _check_tag(connection, domain.owner_org_tag)
                await connection.execute(insert(knowledge_domains).values(_domain_values(domain)))
        except IntegrityError as error:
            raise AlreadyExists("domain_exists", "This domain exists already.") from error

    async def replace(self, domain: KnowledgeDomain) -> bool:
        async with self._database.write() as connection:
            await next_version(connection)
            await _check_tag(connection, domain.owner_org_tag)
            replaced = await connection.execute(
                update(knowledge_domains).where(knowledge_domains.c.code == domain.code).values(_domain_values(domain))
            )
            return bool(replaced.rowcount)

    async def remove(self, code: str) -> bool:
        async with self._database.write() as connection:
            await next_version(connection)
            removed = await connection.execute(delete(knowledge_domains).where(knowledge_domains.c.code == code))
            return bool(removed.rowcount)


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
            domains = await connection.execute(select(knowledge_domains).order_by(knowledge_domains.c.code))
            return Configuration(
                version,
                tuple(map(_tag, tags)),
                tuple((row.user_id, row.token_version) for row in revoked),
                frozenset(refused),
                tuple(KnowledgeDomain(row.code, row.name, row.description, row.owner_org_tag or "") for row in domains),
            )


async def _check_tag(connection: Connection, code: str) -> None:
    """Raises InvalidInput unless there is such a tag; no code is no tag, which is fine."""
    if code and (await connection.execute(select(org_tags.c.code).where(org_tags.c.code == code))).first() is None:
        raise InvalidInput("unknown_org_tag", "There is no such org tag.", org_tag=code)


def _domain_values(domain: KnowledgeDomain) -> dict[str, Any]:
    return {**asdict(domain), "owner_org_tag": domain.owner_org_tag or None}


def _tag(row: Any) -> OrgTag:
    return OrgTag(row.code, row.name, row.parent_code or "")


async def next_version(connection: Connection) -> None:
    """Counts a change of the configuration, in the transaction that makes it.

    To be called first: it holds back every other change until the end, so that two of them, each right by itself, cannot
    make a loop in the tree or leave nobody to administer.
    """
    await connection.execute(update(configuration_version).values(version=configuration_version.c.version + 1))
