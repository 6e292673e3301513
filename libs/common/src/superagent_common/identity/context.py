"""The identity of the call that is being served, kept in a context variable."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from superagent_common.errors import Forbidden, Unauthenticated


@dataclass(frozen=True, slots=True)
class Principal:
    """A person, as far as permissions go. `org_tags` are those given directly; services expand them."""

    user_id: str
    username: str = ""
    roles: tuple[str, ...] = ()
    org_tags: tuple[str, ...] = ()

    @property
    def is_admin(self) -> bool:
        return "admin" in self.roles

    def check_administrator(self) -> None:
        """Raises Forbidden for anybody but an administrator."""
        if not self.is_admin:
            raise Forbidden("administrators_only", "Only administrators may do this.")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who calls (`service`, empty when a person calls directly) and for whom (`principal`, None for nobody).

    `subject_token` is the person's own access token while there is one; `subject_expires_at` its `exp` in seconds,
    `subject_version` its `ver`, by which a newer configuration refuses older tokens.
    """

    principal: Principal | None = None
    service: str = ""
    subject_token: str = ""
    subject_expires_at: int = 0
    subject_version: int = 0


_current: ContextVar[Identity | None] = ContextVar("identity", default=None)


def current_identity() -> Identity:
    """The identity of the call being served. Raises Unauthenticated outside of one."""
    identity = _current.get()
    if identity is None:
        raise Unauthenticated("no_identity", "This call carries no identity.")
    return identity


def current_principal() -> Principal:
    """The person the call is made for. Raises Unauthenticated when a service calls for nobody."""
    principal = current_identity().principal
    if principal is None:
        raise Unauthenticated("no_person", "This call is not made for a person.")
    return principal


def identity_or_none() -> Identity | None:
    """The identity of the call being served, or None outside of one."""
    return _current.get()


def set_identity(identity: Identity | None) -> None:
    """Sets the identity of the current task; for servers, which give each call a task of its own."""
    _current.set(identity)


@contextmanager
def acting_as(identity: Identity) -> Iterator[None]:
    """Runs a block for somebody else: background work with a stored principal."""
    token = _current.set(identity)
    try:
        yield
    finally:
        _current.reset(token)
