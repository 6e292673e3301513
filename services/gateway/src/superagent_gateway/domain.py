"""Who may sign in, how sessions are renewed, and what the org tree looks like: rules without I/O."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from superagent_common.errors import Conflict, Forbidden, InvalidInput

MICROSECONDS = 1_000_000
USERNAME_CHARACTERS = (3, 64)
PASSWORD_CHARACTERS = (8, 256)
"""The upper bound keeps a request from buying more hashing than its size pays for."""
TAG_CODE_CHARACTERS = 64
TAG_NAME_CHARACTERS = 200
CODE_CHARACTERS = "letters, digits and . _ - characters"
DOMAIN_CODE_CHARACTERS = 64
DOMAIN_NAME_CHARACTERS = 200
DOMAIN_DESCRIPTION_CHARACTERS = 1000
"""The planner reads the descriptions of all domains at once."""
TAGS_PER_PERSON = 32
"""Tags travel in every token, and tokens in a header."""
REFRESH_LIFE = 7 * 24 * 3600 * MICROSECONDS
"""Life of a refresh token (GWY-2), in microseconds."""
REUSE_LEEWAY = 10 * MICROSECONDS
"""How long after its rotation a refresh token may come again: two tabs or a lost answer, not a thief days later."""
REVOCATION_LIFE = 3600 * MICROSECONDS
"""How long a refusal of older access tokens matters: no access token lives longer (GWY-2)."""
ADMIN_USERNAME = "admin"

Role = Literal["user", "admin"]


@dataclass(frozen=True, slots=True)
class User:
    """A person. `token_version` grows whenever older access tokens must not count any more; times in microseconds.

    `banned_at` is None for one who may log in.
    """

    user_id: str
    username: str
    roles: tuple[str, ...]
    org_tags: tuple[str, ...]
    token_version: int
    created_at: int
    banned_at: int | None = None

    @property
    def is_administrator(self) -> bool:
        """Whether the person administers now."""
        return "admin" in self.roles and self.banned_at is None


@dataclass(frozen=True, slots=True)
class OrgTag:
    """A node of the org tree; `parent_code` is empty at the root."""

    code: str
    name: str
    parent_code: str = ""


@dataclass(frozen=True, slots=True)
class KnowledgeDomain:
    """What a domain of documents is called and holds (ING-14); `owner_org_tag` is empty when it is everybody's."""

    code: str
    name: str
    description: str = ""
    owner_org_tag: str = ""


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A refresh token as it is kept: by its hash. All that were renewed from one login share a family."""

    token_hash: str
    family_id: str
    user_id: str
    created_at: int
    expires_at: int
    rotated_at: int | None = None
    revoked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the fleet follows: `version` grows with each change, `revocations` are the smallest token versions that count."""

    version: int = 0
    org_tags: tuple[OrgTag, ...] = ()
    revocations: tuple[tuple[str, int], ...] = ()
    refused_tokens: frozenset[str] = frozenset()
    domains: tuple[KnowledgeDomain, ...] = ()


@dataclass(frozen=True, slots=True)
class RateRule:
    """At most `limit` in any `window_seconds`, for each subject."""

    name: str
    limit: int
    window_seconds: int


