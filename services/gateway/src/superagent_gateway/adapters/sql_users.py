"""People in a relational database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from superagent_common.db import Connection, Database
from superagent_common.errors import AlreadyExists
from superagent_gateway.adapters.sql_configuration import next_version
from superagent_gateway.adapters.tables import user_org_tags, users
from superagent_gateway.domain import User, username_key


class SqlUserStore:
    """`UserStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, user: User, password_hash: str) -> None:
        try:
            async with self._database.write() as connection:
                await _insert(connection, user, password_hash)
        except IntegrityError as error:
            raise AlreadyExists("username_taken", "This username is taken.") from error

    async def add_first_admin(self, user: User, password_hash: str, before_commit: Callable[[], None]) -> bool:
        try:
            async with self._database.write() as connection:
                await _insert(connection, user, password_hash)
                before_commit()
        except IntegrityError:
            # Another replica started at the same moment and was first.
            return False
        return True

    async def with_password(self, key: str) -> tuple[User, str] | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(users).where(users.c.username_key == key))).first()
            return (await _user(connection, row), row.password_hash) if row else None

    async def get(self, user_id: str) -> User | None:
        async with self._database.read() as connection:
            row = (await connection.execute(select(users).where(users.c.user_id == user_id))).first()
            return await _user(connection, row) if row else None

    async def page(self, after: str, limit: int) -> Sequence[User]:
        async with self._database.read() as connection:
            rows = await connection.execute(
                select(users).where(users.c.user_id > after).order_by(users.c.user_id).limit(limit)
            )
            found = rows.all()
            tags = await _tags(connection, [row.user_id for row in found])
        return [_made(row, tags.get(row.user_id, ())) for row in found]

    async def set_org_tags(self, user_id: str, org_tags: Sequence[str], now: int) -> User | None:
        async with self._database.write() as connection:
            await revoke_access_tokens(connection, user_id, now)
            row = (await connection.execute(select(users).where(users.c.user_id == user_id))).first()
            if row is None:
                return None
            await connection.execute(delete(user_org_tags).where(user_org_tags.c.user_id == user_id))
            if org_tags:
                await connection.execute(
                    insert(user_org_tags),
                    [
                        {"user_id": user_id, "code": code, "position": position}
                        for position, code in enumerate(org_tags)
                    ],
                )
            return _made(row, tuple(org_tags))


async def revoke_access_tokens(connection: Connection, user_id: str, now: int) -> None:
    """Makes the access tokens that a person holds not count any more."""
    await connection.execute(
        update(users)
        .where(users.c.user_id == user_id)
        .values(token_version=users.c.token_version + 1, tokens_revoked_at=now)
    )
    await next_version(connection)


async def _insert(connection: Connection, user: User, password_hash: str) -> None:
    await connection.execute(
        insert(users).values(
            user_id=user.user_id,
            username=user.username,
            username_key=username_key(user.username),
            password_hash=password_hash,
            roles=list(user.roles),
            token_version=user.token_version,
            created_at=user.created_at,
        )
    )


async def _user(connection: Connection, row: Any) -> User:
    tags = await _tags(connection, [row.user_id])
    return _made(row, tags.get(row.user_id, ()))


async def _tags(connection: Connection, user_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    rows = await connection.execute(
        select(user_org_tags.c.user_id, user_org_tags.c.code)
        .where(user_org_tags.c.user_id.in_(user_ids))
        .order_by(user_org_tags.c.position)
    )
    found: dict[str, tuple[str, ...]] = {}
    for row in rows:
        found[row.user_id] = (*found.get(row.user_id, ()), row.code)
    return found


def _made(row: Any, tags: tuple[str, ...]) -> User:
    return User(row.user_id, row.username, tuple(row.roles), tags, row.token_version, row.created_at)
