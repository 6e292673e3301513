"""Index runs and searches on a real catalogue and both embedded engines, with an embedder that can be told to fail."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from superagent_common.db import Database
from superagent_common.identity import Principal
from superagent_common.ids import new_id
from superagent_common.logging import get_logger
from superagent_common.org_tree import descendants
from superagent_common.telemetry import Telemetry
from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.adapters.qdrant_edge_index import QdrantEdgeVectorIndex
from superagent_retrieval.adapters.sql_catalogue import SqlCatalogue
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex
from superagent_retrieval.application.channels import Channels, ChannelSettings
from superagent_retrieval.application.comparing import Comparing
from superagent_retrieval.application.copying import Copying
from superagent_retrieval.application.generations import Generations
from superagent_retrieval.application.indexing import Batch, Indexing, NewChild, NewParent
from superagent_retrieval.application.reading import Reading
from superagent_retrieval.application.reranking import Reranking, RerankSettings
from superagent_retrieval.application.searching import Query, Searching
from superagent_retrieval.domain.access import DocumentAccess
from superagent_retrieval.domain.catalogue import DocumentMetadata, IndexedDocument, ManagedDomain, OutlineEntry
from superagent_retrieval.domain.floors import Calibration
from superagent_retrieval.domain.ranking import RankingSettings
from superagent_retrieval.domain.records import DocumentAttributes, SearchFilters
from superagent_retrieval.ports import Reranker

ANNA, BEN = Principal("anna-id", "anna"), Principal("ben-id", "ben")
TREE = {"company": ["sales", "tech"], "sales": ["sales-cn"], "tech": []}
DIMENSION = 8
RANKING, CHANNELS, RERANK = RankingSettings(Calibration(0.3)), ChannelSettings(), RerankSettings()


class WordEmbedder:
    """A vector per text that only shared words bring near; fails when told to."""

    model = "words"
    dimension = DIMENSION

    def __init__(self) -> None:
        self.failing: Exception | None = None
        self.embedded = 0

    async def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded += len(texts)
        return [self._vector(text) for text in texts]

    async def close(self) -> None:
        pass

    def _vector(self, text: str) -> list[float]:
        if self.failing:
            raise self.failing
        total = [0.001] * DIMENSION
        for word in text.lower().split():
            seeded = random.Random(word.strip(".,?"))
            total = [value + seeded.gauss(0, 1) for value in total]
        norm = sum(value * value for value in total) ** 0.5
        return [value / norm for value in total]


class Rig:
    def __init__(
        self,
        database: Database,
        vectors: QdrantEdgeVectorIndex,
        keywords: TantivyKeywordIndex,
        tree: Callable[[], Mapping[str, Iterable[str]]] = lambda: TREE,
    ) -> None:
        self._tree = tree
        self.embedder = WordEmbedder()
        self.catalogue = SqlCatalogue(database)
        self.vectors, self.keywords = vectors, keywords
        telemetry, log = Telemetry("retrieval"), get_logger("retrieval")
        self.managed: list[ManagedDomain] = []
        self.searching = self.searching_with()
        self.reading = Reading(vectors, self.catalogue, self._expand, telemetry)
        self.generations = Generations(vectors, keywords, self.catalogue, telemetry)
        self.indexing = Indexing(vectors, self.embedder, self.generations, telemetry, log)
        self.copying = Copying(vectors, self.catalogue, self.generations, log)
        self.comparing = Comparing(self.embedder, telemetry)

    def searching_with(
        self,
        ranking: RankingSettings = RANKING,
        channels: ChannelSettings = CHANNELS,
        reranker: Reranker | None = None,
        rerank: RerankSettings = RERANK,
    ) -> Searching:
        """Searching on the rig's engines with settings of its own."""
        telemetry, log = Telemetry("retrieval"), get_logger("retrieval")
        return Searching(
            Channels(self.vectors, self.keywords, self.embedder, channels, telemetry, log),
            Reranking(reranker, rerank, telemetry, log),
            self.catalogue,
            self._expand,
            lambda: self.managed,
            ranking,
            terms_of,
        )

    def _expand(self, tags: Iterable[str]) -> frozenset[str]:
        return descendants(self._tree(), tags)

    async def index(self, document: IndexedDocument, *texts: str) -> int:
        """Indexes a document of one parent with one child per text."""
        whole = replace(document, parents=len(texts), children=len(texts))
        return await self.indexing.index(whole, batches(texts))

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
