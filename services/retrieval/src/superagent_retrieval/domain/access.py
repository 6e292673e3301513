"""Who may read what (RAG-9): the owner, everybody when it is public, and those whose org tags cover it.

An engine filters by *labels*: a document carries those of `DocumentAccess.labels`, a search asks for any of those of
`AccessScope.labels`, and the two meet exactly where `AccessScope.admits` says yes.
"""

from __future__ import annotations

from dataclasses import dataclass

_PUBLIC = "public"
_OWNER = "owner:"
_ORG_TAG = "tag:"


@dataclass(frozen=True, slots=True)
class DocumentAccess:
    """`org_tag` is None for a document that belongs to no part of the organisation."""

    owner_id: str
    org_tag: str | None
    is_public: bool

    def __post_init__(self) -> None:
        if not self.owner_id or self.org_tag == "":
            raise ValueError("a document has an owner, and its org tag is None or not empty")

    def labels(self) -> tuple[str, ...]:
        labels = [_OWNER + self.owner_id]
        if self.org_tag is not None:
            labels.append(_ORG_TAG + self.org_tag)
        if self.is_public:
            labels.append(_PUBLIC)
        return tuple(labels)


@dataclass(frozen=True, slots=True)
class AccessScope:
    """A person as far as reading goes. `org_tags` are the person's own and all tags below them."""

    user_id: str
    org_tags: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.user_id or "" in self.org_tags:
            raise ValueError("a scope has a user, and no empty org tag")

    def admits(self, access: DocumentAccess) -> bool:
        return access.owner_id == self.user_id or access.is_public or access.org_tag in self.org_tags

    def labels(self) -> tuple[str, ...]:
        """In a fixed order, so that equal scopes make equal queries."""
        return (_PUBLIC, _OWNER + self.user_id, *(_ORG_TAG + tag for tag in sorted(self.org_tags)))
