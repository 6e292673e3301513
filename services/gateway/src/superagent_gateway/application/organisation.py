"""What administrators do with people and the org tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from superagent_common.errors import NotFound
from superagent_common.paging import decode_cursor, encode_cursor, page_limit
from superagent_gateway.application.configuration import CurrentConfiguration
from superagent_gateway.domain import OrgTag, User, checked_tag, checked_tags
from superagent_gateway.ports import OrgTree, UserStore


class Organisation:
    """The org tree and who belongs where."""

    def __init__(
        self, users: UserStore, tree: OrgTree, configuration: CurrentConfiguration, clock: Callable[[], int]
    ) -> None:
        """`clock` gives microseconds since the epoch."""
        self._users = users
        self._tree = tree
        self._configuration = configuration
        self._clock = clock

    def org_tags(self) -> Sequence[OrgTag]:
        """The whole tree, by code."""
        return self._configuration.current.org_tags

    async def add_org_tag(self, code: str, name: str, parent_code: str) -> OrgTag:
        """Adds a node. Raises InvalidInput, AlreadyExists."""
        tag = checked_tag(code, name, parent_code)
        await self._tree.add(tag)
        await self._configuration.changed()
        return tag

    async def users(self, limit: int, cursor: str) -> tuple[Sequence[User], str]:
        """A page of people, oldest account first, and the cursor of the next page."""
        size = page_limit(limit)
        after = decode_cursor(cursor)
        rows = await self._users.page(after[1] if after else "", size + 1)
        more = encode_cursor(0, rows[size - 1].user_id) if len(rows) > size else ""
        return rows[:size], more

    async def set_org_tags(self, user_id: str, codes: list[str]) -> User:
        """Replaces a person's direct tags; tokens with the old ones stop counting. Raises InvalidInput, NotFound."""
        await self._configuration.reload()
        tags = checked_tags(codes, frozenset(tag.code for tag in self.org_tags()))
        user = await self._users.set_org_tags(user_id, tags, self._clock())
        if user is None:
            raise NotFound("unknown_user", "There is no such user.")
        await self._configuration.changed()
        return user
