"""The catalogue of documents and their parents, and that of indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.catalogue import DocumentMetadata, DomainSummary, IndexedDocument, OutlineEntry
from superagent_retrieval.domain.embeddings import IndexName, IndexRun, IndexStates


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
        behind or the run is not under way (any more)."""
        ...

    async def abandon(self, run_id: str) -> None:
        """Retires the index of a run that is under way; nothing when it is not (any more)."""
        ...

    async def forget(self, index: IndexName) -> None:
        """A retired index is gone."""
        ...
