"""Hybrid search on the embedded engines beside a raw floor (numpy and tantivy, no filters), in one run, in turns.

    python -m bench.search [--chunks 10000] [--searches 300] [--data DIRECTORY]

Vectors and words are synthetic and seeded; every search is by a person who may read about half of the documents, a third
of which are in another script, so that the turned question finds something. Embedding the question and the catalogue's SQL
are not part of it: parents' texts come from memory. Own work is what is done between the engines. 10,000 chunks take
about 20 seconds; 100,000 some minutes, most of them for the graph.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import string
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

# Threads of the floor's matrix product would fight with whatever else runs.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import psutil
import tantivy

from bench.report import Figure, median, percentile, show
from superagent_retrieval.adapters.keyword_analysis import terms_of
from superagent_retrieval.adapters.qdrant_edge_index import QdrantEdgeVectorIndex
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex
from superagent_retrieval.domain.access import AccessScope, DocumentAccess
from superagent_retrieval.domain.across import Across, Turn
from superagent_retrieval.domain.budget import Budget, fit
from superagent_retrieval.domain.candidates import Parent
from superagent_retrieval.domain.channels import VariantHits
from superagent_retrieval.domain.floors import Calibration, RelatedFloors
from superagent_retrieval.domain.ranking import Asked, RankingSettings, pooled, selected
from superagent_retrieval.domain.records import ChildVector, DocumentAttributes, ParentText, SearchFilters
from superagent_retrieval.domain.variants import normalised, variants

TARGET_P95_MS, TARGET_OWN_MS = 40.0, 3.0
DIMENSION = 384
CHILDREN_OF_PARENT, PARENTS_OF_DOCUMENT = 2, 5
CANDIDATES, TOP_K = 50, 5
WORDS_OF_PARENT, WORDS_OF_QUESTION = 180, 8
VOCABULARY, CLUSTERS = 20_000, 400
# Every tenth document is public, and the person has four of ten tags: 0.1 + 0.9 · 0.4 of the documents.
PERSON = AccessScope("person", frozenset(f"org{number}" for number in range(4)))
TURN = Turn((0.01,) * DIMENSION, 0.0, 0.0, 0.0)
SETTINGS = RankingSettings(Calibration(0.0, related=RelatedFloors(0.0, 0.0, 0.0), across=Across(TURN, TURN)))
_ROUND = 20
T = TypeVar("T")
_SEARCHES_FOR_MEMORY = 200


@dataclass
class Measured:
    seconds: list[float] = field(default_factory=list)
    cpu_seconds: float = 0.0
    own_seconds: list[float] = field(default_factory=list)

    @property
    def own_ms(self) -> float:
        return median(self.own_seconds) * 1e3

    @property
    def p50_ms(self) -> float:
        return median(self.seconds) * 1e3

    @property
    def p95_ms(self) -> float:
        return percentile(self.seconds, 95) * 1e3

    @property
    def cpu_ms(self) -> float:
        return self.cpu_seconds / len(self.seconds) * 1e3


@dataclass
class Workload:
    """children[i] belongs to parents[i // CHILDREN_OF_PARENT]."""

    vectors: np.ndarray
    texts: list[str]
    questions: list[tuple[list[float], str]]

    @classmethod
    def make(cls, chunks: int, searches: int) -> Workload:
        random = np.random.default_rng(20261129)
        centres = random.normal(size=(CLUSTERS, DIMENSION))
        vectors = centres[random.integers(0, CLUSTERS, chunks)] + 0.7 * random.normal(size=(chunks, DIMENSION))
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        zipf = 1 / np.arange(1, VOCABULARY + 1)
        zipf /= zipf.sum()
        words = np.array(vocabulary())
        parents = -(-chunks // CHILDREN_OF_PARENT)
        texts = [" ".join(row) for row in words[random.choice(VOCABULARY, (parents, WORDS_OF_PARENT), p=zipf)]]
        questions = []
        for asked in random.integers(0, parents, searches):
            vector = vectors[asked * CHILDREN_OF_PARENT] + 0.02 * random.normal(size=DIMENSION)
            text = " ".join(random.choice(texts[asked].split(), WORDS_OF_QUESTION))
            questions.append((vector.astype(np.float32).tolist(), text))
        return cls(vectors, texts, questions)

    def catalogue(self) -> dict[str, Parent]:
        return {
            _parent_id(number): Parent(
                _parent_id(number),
                _document_id(number),
                "title",
                "domain",
                (f"section {number}",),
                number % PARENTS_OF_DOCUMENT,
                text,
                0,
                len(text),
            )
            for number, text in enumerate(self.texts)
        }


def vocabulary() -> list[str]:
    """Words that are neither stems of each other nor identifiers."""
    letters = itertools.product(string.ascii_lowercase, repeat=4)
    return ["".join(four) + "q" for four in itertools.islice(letters, VOCABULARY)]


class Hybrid:
    """Ours, through the ports and the ranking."""

    def __init__(self, vectors: QdrantEdgeVectorIndex, keywords: TantivyKeywordIndex) -> None:
        self.vectors = vectors
        self.keywords = keywords

    @classmethod
    async def open(cls, directory: Path) -> Hybrid:
        return cls(
            await QdrantEdgeVectorIndex.open(directory / "vectors", DIMENSION),
            await TantivyKeywordIndex.open(directory / "keywords"),
        )

    async def write(self, load: Workload) -> None:
        for first in range(0, len(load.texts), 500):
            numbers = range(first, min(first + 500, len(load.texts)))
            await self.keywords.upsert(
                [
                    ParentText(
                        _parent_id(n), _document_id(n), "g", _attributes(n), "title", (f"section {n}",), load.texts[n]
                    )
                    for n in numbers
                ]
            )
            children = range(
                numbers.start * CHILDREN_OF_PARENT, min(numbers.stop * CHILDREN_OF_PARENT, len(load.vectors))
            )
            await self.vectors.upsert([_child(n, load.vectors[n].tolist()) for n in children])
            await asyncio.gather(self.vectors.refresh(), self.keywords.refresh())

    async def search(self, vector: list[float], text: str, catalogue: dict[str, Parent]) -> float:
        """CPU seconds of what is done between the engines."""
        began = time.thread_time()
        (form,) = variants(text, (), "")
        asked = Asked(text, terms_of(normalised(text)))
        turned = TURN.turned(vector)
        before = time.thread_time() - began
        near, foreign, worded = await asyncio.gather(
            self.vectors.search(vector, PERSON, SearchFilters(), CANDIDATES),
            self.vectors.search(turned.vector, PERSON, SearchFilters(languages=("zh",)), CANDIDATES // 2),
            self.keywords.search(text, PERSON, SearchFilters(), CANDIDATES),
        )
        began = time.thread_time()
        hits = [*near, *(hit.found_turned(turned.score(hit.score)) for hit in foreign)]
        found = {hit.parent_id for hit in (*hits, *worded)}
        parents = {key: catalogue[key] for key in found if key in catalogue}
        pool = pooled(asked, [VariantHits(form, hits, worded)], (), parents, SETTINGS, terms_of)
        fit(selected(pool, TOP_K).passages, Budget())
        return before + time.thread_time() - began

    async def close(self) -> None:
        await self.vectors.close()
        await self.keywords.close()


class Floor:
    """The least that answers: one product with a matrix, one query of a bare index, no rows, no rights."""

    def __init__(self, load: Workload) -> None:
        self._vectors = load.vectors
        builder = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="whitespace", index_option="freq")
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema)
        self._index.register_tokenizer(
            "whitespace", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        )
        writer = self._index.writer(heap_size=50_000_000, num_threads=1)
        for text in load.texts:
            writer.add_document(tantivy.Document.from_dict({"text": text}, self._schema))
        writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    async def search(self, vector: list[float], text: str) -> None:
        scores = self._vectors @ np.array(vector, np.float32)
        best = np.argpartition(-scores, CANDIDATES)[:CANDIDATES]
        best[np.argsort(-scores[best])].tolist()
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "text", word, "freq"))
            for word in set(text.split())
        ]
        _ = self._searcher.search(tantivy.Query.boolean_query(terms), limit=CANDIDATES, count=False).hits


