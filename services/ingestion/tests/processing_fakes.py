"""What stands around the ingestion service in its tests."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from itertools import pairwise
from pathlib import Path

from superagent_common.clock import SECOND
from superagent_common.errors import NotFound, Unavailable
from superagent_ingestion.domain.blocks import Block, ParsedDocument
from superagent_ingestion.domain.chunking import Chunks
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.domain.fetching import Fetched


class FakeFetcher:
    """Answers every address with `content`; an exception is raised. `fetched` holds the addresses."""

    def __init__(self) -> None:
        self.content = b"Fetched text."
        self.hindrance: Exception | None = None
        self.fetched: list[str] = []

    async def fetch(self, url: str, path: Path) -> Fetched:
        self.fetched.append(url)
        if self.hindrance:
            raise self.hindrance
        await asyncio.to_thread(path.write_bytes, self.content)
        return Fetched("fetched.txt", len(self.content), hashlib.sha256(self.content).hexdigest(), "host", 1)


class FakeParser:
    """One paragraph per file; an exception is raised, an asyncio.Event waited for."""

    def __init__(self) -> None:
        self.hindrance: Exception | asyncio.Event | None = None
        self.parsed = 0

    async def parse(self, path: Path, file_name: str) -> ParsedDocument:
        self.parsed += 1
        if isinstance(self.hindrance, Exception):
            raise self.hindrance
        if self.hindrance:
            await self.hindrance.wait()
        text = await asyncio.to_thread(path.read_text)
        return ParsedDocument(
            (Block("heading", "Title", 1), Block("paragraph", text)), "Title", "en", "text/plain", None, "fake"
        )


class FakeIndex:
    """Keeps generations and chunks by document; an exception is raised, a callable awaited before anything is written.

    `embedded` counts children over all documents; `copy_hindrance` is raised by copying alone. `said` holds the newest
    revision of each document that it was told of; `telling` is raised by an update.
    """

    def __init__(self) -> None:
        self.generations: dict[str, list[str]] = {}
        self.copy_hindrance: Exception | None = None
        self.said: dict[str, Document] = {}
        self.telling: Exception | None = None
        self.embedded = 0
        self.chunks: dict[str, Chunks] = {}
        self.hindrance: Exception | Callable[[Document], Awaitable[None]] | None = None

    async def index(self, document: Document, chunks: Chunks, taken: Callable[[int], Awaitable[None]]) -> int:
        await taken(0)
        if isinstance(self.hindrance, Exception):
            raise self.hindrance
        if self.hindrance:
            await self.hindrance(document)
        self._learn(document)
        self.generations.setdefault(document.document_id, []).append(document.generation)
        self.chunks[document.document_id] = chunks
        self.embedded += len(chunks.children)
        return len(chunks.children)

    async def copy(self, document: Document, source_id: str) -> tuple[int, int]:
        if isinstance(self.hindrance, Exception):
            raise self.hindrance
        if self.hindrance:
            await self.hindrance(document)
        if self.copy_hindrance:
            raise self.copy_hindrance
        if source_id not in self.chunks:
            raise NotFound("unknown_document")
        self._learn(document)
        chunks = self.chunks[document.document_id] = self.chunks[source_id]
        self.generations.setdefault(document.document_id, []).append(document.generation)
        return len(chunks.parents), len(chunks.children)

    async def update(self, document: Document) -> None:
        if self.telling:
            raise self.telling
        self._learn(document)

    async def delete(self, document_id: str) -> None:
        if isinstance(self.hindrance, Exception):
            raise self.hindrance
        self.said.pop(document_id, None)
        self.generations.pop(document_id, None)
        self.chunks.pop(document_id, None)

    def _learn(self, document: Document) -> None:
        known = self.said.get(document.document_id)
        if known is None or known.metadata_revision <= document.metadata_revision:
            self.said[document.document_id] = document


class FakeNeighbours:
    """Texts with the same first word are near; counts the texts; an exception is raised, `before` is awaited first."""

    def __init__(self) -> None:
        self.compared = 0
        self.before: Callable[[], Awaitable[None]] | None = None
        self.hindrance: Exception | None = None

    async def similarities(self, texts: Sequence[str]) -> Sequence[float]:
        if self.hindrance:
            raise self.hindrance
        if self.before:
            await self.before()
        self.compared += len(texts)
        return [0.95 if left.split()[:1] == right.split()[:1] else 0.7 for left, right in pairwise(texts)]


class FakeTopicModel:
    """Says what it is told to, and counts; an exception is raised."""

    def __init__(self, begun: Collection[int] | Exception) -> None:
        self.begun = begun
        self.calls = 0

    async def topics_begin(self, texts: Sequence[str]) -> Collection[int]:
        self.calls += 1
        if isinstance(self.begun, Exception):
            raise self.begun
        return self.begun


class FakeHints:
    """The trace parents of what was sent; `failing` makes every call fail, which `failed` tells."""

    def __init__(self) -> None:
        self.sent: asyncio.Queue[str] = asyncio.Queue()
        self.failed = asyncio.Event()
        self.failing = False

    async def waiting(self) -> int:
        return self.sent.qsize()

    async def send(self, trace_parent: str) -> None:
        if self.failing:
            self.failed.set()
            raise Unavailable("worker_queue_unavailable")
        self.sent.put_nowait(trace_parent)

    def take(self) -> list[str]:
        """Takes what was sent since the last call out of the queue."""
        return [self.sent.get_nowait() for _ in range(self.sent.qsize())]


class FakeDepartures:
    """Names of workers that are gone, until they are forgotten."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def gone(self) -> Collection[str]:
        return set(self.names)

    def forget(self, owners: Collection[str]) -> None:
        self.names -= set(owners)


class Clock:
    """Microseconds that move only when told; real time is far behind it."""

    def __init__(self) -> None:
        self.at = 1_000 * SECOND

    def __call__(self) -> int:
        return self.at

    def pass_(self, seconds: float) -> None:
        self.at += int(seconds * SECOND)
