"""Org tags that a person may give to documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from superagent_common.errors import InvalidInput
from superagent_common.identity import Principal

ExpandTags = Callable[[Iterable[str]], frozenset[str]]
"""Org tags with all their descendants."""


def check_org_tag(tag: str, principal: Principal, expand_tags: ExpandTags) -> None:
    """Raises InvalidInput for a tag, unless "" for none, that is beyond the person's own and those below them."""
    if tag and not principal.is_admin and tag not in expand_tags(principal.org_tags):
        raise InvalidInput("unknown_org_tag", "The org tag is not one of yours.")