async def measured(into: Measured, search: Callable[[], Awaitable[T]]) -> T:
    cpu, began = time.process_time(), time.perf_counter()
    found = await search()
    into.seconds.append(time.perf_counter() - began)
    into.cpu_seconds += time.process_time() - cpu
    return found


async def compare(hybrid: Hybrid, floor: Floor, load: Workload, catalogue: dict[str, Parent]) -> list[Figure]:
    whole, vector_only, keyword_only, raw = (Measured() for _ in range(4))
    for first in range(0, len(load.questions), _ROUND):
        asked = load.questions[first : first + _ROUND]
        for vector, text in asked:
            own = await measured(whole, lambda v=vector, t=text: hybrid.search(v, t, catalogue))
            whole.own_seconds.append(own)
        for vector, _ in asked:
            await measured(vector_only, lambda v=vector: hybrid.vectors.search(v, PERSON, SearchFilters(), CANDIDATES))
        for _, text in asked:
            await measured(keyword_only, lambda t=text: hybrid.keywords.search(t, PERSON, SearchFilters(), CANDIDATES))
        for vector, text in asked:
            await measured(raw, lambda v=vector, t=text: floor.search(v, t))
    return [
        Figure("hybrid: both engines, ranking, budget: p95", whole.p95_ms, "ms", raw.p95_ms, at_most=TARGET_P95_MS),
        Figure("hybrid: p50", whole.p50_ms, "ms", raw.p50_ms),
        Figure("hybrid: CPU", whole.cpu_ms, "CPU-ms", raw.cpu_ms),
        Figure("  of it own work: median", whole.own_ms, "CPU-ms", at_most=TARGET_OWN_MS),
        Figure("  vector engine alone: p95", vector_only.p95_ms, "ms"),
        Figure("  keyword engine alone: p95", keyword_only.p95_ms, "ms"),
        Figure("  recall of the vector engine", await recall(hybrid, load)),
    ]


