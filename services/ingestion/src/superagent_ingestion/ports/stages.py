"""What the stages of a document ask of others: reading, topics, the index."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from pathlib import Path
from typing import Protocol

from superagent_ingestion.domain.blocks import ParsedDocument
from superagent_ingestion.domain.chunking import Chunks
from superagent_ingestion.domain.documents import Document


class DocumentParser(Protocol):
    """Reads files. Raises DocumentRejected when the file is the cause."""

    async def parse(self, path: Path, file_name: str) -> ParsedDocument: ...


class Neighbours(Protocol):
    """How near in meaning texts are."""

    async def similarities(self, texts: Sequence[str]) -> Sequence[float]:
        """The cosine of each text with the next, one less than there are texts. Raises Unavailable."""


class TopicModel(Protocol):
    """Tells where topics begin."""

    async def topics_begin(self, texts: Sequence[str]) -> Collection[int]:
        """Indices, above 0, of the passages in reading order at which a new topic begins.

        Raises Conflict `too_long_for_model`, Unavailable `invalid_model_topics` and what the model raises.
        """


class Index(Protocol):
    """The retrieval service."""

    async def index(self, document: Document, chunks: Chunks, taken: Callable[[int], Awaitable[None]]) -> int:
        """Indexes a document's generation and gives the number of texts embedded. Raises Unavailable.

        `taken` is told how many children retrieval has taken in so far.
        """

    async def copy(self, document: Document, source_id: str) -> tuple[int, int]:
        """Makes the chunks of another document this one's, with this one's access, and counts parents and children.

        Raises NotFound when the other one does not answer, Unimplemented by an index that cannot, and Unavailable.
        """

    async def update(self, document: Document) -> None:
        """Makes both indexes hold what is said of a document, also one that is being indexed.

        Raises Unavailable, and NotFound for a document that was deleted there.
        """

    async def delete(self, document_id: str) -> None: ...
