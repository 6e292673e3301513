"""Index runs and searches on a real catalogue and both embedded engines, with an embedder that can be told to fail."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from opentelemetry.trace import NoOpTracer

from superagent_common.db import Database
from superagent_common.errors import Unavailable
from superagent_common.identity import Principal
from superagent_common.ids import new_id
from superagent_common.logging import get_logger
from superagent_common.org_tree import descendants
from superagent_common.telemetry import Telemetry
from superagent_retrieval.adapters.configured_embedders import AbsentEmbedder
from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.adapters.qdrant_edge_indexes import QdrantEdgeVectorIndexes
from superagent_retrieval.adapters.sql_catalogue import SqlCatalogue
from superagent_retrieval.adapters.sql_index_catalogue import SqlIndexCatalogue
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex
from superagent_retrieval.application.carrying import Carrying
from superagent_retrieval.application.channels import Channels, ChannelSettings
from superagent_retrieval.application.comparing import Comparing
from superagent_retrieval.application.copying import Copying
from superagent_retrieval.application.following import Following
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.indexing import Batch, Indexing, NewChild, NewParent
from superagent_retrieval.application.paraphrasing import Paraphrasing
from superagent_retrieval.application.reading import Reading
from superagent_retrieval.application.rebuilding import Rebuilding
from superagent_retrieval.application.reranking import Reranking, RerankSettings
from superagent_retrieval.application.searching import Query, Searching
from superagent_retrieval.application.spaces import Space, Spaces
from superagent_retrieval.application.status import Status
from superagent_retrieval.domain.access import DocumentAccess
from superagent_retrieval.domain.catalogue import DocumentMetadata, IndexedDocument, ManagedDomain, OutlineEntry
from superagent_retrieval.domain.embeddings import IndexName
from superagent_retrieval.domain.floors import Calibration
from superagent_retrieval.domain.ranking import RankingSettings
from superagent_retrieval.domain.records import DocumentAttributes, SearchFilters
from superagent_retrieval.ports import Embedder, KeywordIndex, Paraphraser, Reranker, VectorIndexes

ANNA, BEN = Principal("anna-id", "anna"), Principal("ben-id", "ben")
TREE = {"company": ["sales", "tech"], "sales": ["sales-cn"], "tech": []}
DIMENSION = 8
WORDS, LONGER = IndexName("words", DIMENSION), IndexName("longer", 2 * DIMENSION)
RANKING, CHANNELS, RERANK = RankingSettings(Calibration(0.3)), ChannelSettings(), RerankSettings()


class Held:
    """Where a call waits until the test has done something meanwhile."""

    def __init__(self) -> None:
        self.reached, self.released = asyncio.Event(), asyncio.Event()


class WordEmbedder:
    """A vector per text that only shared words bring near; fails when told to, always or for texts with a word."""

    ready = True

    def __init__(self, model: str = "words", dimension: int = DIMENSION) -> None:
        self.model = model
        self.dimension = dimension
        self.failing: Exception | None = None
        self.poison = ""
        self.held: Held | None = None
        self.embedded = 0
        self.passages: list[str] = []

    async def embed_query(self, text: str) -> list[float]:
        await self._pass()
        return self._vector(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        await self._pass()
        vectors = [self._vector(text) for text in texts]
        self.embedded += len(texts)
        self.passages += texts
        return vectors

    async def close(self) -> None:
        pass

    async def _pass(self) -> None:
        if self.held:
            self.held.reached.set()
            await self.held.released.wait()

    def _vector(self, text: str) -> list[float]:
        if self.failing:
            raise self.failing
        if self.poison and self.poison in text:
            raise Unavailable("embedder_failed")
        total = [0.001] * self.dimension
        for word in text.lower().split():
            seeded = random.Random(word.strip(".,?"))
            total = [value + seeded.gauss(0, 1) for value in total]
        norm = sum(value * value for value in total) ** 0.5
        return [value / norm for value in total]


class WordEmbedders:
    """`Embedders` of one WordEmbedder each, which outlive their spaces."""

    def __init__(self, default: str = WORDS.model, models: Iterable[IndexName] = (WORDS, LONGER)) -> None:
        self.by_model: dict[str, WordEmbedder] = {}
        self._names: dict[str, IndexName] = {}
        for name in models:
            self.add(name)
        self.default = self._names[default]

    def add(self, name: IndexName) -> None:
        self.by_model[name.model], self._names[name.model] = WordEmbedder(name.model, name.dimension), name

    @property
    def models(self) -> list[str]:
        return list(self.by_model)

    def named(self, model: str) -> IndexName | None:
        return self._names.get(model)

    def open(self, name: IndexName) -> Embedder:
        return self.by_model[name.model] if self.named(name.model) == name else AbsentEmbedder(name)

    def calibration(self, name: IndexName) -> Calibration:
        return RANKING.calibration


class Rig:
    """embedder, vectors: those that answer at the start."""

    def __init__(
        self,
        database: Database,
        indexes: VectorIndexes,
        keywords: KeywordIndex,
        embedders: WordEmbedders,
        first: Space,
        tree: Callable[[], Mapping[str, Iterable[str]]] = lambda: TREE,
    ) -> None:
        self._tree = tree
        self.embedders = embedders
        self.catalogue, self.index_catalogue = SqlCatalogue(database), SqlIndexCatalogue(database)
        self.indexes, self.keywords = indexes, keywords
        self.spaces = Spaces(first)
        self.embedder: Any = first.embedder
        self.vectors = first.index
        telemetry, log = Telemetry("retrieval"), get_logger("retrieval")
        self.managed: list[ManagedDomain] = []
        self.searching = self.searching_with()
        self.reading = Reading(self.spaces, self.catalogue, self._expand, telemetry)
        self.carrying = Carrying(self.catalogue, telemetry)
        self.following = Following(self.spaces, indexes, embedders, self.index_catalogue, log)
        self.generations = Generations(
            self.spaces, keywords, self.catalogue, self.carrying, self.following.follow, telemetry
        )
        self.indexing = Indexing(self.generations, telemetry, log)
        self.copying = Copying(self.spaces, self.catalogue, self.generations, log)
        self.comparing = Comparing(self.spaces, telemetry)
        self.rebuilding = Rebuilding(
            self.spaces,
            indexes,
            embedders,
            self.catalogue,
            self.index_catalogue,
            self.generations,
            self.carrying,
            self.following,
            log,
            first_pause_seconds=0.01,
        )
        self.status = Status(self.spaces, embedders, self.catalogue, self.rebuilding)

    @classmethod
    @asynccontextmanager
    async def opened(cls, url: str, directory: Path, embedders: WordEmbedders | None = None) -> AsyncIterator[Rig]:
        """As a process of the service: opens what is in the directory and goes on with what was not finished."""
        embedders = embedders or WordEmbedders()
        async with AsyncExitStack() as stack:
            database = await stack.enter_async_context(Database.opened(url, tracer=NoOpTracer()))
            indexes = QdrantEdgeVectorIndexes(directory / "vectors", get_logger("retrieval"))
            stack.push_async_callback(indexes.close)
            keywords = await TantivyKeywordIndex.open(directory / "keywords")
            stack.push_async_callback(keywords.close)
            answering = (await SqlIndexCatalogue(database).claim(embedders.default)).answering.index
            rig = cls(database, indexes, keywords, embedders, await Space.opened(answering, embedders, indexes))
            stack.push_async_callback(rig.rebuilding.close)
            stack.push_async_callback(rig.following.close)
            await rig.rebuilding.resume()
            await rig.generations.clear_removed()
            yield rig

    def searching_with(
        self,
        ranking: RankingSettings = RANKING,
        channels: ChannelSettings = CHANNELS,
        reranker: Reranker | None = None,
        rerank: RerankSettings = RERANK,
        paraphraser: Paraphraser | None = None,
        paraphrase_seconds: float = 3.0,
    ) -> Searching:
        """Searching on the rig's engines with settings of its own."""
        telemetry, log = Telemetry("retrieval"), get_logger("retrieval")
        return Searching(
            self.spaces,
            Channels(self.keywords, channels, telemetry, log),
            Paraphrasing(paraphraser, paraphrase_seconds, telemetry, log),
            Reranking(reranker, rerank, telemetry, log),
            self.catalogue,
            self._expand,
            lambda: self.managed,
            lambda calibration: replace(ranking, calibration=calibration),
            terms_of,
        )

    def _expand(self, tags: Iterable[str]) -> frozenset[str]:
        return descendants(self._tree(), tags)

    async def index(self, document: IndexedDocument, *texts: str) -> int:
        """Indexes a document of one parent with one child per text."""
        whole = replace(document, parents=len(texts), children=len(texts))
        return await self.indexing.index(whole, batches(texts))

    async def switched(self) -> None:
        """Returns when no run is under way and all that answered before is gone."""
        async with asyncio.timeout(120):
            while (states := await self.index_catalogue.states()).building or states.retired:
                await asyncio.sleep(0.005)

    async def texts(self, who: Principal, question: str, **filters: tuple[str, ...]) -> list[str]:
        found = await self.searching.search(who, Query(question, SearchFilters(**filters)))
        return [each.window.text for each in found.evidence]


async def batches(texts: Sequence[str]) -> AsyncIterator[Batch]:
    at = 0
    for position, text in enumerate(texts):
        parent = NewParent(position, text, ("Section",), None, None, at, at + len(text))
        yield Batch([parent], [NewChild(position, position, text, at, at + len(text))])
        at += len(text)


def document(owner: Principal = ANNA, domain: str = "ops", **access: object) -> IndexedDocument:
    rule = DocumentAccess(owner.user_id, access.get("org_tag"), bool(access.get("is_public")))  # type: ignore[arg-type]
    metadata = DocumentMetadata("Handbook", DocumentAttributes(rule, domain, language="en"), 1, 1)
    return IndexedDocument(new_id(), new_id(), metadata, (OutlineEntry(1, "Section", None, 0),))


def changed(known: IndexedDocument, **values: object) -> IndexedDocument:
    """The document with metadata of the next revision."""
    metadata = replace(known.metadata, revision=known.metadata.revision + 1, **values)  # type: ignore[arg-type]
    return replace(known, metadata=metadata)
