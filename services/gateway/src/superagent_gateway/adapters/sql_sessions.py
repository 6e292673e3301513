"""Refresh tokens and refused access tokens in a relational database."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from superagent_common.db import Database
from superagent_gateway.adapters.sql_configuration import next_version
from superagent_gateway.adapters.sql_revocation import revoke_all_tokens
from superagent_gateway.adapters.tables import refresh_tokens, refused_access_tokens
from superagent_gateway.domain import REFRESH_LIFE, RefreshToken, RefreshVerdict, judge_refresh


class SqlSessionStore:
    """`SessionStore` on SQLAlchemy Core."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, token: RefreshToken) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                delete(refresh_tokens).where(
                    refresh_tokens.c.user_id == token.user_id, refresh_tokens.c.expires_at <= token.created_at
                )
            )
            await connection.execute(insert(refresh_tokens).values(asdict(token)))

    async def renew(self, presented_hash: str, new_hash: str, now: int) -> tuple[RefreshVerdict, str] | None:
        presented = refresh_tokens.c.token_hash == presented_hash
        async with self._database.write() as connection:
            row = (await connection.execute(select(refresh_tokens).where(presented).with_for_update())).first()
            if row is None:
                return None
            token = RefreshToken(**row._mapping)
            verdict = judge_refresh(token, now)
            if verdict == "renew":
                # The first rotation counts: the leeway must not begin anew each time the old token comes.
                if token.rotated_at is None:
                    await connection.execute(update(refresh_tokens).where(presented).values(rotated_at=now))
                renewed = RefreshToken(new_hash, token.family_id, token.user_id, now, now + REFRESH_LIFE)
                await connection.execute(insert(refresh_tokens).values(asdict(renewed)))
            elif verdict == "reused":
                await revoke_all_tokens(connection, token.user_id, now)
            return verdict, token.user_id

    async def close(self, user_id: str, token_hash: str, now: int) -> None:
        own = (refresh_tokens.c.user_id == user_id) & (refresh_tokens.c.token_hash == token_hash)
        async with self._database.write() as connection:
            family = select(refresh_tokens.c.family_id).where(own).scalar_subquery()
            await connection.execute(
                update(refresh_tokens)
                .where(refresh_tokens.c.family_id == family, refresh_tokens.c.revoked_at.is_(None))
                .values(revoked_at=now)
            )

    async def close_all(self, user_id: str, now: int) -> None:
        async with self._database.write() as connection:
            await revoke_all_tokens(connection, user_id, now)

    async def refuse_access_token(self, token_hash: str, expires_at: int, now: int) -> None:
        try:
            async with self._database.write() as connection:
                await connection.execute(delete(refused_access_tokens).where(refused_access_tokens.c.expires_at <= now))
                await connection.execute(
                    insert(refused_access_tokens).values(token_hash=token_hash, expires_at=expires_at)
                )
                await next_version(connection)
        except IntegrityError:
            pass  # logged out twice at once

    async def is_refused(self, token_hash: str) -> bool:
        refused = select(refused_access_tokens.c.token_hash).where(refused_access_tokens.c.token_hash == token_hash)
        async with self._database.read() as connection:
            return (await connection.execute(refused)).first() is not None
