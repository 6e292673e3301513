"""What retrieval needs from the outside: two search engines, an embedder, a reranker, a catalogue.

Permission and filters are part of the engine's own query, never a filter over its answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import DocumentMetadata, DomainSummary, IndexedDocument, OutlineEntry
from superagent_retrieval.domain.embeddings import IndexName, IndexRun, IndexStates
from superagent_retrieval.domain.floors import Calibration
from superagent_retrieval.domain.records import (
    ChildPlace,
    ChildVector,
    DocumentAttributes,
    KeywordHit,
    ParentText,
    SearchFilters,
    StoredVector,
    VectorHit,
)


class VectorIndex(Protocol):
    """Children by cosine. One vector a chunk id; vectors of another dimension or with NaN raise ValueError.

    Writes take effect in the order they were awaited and may be seen early; what was written before a `refresh` that
    returned is found by every later search and survives the death of the process.
    """

    async def upsert(self, children: Sequence[ChildVector]) -> None:
        """Writes children; one that is there already is replaced."""
        ...

    async def search(
        self, vector: Sequence[float], scope: AccessScope, filters: SearchFilters, limit: int
    ) -> list[VectorHit]:
        """The `limit` nearest readable children, nearest first, ties by chunk id; none when limit < 1."""
        ...

    async def existing(self, chunk_ids: Sequence[str]) -> set[str]:
        """Those of `chunk_ids` that the index holds."""
        ...

    async def places(self, chunk_ids: Sequence[str]) -> list[ChildPlace]:
        """Where those of `chunk_ids` (UUIDs) stand that the index holds, in no order. Knows of no permissions."""
        ...

    async def children(self, document_id: str, generation: str, after: str | None, limit: int) -> list[StoredVector]:
        """Children of one generation with their vectors, by chunk id: at most `limit` >= 1 behind the id `after`.

        None begins with the first. Knows of no permissions.
        """
        ...

    async def update_document(self, document_id: str, attributes: DocumentAttributes) -> None:
        """Changes access and filter values of all generations of a document."""
        ...

    async def delete_document(self, document_id: str, keep_generation: str | None = None) -> bool:
        """Removes a document, or all of its generations but one; False when there was nothing to remove."""
        ...

    async def delete_generation(self, document_id: str, generation: str) -> None:
        """Removes one generation. Removing what is not there is no error."""
        ...

    async def count(self, document_id: str, generation: str) -> int:
        """Children of one generation."""
        ...

    async def refresh(self) -> None:
        """Makes all writes so far visible and durable."""
        ...

    async def close(self) -> None:
        """As refresh, then lets go of the store; nothing else may be called afterwards."""
        ...


class VectorIndexes(Protocol):
    """The vector indexes, one for each model and dimension (RAG-11): several are there while the model is switched."""

    async def open(self, model: str, dimension: int) -> VectorIndex:
        """The index of a model's vectors, an empty one when there is none; called once for each that is there.

        What has not been dropped holds what it held, whoever opened it before.
        """
        ...

    async def drop(self, model: str, dimension: int) -> None:
        """Closes the index when it is open, and removes it with all that it holds. None there is no error."""
        ...

    async def close(self) -> None:
        """Closes all that are open; nothing else may be called afterwards."""
        ...


class KeywordIndex(Protocol):
    """Parents by BM25 over title, headings and text. One entry a parent id.

    Searches see the state of the last `refresh`, which also makes it durable.
    """

    async def upsert(self, parents: Sequence[ParentText]) -> None:
        """Writes parents; one that is there already is replaced."""
        ...

    async def search(self, query: str, scope: AccessScope, filters: SearchFilters, limit: int) -> list[KeywordHit]:
        """The `limit` best readable parents, best first, ties by parent id; none when limit < 1.

        Any text is a query and none of it is syntax; a text without a searchable word (empty, punctuation, emoji)
        finds nothing.
        """
        ...

    async def headings(self, query: str, scope: AccessScope, filters: SearchFilters, limit: int) -> list[KeywordHit]:
        """As `search`, but over headings and title alone."""
        ...

    async def update_document(self, document_id: str, title: str, attributes: DocumentAttributes) -> None:
        """Changes title, access and filter values of all generations of a document."""
        ...

    async def delete_document(self, document_id: str, keep_generation: str | None = None) -> bool:
        """Removes a document, or all of its generations but one; False when there was nothing to remove."""
        ...

    async def delete_generation(self, document_id: str, generation: str) -> None:
        """Removes one generation. Removing what is not there is no error."""
        ...

    async def count(self, document_id: str, generation: str) -> int:
        """Parents of one generation, as of the last refresh."""
        ...

    async def refresh(self) -> None:
        """Makes all writes so far visible and durable."""
        ...

    async def close(self) -> None:
        """As refresh, then lets go of the store; nothing else may be called afterwards."""
        ...


class Embedder(Protocol):
    """Texts to unit vectors. Every failure is Unavailable: `embedder_down` (there is none now), `embedder_busy` (too
    many queries wait), `embedder_failed` (it answered that it cannot)."""

    model: str
    """Name of the model: vectors of another name are not comparable."""

    dimension: int

    @property
    def ready(self) -> bool:
        """Whether it can answer right now, as far as is known."""
        ...

    async def embed_query(self, text: str) -> list[float]:
        """The unit vector of a question, [dimension]. An empty text has a vector, too (that of its prefix)."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """The unit vectors of passages, in their order. Waits while others are ahead; queries overtake."""
        ...

    async def close(self) -> None:
        """Ends it; whatever still waits fails with `embedder_down`."""
        ...


class Embedders(Protocol):
    """The embedding models that the settings name; no two have the same name."""

    default: IndexName
    """The one to answer with when nothing is indexed yet, and that the settings want otherwise."""

    @property
    def models(self) -> list[str]:
        """Their names, in order."""
        ...

    def named(self, model: str) -> IndexName | None:
        """The model of this name."""
        ...

    def open(self, name: IndexName) -> Embedder:
        """Starts the model's embedder. One that the settings do not name fails with `embedder_not_configured`."""
        ...

    def calibration(self, name: IndexName) -> Calibration:
        """What the model's cosines mean; a cautious floor for one of which nothing is known."""
        ...


