"""Documents as the catalogue knows them, and the ids of their chunks."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass

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
class IndexedDocument:
    """A document with the generation of it that answers; `uploaded_at` in microseconds since the epoch."""

    document_id: str
    generation: str
    title: str
    attributes: DocumentAttributes
    uploaded_at: int
    outline: tuple[OutlineEntry, ...] = ()
    parents: int = 0
    children: int = 0


@dataclass(frozen=True, slots=True)
class DomainSummary:
    """What a person may read of a domain."""

    code: str
    document_count: int
    sample_titles: tuple[str, ...]


def parent_id(document_id: str, generation: str, position: int, text: str) -> str:
    """UUIDv5 of document, generation, position and content: the same run gives the same ids."""
    return _chunk_id("parent", document_id, generation, position, text)


def child_id(document_id: str, generation: str, position: int, text: str) -> str:
    """As `parent_id`, for a child."""
    return _chunk_id("child", document_id, generation, position, text)


def _chunk_id(kind: str, document_id: str, generation: str, position: int, text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return str(uuid.uuid5(_NAMESPACE, f"{kind}/{document_id}/{generation}/{position}/{digest}"))
