"""What the gateway needs from the outside for its own matters; other services are reached through their contracts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from superagent_gateway.domain import (
    Configuration,
    KnowledgeDomain,
    OrgTag,
    RateRule,
    RefreshToken,
    RefreshVerdict,
    User,
)


class UserStore(Protocol):
    """People and their direct org tags."""

    async def add(self, user: User, password_hash: str) -> None:
        """Stores a person. Raises AlreadyExists when the name is taken."""

    async def add_first_admin(self, user: User, password_hash: str, before_commit: Callable[[], None]) -> bool:
        """Stores `user` unless the name is taken; `before_commit` runs while nothing is visible yet."""

    async def with_password(self, username_key: str) -> tuple[User, str] | None:
        """The person of that name and the password's hash."""

    async def get(self, user_id: str) -> User | None:
        """The person of that id."""

    async def page(self, name: str, after: str, limit: int) -> Sequence[User]:
        """People whose `username_key` holds `name`, by id (oldest first) behind `after`."""

    async def change(self, user_id: str, change: Callable[[User, int], User], now: int) -> User | None:
        """Stores what `change(person, other administrators)` makes of roles and ban; None when there is no such person.

        One such change runs at a time. Access tokens stop counting with it, and when the ban changes all tokens do.
        """

    async def set_org_tags(self, user_id: str, org_tags: Sequence[str], now: int) -> User | None:
        """Replaces the tags and makes older access tokens not count; None when there is no such person."""


class SessionStore(Protocol):
    """Refresh tokens, by hash."""

    async def open(self, token: RefreshToken) -> None:
        """Stores a login's first token and forgets that person's expired ones."""

    async def renew(self, presented_hash: str, new_hash: str, now: int) -> tuple[RefreshVerdict, str] | None:
        """Judges a presented token in one transaction; None when it is unknown, else the verdict and the person's id.

        `renew` stores `new_hash` in its family; `reused` revokes all of that person's tokens of both kinds.
        """

    async def close(self, user_id: str, token_hash: str, now: int) -> None:
        """Revokes the family of that person's token; nothing happens when it is not theirs."""

    async def close_all(self, user_id: str, now: int) -> None:
        """Revokes all of a person's tokens, access tokens too."""

    async def refuse_access_token(self, token_hash: str, expires_at: int, now: int) -> None:
        """Makes one access token not count until it expires, and forgets refusals that expired."""

    async def is_refused(self, token_hash: str) -> bool:
        """Whether that access token was refused."""


class OrgTree(Protocol):
    """The tree of org tags."""

    async def add(self, tag: OrgTag) -> None:
        """Raises AlreadyExists for a known code and InvalidInput for an unknown parent."""

    async def change(self, code: str, name: str | None, parent_code: str | None) -> OrgTag | None:
        """Renames or moves; None leaves it, "" moves to the root. None when there is no such tag.

        Raises InvalidInput for an unknown parent and for a cycle.
        """

    async def remove(self, code: str) -> bool:
        """False when there is no such tag. Raises Conflict while people, domains or tags below have it."""


class DomainStore(Protocol):
    """Knowledge domains that are described."""

    async def add(self, domain: KnowledgeDomain) -> None:
        """Raises AlreadyExists for a known code and InvalidInput for an unknown owner."""

    async def replace(self, domain: KnowledgeDomain) -> bool:
        """False when there is no such domain. Raises InvalidInput for an unknown owner."""

    async def remove(self, code: str) -> bool:
        """False when there is no such domain."""


class ConfigurationStore(Protocol):
    """The configuration as it is stored now."""

    async def read(self, now: int) -> Configuration:
        """Raises Unavailable."""


class ConfigurationSignal(Protocol):
    """Tells every replica and service that the configuration has changed."""

    async def publish(self, version: int) -> None:
        """Best effort: whoever misses it reads the configuration within 30 s."""


class PasswordHasher(Protocol):
    """Slow, salted hashes."""

    async def hash(self, password: str) -> str:
        """Raises Exhausted when too many wait."""

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """Takes as long without a hash as with one. Raises Exhausted when too many wait."""


class RateLimits(Protocol):
    """Sliding windows."""

    async def take(self, rule: RateRule, subject: str) -> float:
        """Counts one and gives 0, or counts nothing and gives the seconds to wait. Raises Unavailable."""