def token_hash(token: str) -> str:
    """A token as it is kept. Tokens are random, so that a fast hash keeps them as well as a slow one."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


RefreshVerdict = Literal["renew", "expired", "revoked", "reused"]


def judge_refresh(token: RefreshToken, now: int) -> RefreshVerdict:
    """What a presented refresh token is worth at `now`; `reused` means that somebody holds an old copy."""
    if token.revoked_at is not None:
        return "revoked"
    if token.expires_at <= now:
        return "expired"
    # Either way: where the clock was set back, an old copy would count until it has caught up.
    if token.rotated_at is not None and abs(now - token.rotated_at) > REUSE_LEEWAY:
        return "reused"
    return "renew"


def checked_username(username: str) -> str:
    """The name as it is kept: NFKC, letters and digits of any language and `. _ - @ +`. Raises InvalidInput."""
    name = unicodedata.normalize("NFKC", username)
    low, high = USERNAME_CHARACTERS
    if not low <= len(name) <= high:
        raise InvalidInput("invalid_username", f"A username has {low} to {high} characters.")
    if not all(character.isalnum() or character in "._-@+" for character in name):
        raise InvalidInput("invalid_username", "A username holds letters, digits and . _ - @ + only.")
    return name


def username_key(username: str) -> str:
    """The form under which a name is unique: `Anna` and `anna` are one."""
    return unicodedata.normalize("NFKC", username).casefold()


def checked_password(password: str, username: str) -> str:
    """The password, unchanged. Raises InvalidInput when it is too short, too long or the username."""
    low, high = PASSWORD_CHARACTERS
    if not low <= len(password) <= high:
        raise InvalidInput("invalid_password", f"A password has {low} to {high} characters.")
    if username_key(password) == username_key(username):
        raise InvalidInput("invalid_password", "The password must not be the username.")
    return password


def checked_roles(roles: Sequence[str]) -> tuple[str, ...]:
    """Distinct, known roles. Raises InvalidInput; everybody has the role `user`."""
    distinct = tuple(dict.fromkeys(roles))
    unknown = [role for role in distinct if role not in get_args(Role)]
    if unknown:
        raise InvalidInput("unknown_role", f"Roles are {' and '.join(get_args(Role))}.", role=unknown[0])
    if "user" not in distinct:
        raise InvalidInput("invalid_roles", "Everybody has the role user; administrators have admin beside it.")
    return distinct


def changed_person(
    person: User,
    roles: tuple[str, ...] | None,
    is_banned: bool | None,
    now: int,
    *,
    by: str,
    other_administrators: int,
) -> User:
    """The person as the administrator `by` wants it; None leaves things.

    Nobody takes rights from himself or from the last one who has them: there would be no way back. Raises Forbidden,
    Conflict.
    """
    changed = person if roles is None else replace(person, roles=roles)
    if is_banned is not None and is_banned != (person.banned_at is not None):
        changed = replace(changed, banned_at=now if is_banned else None)
    if person.is_administrator and not changed.is_administrator:
        if person.user_id == by:
            raise Forbidden("own_account", "Administrators can neither ban themselves nor give up their own role.")
        if not other_administrators:
            raise Conflict("last_administrator", "This is the last administrator.")
    return changed


def is_code(code: str, characters: int) -> bool:
    """Whether it can be a code: one that stands in an address as it is, which `.` and `..` would not."""
    return (
        1 <= len(code) <= characters
        and all(character.isalnum() or character in "._-" for character in code)
        and not all(character == "." for character in code)
    )


def checked_tag(code: str, name: str, parent_code: str) -> OrgTag:
    """A node as it may be added to the tree. Raises InvalidInput."""
    if not is_code(code, TAG_CODE_CHARACTERS):
        raise InvalidInput("invalid_org_tag", f"A code has 1 to {TAG_CODE_CHARACTERS} {CODE_CHARACTERS}.")
    return OrgTag(code, checked_tag_name(name), parent_code)


def checked_tag_name(name: str) -> str:
    """The name as it is kept. Raises InvalidInput."""
    title = " ".join(name.split())
    if not 1 <= len(title) <= TAG_NAME_CHARACTERS:
        raise InvalidInput("invalid_org_tag", f"A name has 1 to {TAG_NAME_CHARACTERS} characters.")
    return title


def checked_domain(code: str, name: str, description: str, owner_org_tag: str) -> KnowledgeDomain:
    """A domain as it may be kept; whether its owner exists is another question. Raises InvalidInput."""
    if not is_code(code, DOMAIN_CODE_CHARACTERS):
        raise InvalidInput("invalid_domain", f"A code has 1 to {DOMAIN_CODE_CHARACTERS} {CODE_CHARACTERS}.")
    title = " ".join(name.split())
    if not 1 <= len(title) <= DOMAIN_NAME_CHARACTERS:
        raise InvalidInput("invalid_domain", f"A name has 1 to {DOMAIN_NAME_CHARACTERS} characters.")
    text = description.strip()
    if len(text) > DOMAIN_DESCRIPTION_CHARACTERS:
        raise InvalidInput("invalid_domain", f"A description has at most {DOMAIN_DESCRIPTION_CHARACTERS} characters.")
    return KnowledgeDomain(code, title, text, owner_org_tag)


def checked_place(code: str, parent_code: str, parents: Mapping[str, str]) -> None:
    """Whether a node may lie under another; `parents` is the tree as it is, by code. Raises InvalidInput."""
    if parent_code and parent_code not in parents:
        raise InvalidInput("unknown_org_tag", "There is no such org tag.", org_tag=parent_code)
    above = parent_code
    while above:
        if above == code:
            raise InvalidInput("org_tag_cycle", "An org tag cannot lie under itself.")
        above = parents[above]


def checked_tags(codes: list[str], known: frozenset[str]) -> tuple[str, ...]:
    """Distinct, known codes in the given order. Raises InvalidInput and names the first unknown one."""
    distinct = tuple(dict.fromkeys(codes))
    if len(distinct) > TAGS_PER_PERSON:
        raise InvalidInput("too_many_org_tags", f"A person has at most {TAGS_PER_PERSON} direct org tags.")
    unknown = [code for code in distinct if code not in known]
    if unknown:
        raise InvalidInput("unknown_org_tag", "There is no such org tag.", org_tag=unknown[0])
    return distinct
