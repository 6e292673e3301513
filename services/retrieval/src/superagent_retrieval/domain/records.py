"""What goes into the two indexes, what narrows a search, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from superagent_retrieval.domain.access import DocumentAccess


@dataclass(frozen=True, slots=True)
class DocumentAttributes:
    """What a search filters by. `business_category` is "" for none, `language` one of `zh`, `en`, `und`."""

    access: DocumentAccess
    domain: str
    business_category: str = ""
    tags: tuple[str, ...] = ()
    language: str = "und"


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Any of the values within a field, all of the fields together; an empty field narrows nothing."""

    domains: tuple[str, ...] = ()
    business_categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()

    def admit(self, document_id: str, attributes: DocumentAttributes) -> bool:
        return all(
            not wanted or not set(wanted).isdisjoint(there)
            for wanted, there in (
                (self.domains, (attributes.domain,)),
                (self.business_categories, (attributes.business_category,)),
                (self.tags, attributes.tags),
                (self.languages, (attributes.language,)),
                (self.document_ids, (document_id,)),
            )
        )


@dataclass(frozen=True, slots=True)
class ChildVector:
    """A child as the vector index keeps it.

    chunk_id: a UUID, the key. start, end: where it stands in its parent's whole text, in characters.
    vector: as long as the index's dimension and finite; a list is the fastest form. Its length does not matter.
    header: what was embedded in front of the text at start … end and does not stand there, of a table for example.
    """

    chunk_id: str
    parent_id: str
    document_id: str
    generation: str
    attributes: DocumentAttributes
    start: int
    end: int
    vector: Sequence[float]
    header: str = ""


@dataclass(frozen=True, slots=True)
class StoredVector:
    """A child as it is read back, to be written to another document or index; the vector has the length 1."""

    chunk_id: str
    parent_id: str
    start: int
    end: int
    vector: Sequence[float]
    header: str = ""


@dataclass(frozen=True, slots=True)
class ParentText:
    """A parent as the keyword index keeps it; parent_id is the key."""

    parent_id: str
    document_id: str
    generation: str
    attributes: DocumentAttributes
    title: str
    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A child that is near the question; score is the cosine, start and end as in ChildVector.

    turned: it was found with the turned question (`across`), and the score is what its cosine is worth then.
    """

    chunk_id: str
    parent_id: str
    document_id: str
    generation: str
    start: int
    end: int
    score: float
    turned: bool = False

    def found_turned(self, score: float) -> VectorHit:
        """The same child as the turned question found it. (`replace` takes three times as long, for each of dozens.)"""
        return VectorHit(
            self.chunk_id, self.parent_id, self.document_id, self.generation, self.start, self.end, score, True
        )


@dataclass(frozen=True, slots=True)
class ChildPlace:
    """Where a child stands; start and end as in ChildVector."""

    chunk_id: str
    parent_id: str
    document_id: str
    generation: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A parent that shares words with the question; score is BM25, above 0."""

    parent_id: str
    document_id: str
    generation: str
    score: float
