"""What administrators do with people: find them, give and take roles and org tags, ban."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superagent_common.errors import NotFound
from superagent_common.paging import decode_cursor, encode_cursor, page_limit
from superagent_gateway.application.configuration import CurrentConfiguration
from superagent_gateway.domain import User, changed_person, checked_roles, checked_tags, username_key
from superagent_gateway.ports import UserStore


class People:
    """Everybody who has an account."""

    def __init__(self, users: UserStore, configuration: CurrentConfiguration, clock: Callable[[], int]) -> None:
        """`clock` gives microseconds since the epoch."""
        self._users = users
        self._configuration = configuration
        self._clock = clock

    async def page(self, name: str, limit: int, cursor: str) -> tuple[Sequence[User], str]:
        """A page of people whose username holds `name`, oldest account first, and the cursor of the next page."""
        size = page_limit(limit)
        after = decode_cursor(cursor)
        rows = await self._users.page(username_key(name.strip()), after[1] if after else "", size + 1)
        more = encode_cursor(0, rows[size - 1].user_id) if len(rows) > size else ""
        return rows[:size], more

    async def change(self, user_id: str, roles: list[str] | None, is_banned: bool | None, by: str) -> User:
        """Gives roles, bans or lets back in, for the administrator `by`; None leaves things.

        Raises InvalidInput, NotFound, Forbidden for the own rights, Conflict for those of the last administrator.
        """
        wanted = None if roles is None else checked_roles(roles)
        now = self._clock()

        def changed(person: User, other_administrators: int) -> User:
            return changed_person(person, wanted, is_banned, now, by=by, other_administrators=other_administrators)

        return await self._followed(await self._users.change(user_id, changed, now))

    async def set_org_tags(self, user_id: str, codes: list[str]) -> User:
        """Replaces a person's direct tags; tokens with the old ones stop counting. Raises InvalidInput, NotFound."""
        await self._configuration.reload()
        tags = checked_tags(codes, frozenset(tag.code for tag in self._configuration.current.org_tags))
        return await self._followed(await self._users.set_org_tags(user_id, tags, self._clock()))

    async def _followed(self, user: User | None) -> User:
        if user is None:
            raise NotFound("unknown_user", "There is no such user.")
        await self._configuration.changed()
        return user
