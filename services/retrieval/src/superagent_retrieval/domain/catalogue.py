"""Documents and domains as the catalogue knows them, and the ids of chunks."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.records import DocumentAttributes

_NAMESPACE = uuid.UUID("6b6d6c58-5f0e-5d5e-9c0a-6f1c2d3e4f50")


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A heading; level 1 to 6, page from 1, parent_position where it begins."""

    level: int
    heading: str
    page: int | None
    parent_position: int


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """What is known of a document besides its text; `uploaded_at` in microseconds since the epoch.

    revision: counts its changes; what has the higher one is newer.
    """

    title: str
    attributes: DocumentAttributes
    uploaded_at: int
    revision: int = 0


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document with one generation of its chunks."""

    document_id: str
    generation: str
    metadata: DocumentMetadata
    outline: tuple[OutlineEntry, ...] = ()
    parents: int = 0
    children: int = 0


@dataclass(frozen=True, slots=True)
class DomainSummary:
    """What a person may read of a domain."""

    code: str
    document_count: int
    sample_titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ManagedDomain:
    """A domain that an administrator has described (ING-14); `owner_org_tag` is empty when it is everybody's."""

    code: str
    name: str
    description: str
    owner_org_tag: str


@dataclass(frozen=True, slots=True)
class VisibleDomain:
    """A domain as one person sees it; one that nobody has described is its own name."""

    code: str
    name: str
    description: str
    document_count: int
    sample_titles: tuple[str, ...]


def visible_domains(
    readable: Iterable[DomainSummary], managed: Iterable[ManagedDomain], scope: AccessScope, *, is_administrator: bool
) -> list[VisibleDomain]:
    """By code: what holds something readable, and of the rest what is described and the person's to know of."""
    summaries = {summary.code: summary for summary in readable}
    described = {domain.code: domain for domain in managed}
    known = {
        code
        for code, domain in described.items()
        if is_administrator or not domain.owner_org_tag or domain.owner_org_tag in scope.org_tags
    }
    visible = []
    for code in sorted(summaries.keys() | known):
        summary = summaries.get(code, DomainSummary(code, 0, ()))
        domain = described.get(code, ManagedDomain(code, code, "", ""))
        visible.append(
            VisibleDomain(code, domain.name, domain.description, summary.document_count, summary.sample_titles)
        )
    return visible


def parent_id(document_id: str, generation: str, position: int, text: str) -> str:
    """UUIDv5 of document, generation, position and content: the same run gives the same ids."""
    return _chunk_id("parent", document_id, generation, position, text)


def child_id(document_id: str, generation: str, position: int, text: str) -> str:
    """As `parent_id`, for a child."""
    return _chunk_id("child", document_id, generation, position, text)


def copied_child_id(document_id: str, generation: str, chunk_id: str) -> str:
    """UUIDv5 of document, generation and the child it is a copy of, which stands for position and content."""
    return str(uuid.uuid5(_NAMESPACE, f"copy/{document_id}/{generation}/{chunk_id}"))


def _chunk_id(kind: str, document_id: str, generation: str, position: int, text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return str(uuid.uuid5(_NAMESPACE, f"{kind}/{document_id}/{generation}/{position}/{digest}"))
