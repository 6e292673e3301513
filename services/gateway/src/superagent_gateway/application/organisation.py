"""The tree of org tags, as administrators change it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from superagent_common.errors import NotFound
from superagent_common.org_tree import descendants
from superagent_gateway.application.configuration import CurrentConfiguration
from superagent_gateway.domain import OrgTag, checked_tag, checked_tag_name
from superagent_gateway.ports import OrgTree


class Organisation:
    """The tree. Every change of it reaches all replicas and services."""

    def __init__(self, tree: OrgTree, configuration: CurrentConfiguration) -> None:
        self._tree = tree
        self._configuration = configuration

    def org_tags(self) -> Sequence[OrgTag]:
        """The whole tree, by code."""
        return self._configuration.current.org_tags

    def reached(self, codes: Iterable[str]) -> list[OrgTag]:
        """The tags of these codes and all below them, by code."""
        children: dict[str, list[str]] = {}
        for tag in self.org_tags():
            children.setdefault(tag.parent_code, []).append(tag.code)
        within = descendants(children, codes)
        return [tag for tag in self.org_tags() if tag.code in within]

    async def add(self, code: str, name: str, parent_code: str) -> OrgTag:
        """Adds a node. Raises InvalidInput, AlreadyExists."""
        tag = checked_tag(code, name, parent_code)
        await self._tree.add(tag)
        await self._configuration.changed()
        return tag

    async def change(self, code: str, name: str | None, parent_code: str | None) -> OrgTag:
        """Renames or moves a node; None leaves it, "" moves it to the root. Raises InvalidInput, NotFound."""
        tag = await self._tree.change(code, None if name is None else checked_tag_name(name), parent_code)
        if tag is None:
            raise NotFound("unknown_org_tag", "There is no such org tag.")
        await self._configuration.changed()
        return tag

    async def remove(self, code: str) -> None:
        """Removes a node that nothing refers to. Raises NotFound, Conflict."""
        if not await self._tree.remove(code):
            raise NotFound("unknown_org_tag", "There is no such org tag.")
        await self._configuration.changed()
