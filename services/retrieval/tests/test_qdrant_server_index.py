"""What the vector index on a server does when the server does not do what it should."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from grpc import StatusCode
from pydantic import SecretStr

from services.retrieval.tests.index_records import ALICE, DIMENSION, EVERYTHING, child, chunk_id
from services.retrieval.tests.qdrant_double import QdrantDouble, serving
from superagent_common.errors import Unavailable
from superagent_common.logging import get_logger
from superagent_retrieval.adapters.qdrant_server_indexes import QdrantServerVectorIndexes, qdrant_client
from superagent_retrieval.ports import VectorIndex
from tests.support.ports import own_port

NORTH = [1.0, *[0.0] * (DIMENSION - 1)]
LOG = get_logger("retrieval")


@pytest.fixture
async def qdrant() -> AsyncIterator[tuple[QdrantDouble, str]]:
    async with serving() as served:
        yield served


@pytest.fixture
async def indexes(qdrant: tuple[QdrantDouble, str]) -> AsyncIterator[QdrantServerVectorIndexes]:
    opened = QdrantServerVectorIndexes(qdrant_client(qdrant[1], None), "test", LOG)
    yield opened
    await opened.close()


@pytest.fixture
async def index(qdrant: tuple[QdrantDouble, str], indexes: QdrantServerVectorIndexes) -> VectorIndex:
    opened = await indexes.open("some model", DIMENSION)
    qdrant[0].calls.clear()
    return opened


async def found(index: VectorIndex) -> list[str]:
    return [hit.chunk_id for hit in await index.search(NORTH, ALICE, EVERYTHING, 10)]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (StatusCode.UNAVAILABLE, "vector_index_down"),
        (StatusCode.DEADLINE_EXCEEDED, "vector_index_down"),
        (StatusCode.RESOURCE_EXHAUSTED, "vector_index_down"),
        (StatusCode.INTERNAL, "vector_index_failed"),
        (StatusCode.INVALID_ARGUMENT, "vector_index_failed"),
        (StatusCode.UNAUTHENTICATED, "vector_index_failed"),
    ],
)
async def test_a_failed_search_says_why_without_the_servers_words(
    qdrant: tuple[QdrantDouble, str], index: VectorIndex, status: StatusCode, reason: str
) -> None:
    qdrant[0].failures = [status]
    with pytest.raises(Unavailable) as failed:
        await index.search(NORTH, ALICE, EVERYTHING, 10)
    assert failed.value.reason == reason
    assert "quoted" not in failed.value.message
    assert qdrant[0].calls == ["Query"]


async def test_a_write_is_tried_again(qdrant: tuple[QdrantDouble, str], index: VectorIndex) -> None:
    qdrant[0].failures = [StatusCode.UNAVAILABLE]
    await index.upsert([child("a", 1.0)])
    assert qdrant[0].calls == ["Upsert", "Upsert"]
    assert await found(index) == [chunk_id("a")]


async def test_a_write_is_not_tried_for_ever(qdrant: tuple[QdrantDouble, str], index: VectorIndex) -> None:
    qdrant[0].failures = [StatusCode.UNAVAILABLE] * 10
    with pytest.raises(Unavailable):
        await index.upsert([child("a", 1.0)])
    assert qdrant[0].calls == ["Upsert"] * 3


async def test_writes_wait_until_searches_see_them(qdrant: tuple[QdrantDouble, str], index: VectorIndex) -> None:
    await index.upsert([child("a", 1.0)])
    await index.update_document("document", child("a").attributes)
    await index.delete_document("document")
    assert qdrant[0].waited == [True, True, True]


async def test_a_collection_that_somebody_removed_is_made_again(
    qdrant: tuple[QdrantDouble, str], index: VectorIndex
) -> None:
    (there,) = (await qdrant[0].local.get_collections()).collections
    await qdrant[0].local.delete_collection(there.name)
    with pytest.raises(Unavailable) as failed:
        await found(index)
    assert failed.value.reason == "vector_index_failed"
    assert await found(index) == []
    await index.upsert([child("a", 1.0)])
    assert await found(index) == [chunk_id("a")]


async def test_vectors_of_another_length_end_the_start(
    qdrant: tuple[QdrantDouble, str], indexes: QdrantServerVectorIndexes
) -> None:
    await indexes.open("model", DIMENSION)
    (there,) = (await qdrant[0].local.get_collections()).collections
    await qdrant[0].local.delete_collection(there.name)
    await indexes.open("longer", 2 * DIMENSION)
    (other,) = (await qdrant[0].local.get_collections()).collections
    assert other.name != there.name
    await qdrant[0].local.create_collection(
        there.name, (await qdrant[0].local.get_collection(other.name)).config.params.vectors
    )
    with pytest.raises(ValueError, match=f"vectors of {DIMENSION} numbers"):
        await indexes.open("model", DIMENSION)


async def test_a_refused_key_ends_the_start(
    qdrant: tuple[QdrantDouble, str], indexes: QdrantServerVectorIndexes
) -> None:
    qdrant[0].failures = [StatusCode.UNAUTHENTICATED]
    with pytest.raises(Unavailable, match="UNAUTHENTICATED"):
        await indexes.open("model", DIMENSION)


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
async def test_the_key_is_sent(qdrant: tuple[QdrantDouble, str]) -> None:
    indexes = QdrantServerVectorIndexes(qdrant_client(qdrant[1], SecretStr("sesame")), "test", LOG)
    await indexes.open("model", DIMENSION)
    await indexes.close()
    assert qdrant[0].metadata["api-key"] == "sesame"


async def test_an_index_whose_server_comes_later_works_from_then_on() -> None:
    port = own_port()
    indexes = QdrantServerVectorIndexes(qdrant_client(f"http://127.0.0.1:{port}", None), "test", LOG)
    index = await indexes.open("model", DIMENSION)
    with pytest.raises(Unavailable) as failed:
        await found(index)
    assert failed.value.reason == "vector_index_down"
    async with serving(port), asyncio.timeout(120):
        while True:
            try:
                await index.upsert([child("a", 1.0)])
                break
            except Unavailable:
                continue  # The connection is tried again when gRPC thinks it is time.
        assert await found(index) == [chunk_id("a")]
        await indexes.close()