async def recall(hybrid: Hybrid, load: Workload) -> float:
    """Share of the true nearest readable children that the vector engine finds."""
    readable = np.array([PERSON.admits(_attributes(n // CHILDREN_OF_PARENT).access) for n in range(len(load.vectors))])
    found = 0
    asked = load.questions[:50]
    for vector, _ in asked:
        scores = np.where(readable, load.vectors @ np.array(vector, np.float32), -1)
        nearest = {_chunk_id(int(n)) for n in np.argpartition(-scores, CANDIDATES)[:CANDIDATES]}
        hits = await hybrid.vectors.search(vector, PERSON, SearchFilters(), CANDIDATES)
        found += len(nearest & {hit.chunk_id for hit in hits})
    return found / (len(asked) * CANDIDATES)


def memory_of_a_fresh_process(directory: Path) -> list[Figure]:
    command = [sys.executable, "-m", "bench.search", "--memory", str(directory)]
    opened, searched = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return [
        Figure("memory of both engines, opened: RSS", opened, "MiB"),
        Figure(f"memory of both engines, {_SEARCHES_FOR_MEMORY} searches later: RSS", searched, "MiB"),
    ]


async def memory_growth(directory: Path) -> tuple[float, float]:
    """MiB that this process grows by when the engines are opened, and when they have searched as well."""
    process = psutil.Process()
    random = np.random.default_rng(1)
    before = process.memory_info().rss
    hybrid = await Hybrid.open(directory)
    opened = process.memory_info().rss
    for _ in range(_SEARCHES_FOR_MEMORY):
        words = " ".join(random.choice(vocabulary()[:2_000], WORDS_OF_QUESTION))
        await hybrid.search(random.normal(size=DIMENSION).tolist(), words, {})
    searched = process.memory_info().rss
    await hybrid.close()
    return (opened - before) / 2**20, (searched - before) / 2**20


async def run(chunks: int, searches: int, directory: Path) -> None:
    load = Workload.make(chunks, searches)
    catalogue = load.catalogue()
    hybrid = await Hybrid.open(directory)
    cpu, began = time.process_time(), time.perf_counter()
    await hybrid.write(load)
    figures = [
        Figure("writing", chunks / (time.perf_counter() - began), "children/s"),
        Figure("writing: CPU of 1,000 children", (time.process_time() - cpu) * 1e6 / chunks, "CPU-ms"),
    ]
    floor = Floor(load)
    figures += await compare(hybrid, floor, load, catalogue)
    began = time.perf_counter()
    optimised = await hybrid.vectors.optimize_when_idle(quiet_seconds=0)
    seconds = time.perf_counter() - began
    title = f"Search in {chunks:,} children"
    if optimised:
        show(f"{title}, as written", figures)
        title += ", optimised in another process"
        figures = [Figure("optimising", seconds, "s"), *await compare(hybrid, floor, load, catalogue)]
    await hybrid.close()
    show(title, figures + memory_of_a_fresh_process(directory))


def _child(number: int, vector: list[float]) -> ChildVector:
    parent = number // CHILDREN_OF_PARENT
    return ChildVector(
        _chunk_id(number), _parent_id(parent), _document_id(parent), "g", _attributes(parent), 0, 500, vector
    )


def _attributes(parent: int) -> DocumentAttributes:
    document = parent // PARENTS_OF_DOCUMENT
    access = DocumentAccess(f"owner{document % 50}", f"org{document // 7 % 10}", document % 10 == 0)
    return DocumentAttributes(access, f"domain{document % 3}", "", (), "en" if document % 3 else "zh")


def _chunk_id(number: int) -> str:
    return str(uuid.UUID(int=number + 1))


def _parent_id(number: int) -> str:
    return f"parent{number}"


def _document_id(parent: int) -> str:
    return f"document{parent // PARENTS_OF_DOCUMENT}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--data", type=Path, help="empty folder for the indexes; a temporary one by default")
    parser.add_argument("--memory", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        sys.stdout.write(json.dumps(asyncio.run(memory_growth(options.memory))))
        return
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(run(options.chunks, options.searches, options.data or Path(temporary)))


if __name__ == "__main__":
    main()
