"""Tokens: EdDSA JWTs for people (signed by the gateway) and for services (each signs its own)."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import jwt

from superagent_common.errors import Unauthenticated
from superagent_common.identity.context import Identity, Principal
from superagent_common.identity.keys import USER_KEY_ID, KeySet, SigningKey
from superagent_common.ids import new_id

AUDIENCE = "superagent"
ALGORITHM = "EdDSA"
ACCESS_SECONDS = 3600
"""Life of a person's access token (GWY-2)."""
SERVICE_SECONDS = 300
"""Life of a service token: long enough to be cached, short enough to make a leak harmless soon."""
_CACHED = 4096

Clock = Callable[[], float]


class UserTokens:
    """Signs access tokens for people; only the gateway holds this key."""

    def __init__(self, key: SigningKey, clock: Clock = time.time) -> None:
        self._key = key
        self._clock = clock

    def issue(self, principal: Principal, version: int) -> str:
        """An access token; `version` is the user's token version, by which older tokens can be refused."""
        issued = int(self._clock())
        claims: dict[str, Any] = {
            "iss": "gateway",
            "aud": AUDIENCE,
            "typ": "access",
            "sub": principal.user_id,
            "name": principal.username,
            "roles": list(principal.roles),
            "org_tags": list(principal.org_tags),
            "ver": version,
            "iat": issued,
            "exp": issued + ACCESS_SECONDS,
            "jti": new_id(),
        }
        return jwt.encode(claims, self._key.key, algorithm=ALGORITHM, headers={"kid": self._key.kid})


class ServiceTokens:
    """Signs this service's own tokens, and keeps them until they are half spent."""

    def __init__(self, key: SigningKey, clock: Clock = time.time) -> None:
        self._key = key
        self._clock = clock
        self._kept: OrderedDict[Principal | None, tuple[str, float]] = OrderedDict()

    def issue(self, principal: Principal | None = None) -> str:
        """A token of this service; with `principal`, one that acts for that person (`act`)."""
        now = self._clock()
        kept = self._kept.get(principal)
        if kept and kept[1] > now:
            return kept[0]
        claims: dict[str, Any] = {
            "iss": self._key.kid,
            "aud": AUDIENCE,
            "typ": "service",
            "sub": self._key.kid,
            "iat": int(now),
            "exp": int(now) + SERVICE_SECONDS,
        }
        if principal:
            claims["act"] = {
                "sub": principal.user_id,
                "name": principal.username,
                "roles": list(principal.roles),
                "org_tags": list(principal.org_tags),
            }
        token = jwt.encode(claims, self._key.key, algorithm=ALGORITHM, headers={"kid": self._key.kid})
        self._kept[principal] = (token, now + SERVICE_SECONDS / 2)
        if len(self._kept) > _CACHED:
            self._kept.popitem(last=False)
        return token


class TokenVerifier:
    """Verifies tokens of both kinds; what verified once is not verified again until it expires."""

    def __init__(self, keys: KeySet, clock: Clock = time.time) -> None:
        self._keys = keys
        self._clock = clock
        self._seen: OrderedDict[str, tuple[Identity, float]] = OrderedDict()
        self._smallest_versions: Mapping[str, int] = {}

    def refuse_below(self, versions: Mapping[str, int]) -> None:
        """Sets the smallest `ver` that still counts, by user id: roles, tags or a ban have changed since older tokens."""
        self._smallest_versions = dict(versions)

    def check_version(self, identity: Identity) -> None:
        """Raises Unauthenticated when a person calls with a token that was revoked before its time."""
        person = identity.principal
        if (
            person
            and not identity.service
            and identity.subject_version < self._smallest_versions.get(person.user_id, 0)
        ):
            raise Unauthenticated("token_revoked", "The token does not count any more; renew it or log in again.")

    def verify(self, token: str) -> Identity:
        """The identity a token stands for. Raises Unauthenticated for anything that does not verify now."""
        seen = self._seen.get(token)
        if seen is None:
            seen = self._verify(token)
            self._seen[token] = seen
            if len(self._seen) > _CACHED:
                self._seen.popitem(last=False)
        identity, expires = seen
        if expires <= self._clock():
            self._seen.pop(token, None)
            raise Unauthenticated("token_expired", "The token has expired.")
        return identity

    def _verify(self, token: str) -> tuple[Identity, float]:
        try:
            kid = jwt.get_unverified_header(token).get("kid")
            key = self._keys.keys.get(kid) if isinstance(kid, str) else None
            if key is None:
                raise Unauthenticated("token_invalid", "The token is not one of ours.")
            claims = jwt.decode(
                token,
                key,
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                # Expiry is judged by `verify`, on the clock that was given.
                options={
                    "require": ["exp", "iat", "sub", "iss", "aud"],
                    "verify_exp": False,
                    "verify_iat": False,
                },
            )
        except jwt.InvalidTokenError as error:
            raise Unauthenticated("token_invalid", "The token does not verify.") from error
        expires = float(claims["exp"])
        if kid == USER_KEY_ID and claims.get("typ") == "access" and claims["iss"] == "gateway":
            return Identity(_principal(claims), "", token, int(expires), int(claims.get("ver", 0))), expires
        if kid != USER_KEY_ID and claims.get("typ") == "service" and claims["iss"] == kid == claims["sub"]:
            act = claims.get("act")
            return Identity(_principal(act) if act else None, kid), expires
        raise Unauthenticated("token_invalid", "The token is of the wrong kind.")


def _principal(claims: dict[str, Any]) -> Principal:
    return Principal(
        str(claims["sub"]),
        str(claims.get("name", "")),
        tuple(map(str, claims.get("roles", ()))),
        tuple(map(str, claims.get("org_tags", ()))),
    )
