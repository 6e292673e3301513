"""Making tokens not count any more, in the transaction that gives the reason."""

from __future__ import annotations

from sqlalchemy import update

from superagent_common.db import Connection
from superagent_gateway.adapters.sql_configuration import next_version
from superagent_gateway.adapters.tables import refresh_tokens, users


async def revoke_access_tokens(connection: Connection, user_id: str, now: int) -> None:
    """Makes the access tokens that a person holds not count any more."""
    await next_version(connection)
    await connection.execute(
        update(users)
        .where(users.c.user_id == user_id)
        .values(token_version=users.c.token_version + 1, tokens_revoked_at=now)
    )


async def revoke_all_tokens(connection: Connection, user_id: str, now: int) -> None:
    """As `revoke_access_tokens`, and the refresh tokens with them: the person must log in."""
    await revoke_access_tokens(connection, user_id, now)
    await connection.execute(
        update(refresh_tokens)
        .where(refresh_tokens.c.user_id == user_id, refresh_tokens.c.revoked_at.is_(None))
        .values(revoked_at=now)
    )