class Reranker(Protocol):
    """Judges passages again, by reading them. Every failure is one of `superagent_common.errors`."""

    model: str
    """Name of the model that judges."""

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers the question: finite, higher is better, comparable within one call only."""
        ...

    async def close(self) -> None: ...


class Paraphraser(Protocol):
    """Says a question in other words. Every failure is one of `superagent_common.errors`."""

    model: str
    """Name of the model that says it."""

    async def paraphrases(self, question: str) -> list[str]:
        """Questions that ask the same; any number, of any length."""
        ...

    async def close(self) -> None: ...


class Catalogue(Protocol):
    """Documents and their parents; names the generation of each document that answers, and who may read it.

    What is known of a document may be there before any generation of it answers.
    """

    async def learn(self, document_id: str, metadata: DocumentMetadata) -> DocumentMetadata:
        """Remembers what is said of a document unless something newer is known, and gives the newest.

        Raises NotFound for a document that has been removed.
        """
        ...

    async def metadata(self, document_id: str) -> DocumentMetadata | None:
        """The newest that is known of a document."""
        ...

    async def answering(self, document_id: str) -> IndexedDocument | None:
        """The document as it answers now."""
        ...

    async def generations(self, document_ids: Sequence[str]) -> dict[str, str]:
        """The generations that answer, by document id."""
        ...

    async def write_parents(self, parents: Sequence[Parent], generation: str) -> None:
        """Writes parents of a generation that does not answer yet; those that are there stay."""
        ...

    async def parents_behind(self, document_id: str, generation: str, position: int, limit: int) -> list[Parent]:
        """Parents of an answering generation in reading order: at most `limit` behind a position, -1 for the first.

        Nothing when the generation does not answer (any more).
        """
        ...

    async def texts(self, parent_ids: Sequence[str]) -> dict[str, str]:
        """Texts of parents by id, also of generations that do not answer. Knows of no permissions."""
        ...

    async def count(self, document_id: str, generation: str) -> int:
        """Parents that are there of one generation."""
        ...

    async def discard(self, document_id: str, generation: str) -> None:
        """Forgets the parents of a generation that does not answer."""
        ...

    async def activate(self, document: IndexedDocument, index: IndexName) -> bool:
        """Makes a generation the answering one, and forgets the parents of all others.

        False, and nothing is changed, when the document's revision is not the newest that is known, or `index`, which
        holds its vectors, is not the one that answers. Raises NotFound for a document that has been removed.
        """
        ...

    async def remove(self, document_id: str) -> None:
        """Forgets a document, and remembers for a day that it is gone: a run that is under way must not revive it."""
        ...

    async def removed(self) -> list[str]:
        """Documents that were removed within the last day."""
        ...

    async def parents(self, parent_ids: Sequence[str], scope: AccessScope) -> dict[str, Parent]:
        """Those of the parents that belong to an answering generation of a readable document, by id."""
        ...

    async def readable(self, document_id: str, scope: AccessScope) -> IndexedDocument | None:
        """As `answering`; None also for a document that is not readable."""
        ...

    async def outline(self, document_id: str, scope: AccessScope) -> tuple[OutlineEntry, ...] | None:
        """The section tree of a document; None for one that is unknown or not readable."""
        ...

    async def domains(self, scope: AccessScope) -> Sequence[DomainSummary]:
        """Domains with readable documents, by code."""
        ...

    async def totals(self) -> tuple[int, int, int]:
        """Documents, parents and children that answer."""
        ...


class IndexCatalogue(Protocol):
    """Which model's index answers, and how far the next one is. What it says is true of the catalogue of documents at the
    same moment."""

    async def claim(self, default: IndexName) -> IndexStates:
        """The indexes that there are. As long as no document answers, the answering one is `default`."""
        ...

    async def states(self) -> IndexStates:
        """The indexes that there are; call `claim` before."""
        ...

    async def start(self, run: IndexRun) -> None:
        """Remembers that an index is being built; there is no other one, and none of this name."""
        ...

    async def behind(self, run_id: str, after: str, limit: int) -> list[str]:
        """Documents whose answering generation the index of the run does not hold yet: at most `limit` behind an id, ""
        for the first."""
        ...

    async def mark(self, run_id: str, document_id: str, generation: str) -> None:
        """The index of the run holds all of this generation; nothing when another one answers."""
        ...

    async def progress(self, run_id: str) -> tuple[int, int]:
        """How many answering documents the index of the run holds, and how many there are."""
        ...

    async def finish(self, run_id: str) -> bool:
        """Lets the index of the run answer and retires the one before. False, and nothing is changed, when a document is
        behind."""
        ...

    async def abandon(self, run_id: str) -> None:
        """Retires the index of a run that is not finished."""
        ...

    async def forget(self, index: IndexName) -> None:
        """A retired index is gone."""
        ...
