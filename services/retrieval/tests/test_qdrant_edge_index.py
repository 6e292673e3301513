"""What only the embedded Qdrant does: optimise a copy, and keep what changed in a log."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import qdrant_edge as qdrant

from services.retrieval.tests.brute_force_indexes import BruteForceVectorIndex
from services.retrieval.tests.index_records import ALICE, DIMENSION, EVERYTHING, child, chunk_id
from superagent_retrieval.adapters.qdrant_edge_index import QdrantEdgeVectorIndex
from superagent_retrieval.domain.access import DocumentAccess
from superagent_retrieval.domain.records import ChildVector, DocumentAttributes

POINTS = 1_500
GRAPH_FROM_POINTS = 500


@asynccontextmanager
async def opened(
    directory: Path, dimension: int = DIMENSION, journal_points: int = POINTS
) -> AsyncIterator[QdrantEdgeVectorIndex]:
    index = await QdrantEdgeVectorIndex.open(directory, dimension, GRAPH_FROM_POINTS, journal_points)
    yield index
    await index.close()


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[QdrantEdgeVectorIndex]:
    async with opened(tmp_path / "vectors") as index:
        yield index


def children(count: int, seed: int = 1) -> list[ChildVector]:
    pick = random.Random(seed)
    return [
        child(f"{seed}/{number}", *(pick.gauss(0, 1) for _ in range(DIMENSION)), document_id=f"doc{number % 10}")
        for number in range(count)
    ]


def shards(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "vectors").iterdir() if path.is_dir())


async def test_few_points_are_left_as_they_are(index: QdrantEdgeVectorIndex) -> None:
    await index.upsert(children(900))
    assert not await index.optimize_when_idle(quiet_seconds=0)


async def test_nothing_is_optimised_while_somebody_writes(index: QdrantEdgeVectorIndex) -> None:
    await index.upsert(children(POINTS))
    assert not await index.optimize_when_idle(quiet_seconds=3_600)


async def test_a_graph_takes_over_and_finds_the_same(index: QdrantEdgeVectorIndex, tmp_path: Path) -> None:
    written = children(POINTS)
    oracle = BruteForceVectorIndex(DIMENSION)
    await oracle.upsert(written)
    await index.upsert(written)
    assert await index.optimize_when_idle(quiet_seconds=0)
    assert shards(tmp_path) == ["2"]
    found = expected = 0
    for question in children(20, seed=2):
        right = {hit.chunk_id for hit in await oracle.search(question.vector, ALICE, EVERYTHING, 20)}
        found += len(right & {hit.chunk_id for hit in await index.search(question.vector, ALICE, EVERYTHING, 20)})
        expected += len(right)
    assert found >= 0.98 * expected
    assert not await index.optimize_when_idle(quiet_seconds=0), "nothing changed since"


async def test_what_is_written_meanwhile_is_in_the_shard_that_takes_over(tmp_path: Path) -> None:
    async with opened(tmp_path / "vectors") as index:
        await index.upsert(children(POINTS))
        optimising = asyncio.create_task(index.optimize_when_idle(quiet_seconds=0))
        await asyncio.sleep(0)
        await index.upsert([child("late", 1.0, document_id="late")])
        await index.delete_document("doc1")
        assert await optimising
    async with opened(tmp_path / "vectors") as index:
        assert await index.existing([chunk_id("late")])
        assert await index.count("doc1", "g1") == 0
        assert await index.count("doc2", "g1") == POINTS // 10


async def test_more_writes_than_the_journal_holds_keep_the_shard_in_use(tmp_path: Path) -> None:
    async with opened(tmp_path / "vectors", journal_points=10) as index:
        await index.upsert(children(POINTS))
        optimising = asyncio.create_task(index.optimize_when_idle(quiet_seconds=0))
        await asyncio.sleep(0)
        await index.upsert(children(20, seed=3))
        assert not await optimising
        assert shards(tmp_path) == ["1"]
        assert await index.count("doc1", "g1") == POINTS // 10 + 2


async def test_a_cancelled_optimisation_leaves_nothing_behind(index: QdrantEdgeVectorIndex, tmp_path: Path) -> None:
    await index.upsert(children(POINTS))
    optimising = asyncio.create_task(index.optimize_when_idle(quiet_seconds=0))
    await asyncio.sleep(0)
    await index.refresh()
    optimising.cancel()
    with pytest.raises(asyncio.CancelledError):
        await optimising
    await index.upsert([child("after", 1.0)])
    assert shards(tmp_path) == ["1"]
    assert await index.existing([chunk_id("after")])


async def test_a_copy_that_was_not_finished_is_removed_at_the_next_start(tmp_path: Path) -> None:
    async with opened(tmp_path / "vectors") as index:
        await index.upsert([child("a", 1.0)])
    shutil.copytree(tmp_path / "vectors" / "1", tmp_path / "vectors" / "2")
    (tmp_path / "vectors" / "2" / "complete").unlink()
    async with opened(tmp_path / "vectors") as index:
        assert shards(tmp_path) == ["1"]
        assert await index.existing([chunk_id("a")])


async def test_an_index_of_another_dimension_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path / "vectors"):
        pass
    with pytest.raises(Exception, match="vector size"):
        async with opened(tmp_path / "vectors", DIMENSION + 1):
            pass


@pytest.mark.parametrize("points", [20, POINTS])
async def test_what_was_refreshed_outlives_a_kill(tmp_path: Path, points: int) -> None:
    async with opened(tmp_path / "vectors") as index:
        await index.upsert(children(points))
        await index.refresh()
        await index.delete_document("doc1")
        await index.update_document("doc2", DocumentAttributes(DocumentAccess("bob", None, False), "hr"))
        await index.refresh()
        shutil.copytree(tmp_path / "vectors", tmp_path / "killed")
    async with opened(tmp_path / "killed") as index:
        assert await index.count("doc1", "g1") == 0
        assert await index.count("doc2", "g1") == points // 10
        found = await index.search(children(1)[0].vector, ALICE, EVERYTHING, points)
        assert {hit.document_id for hit in found} == {"doc0", *(f"doc{number}" for number in range(3, 10))}
        await index.upsert(children(points))
        assert await index.count("doc1", "g1") == points // 10, (
            "what comes after a kill is newer than what is in the log"
        )


async def test_a_shard_that_an_earlier_version_made_without_a_log_keeps_what_was_refreshed(tmp_path: Path) -> None:
    shard = tmp_path / "vectors" / "1"
    shard.mkdir(parents=True)
    vectors = qdrant.EdgeVectorParams(
        size=DIMENSION,
        distance=qdrant.Distance.Cosine,
        datatype=qdrant.VectorStorageDatatype.Turbo16,
        memory=qdrant.Memory.Cold,
    )
    qdrant.EdgeShard.create(str(shard), qdrant.EdgeConfig(vectors=vectors, wal_enabled=False)).close()
    (shard / "complete").touch()
    async with opened(tmp_path / "vectors") as index:
        await index.upsert(children(20))
        await index.refresh()
        shutil.copytree(tmp_path / "vectors", tmp_path / "killed")
    async with opened(tmp_path / "killed") as index:
        assert await index.count("doc1", "g1") == 2
