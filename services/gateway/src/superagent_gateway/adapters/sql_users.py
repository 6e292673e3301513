"""People in a relational database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import String, cast, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from superagent_common.db import Connection, Database
from superagent_common.errors import AlreadyExists
from superagent_gateway.adapters.sql_configuration import next_version
from superagent_gateway.adapters.sql_revocation import revoke_access_tokens, revoke_all_tokens
from superagent_gateway.adapters.tables import user_org_tags, users
from superagent_gateway.domain import User, username_key

# Roles are a JSON list of plain words.
_ADMINISTRATORS = (
    select(func.count())
    .select_from(users)
    .where(cast(users.c.roles, String).contains('"admin"'), users.c.banned_at.is_(None))
)


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

    async def page(self, name: str, after: str, limit: int) -> Sequence[User]:
        wanted = select(users).where(users.c.user_id > after).order_by(users.c.user_id).limit(limit)
        if name:
            wanted = wanted.where(users.c.username_key.contains(name, autoescape=True))
        async with self._database.read() as connection:
            rows = await connection.execute(wanted)
            found = rows.all()
            tags = await _tags(connection, [row.user_id for row in found])
        return [_made(row, tags.get(row.user_id, ())) for row in found]

    async def change(self, user_id: str, change: Callable[[User, int], User], now: int) -> User | None:
        async with self._database.write() as connection:
            await next_version(connection)
            row = (await connection.execute(select(users).where(users.c.user_id == user_id))).first()
            if row is None:
                return None
            person = await _user(connection, row)
            others = await connection.scalar(_ADMINISTRATORS.where(users.c.user_id != user_id))
            changed = change(person, others)
            if changed == person:
                return person
            await connection.execute(
                update(users)
                .where(users.c.user_id == user_id)
                .values(roles=list(changed.roles), banned_at=changed.banned_at)
            )
            revoke = revoke_access_tokens if changed.banned_at == person.banned_at else revoke_all_tokens
            await revoke(connection, user_id, now)
            return replace(changed, token_version=person.token_version + 1)

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
    return User(row.user_id, row.username, tuple(row.roles), tags, row.token_version, row.created_at, row.banned_at)
