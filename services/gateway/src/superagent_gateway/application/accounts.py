"""Accounts and sessions: register, log in, renew, log out."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from superagent_common.errors import Forbidden, NotFound, Unauthenticated
from superagent_common.identity import Identity, Principal, UserTokens
from superagent_common.identity.tokens import ACCESS_SECONDS
from superagent_common.ids import new_id
from superagent_gateway.application.configuration import CurrentConfiguration
from superagent_gateway.domain import (
    ADMIN_USERNAME,
    MICROSECONDS,
    REFRESH_LIFE,
    RefreshToken,
    User,
    checked_password,
    checked_username,
    token_hash,
    username_key,
)
from superagent_gateway.ports import PasswordHasher, SessionStore, UserStore

_REFUSALS = {
    "expired": ("refresh_token_expired", "The refresh token has expired."),
    "revoked": ("refresh_token_revoked", "The refresh token does not count any more."),
    "reused": ("refresh_token_reused", "An old refresh token came again: all sessions of this person have ended."),
}


@dataclass(frozen=True, slots=True)
class Session:
    """What a person holds after logging in; `expires_in` is the access token's life in seconds."""

    access_token: str
    refresh_token: str
    expires_in: int
    user: User


class Accounts:
    """People and their sessions."""

    def __init__(
        self,
        users: UserStore,
        sessions: SessionStore,
        hasher: PasswordHasher,
        tokens: UserTokens,
        configuration: CurrentConfiguration,
        clock: Callable[[], int],
    ) -> None:
        """`clock` gives microseconds since the epoch."""
        self._users = users
        self._sessions = sessions
        self._hasher = hasher
        self._tokens = tokens
        self._configuration = configuration
        self._clock = clock

    async def register(self, username: str, password: str) -> str:
        """Makes an account and returns its id. Raises InvalidInput, AlreadyExists."""
        name = checked_username(username)
        password_hash = await self._hasher.hash(checked_password(password, name))
        user = User(new_id(), name, ("user",), (), 1, self._clock())
        await self._users.add(user, password_hash)
        return user.user_id

    async def ensure_administrator(self, announce: Callable[[str, str], None]) -> bool:
        """Makes the first administrator with a generated password, which `announce(username, password)` must deliver.

        `announce` runs before the account is committed: a password that reached nobody leaves no account behind.
        """
        if await self._users.with_password(username_key(ADMIN_USERNAME)):
            return False
        password = secrets.token_urlsafe(18)
        password_hash = await self._hasher.hash(password)
        user = User(new_id(), ADMIN_USERNAME, ("user", "admin"), (), 1, self._clock())
        return await self._users.add_first_admin(user, password_hash, lambda: announce(ADMIN_USERNAME, password))

    async def login(self, username: str, password: str) -> Session:
        """Opens a session. An unknown name and a wrong password fail alike, and take as long.

        Raises Unauthenticated, and Forbidden for one who is banned and knows the password.
        """
        found = await self._users.with_password(username_key(username))
        matches = await self._hasher.verify(found[1] if found else None, password)
        if not found or not matches:
            raise Unauthenticated("wrong_credentials", "The username or the password is wrong.")
        user = found[0]
        _check_ban(user)
        refresh_token = _new_token()
        now = self._clock()
        await self._sessions.open(
            RefreshToken(token_hash(refresh_token), new_id(), user.user_id, now, now + REFRESH_LIFE)
        )
        return self._session(user, refresh_token)

    async def renew(self, refresh_token: str) -> Session:
        """Trades a refresh token for a new session; each token counts once (10 s of leeway).

        Raises Unauthenticated, and Forbidden for one who is banned.
        """
        new_token = _new_token()
        judged = await self._sessions.renew(token_hash(refresh_token), token_hash(new_token), self._clock())
        if judged is None:
            raise Unauthenticated("refresh_token_invalid", "The refresh token is not one of ours.")
        verdict, user_id = judged
        if verdict == "reused":
            await self._configuration.changed()
        user = await self._users.get(user_id)
        if user is None:
            raise Unauthenticated("refresh_token_invalid", "The refresh token is not one of ours.")
        _check_ban(user)
        if verdict != "renew":
            raise Unauthenticated(*_REFUSALS[verdict])
        return self._session(user, new_token)

    async def logout(self, identity: Identity, user_id: str, refresh_token: str | None) -> None:
        """Ends the session of `refresh_token`, or all of the person's without one; the access token ends with it."""
        now = self._clock()
        if refresh_token is None:
            await self._sessions.close_all(user_id, now)
        else:
            await self._sessions.close(user_id, token_hash(refresh_token), now)
            await self._sessions.refuse_access_token(
                token_hash(identity.subject_token), identity.subject_expires_at * MICROSECONDS, now
            )
        await self._configuration.changed()

    async def check_administrator_now(self, identity: Identity) -> None:
        """Asks the database what the token may no longer know. Raises Unauthenticated, Forbidden."""
        assert identity.principal is not None
        user = await self._users.get(identity.principal.user_id)
        if user is None:
            raise Unauthenticated("token_revoked", "The token does not count any more.")
        _check_ban(user)
        is_old = identity.subject_version < user.token_version
        if is_old or await self._sessions.is_refused(token_hash(identity.subject_token)):
            raise Unauthenticated("token_revoked", "The token does not count any more; renew it or log in again.")
        if not user.is_administrator:
            raise Forbidden("administrators_only", "Only administrators may do this.")

    async def me(self, user_id: str) -> User:
        """The account as it is now."""
        user = await self._users.get(user_id)
        if user is None:
            raise NotFound("unknown_user", "There is no such user.")
        return user

    def _session(self, user: User, refresh_token: str) -> Session:
        principal = Principal(user.user_id, user.username, user.roles, user.org_tags)
        return Session(self._tokens.issue(principal, user.token_version), refresh_token, ACCESS_SECONDS, user)


def _check_ban(user: User) -> None:
    if user.banned_at is not None:
        raise Forbidden("banned", "This account is banned; ask an administrator.")


def _new_token() -> str:
    return secrets.token_urlsafe(32)
