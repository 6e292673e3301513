"""What every VectorIndexes does. A further engine joins by a line in `index_engines`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from services.retrieval.tests.index_engines import VECTOR_INDEXES, engines
from services.retrieval.tests.index_records import ALICE, DIMENSION, EVERYTHING, child, chunk_id
from superagent_retrieval.ports import VectorIndex, VectorIndexes

OTHER_DIMENSION = 2 * DIMENSION
pytestmark = pytest.mark.usefixtures("search_servers")


@pytest.fixture(params=engines(VECTOR_INDEXES))
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def indexes(engine: str, directory: Path) -> AsyncIterator[VectorIndexes]:
    """As a process opens and closes them."""
    opened = VECTOR_INDEXES[engine](directory)
    try:
        yield opened
    finally:
        await opened.close()


async def write(index: VectorIndex, name: str, dimension: int = DIMENSION) -> None:
    await index.upsert([child(name, 1.0, *[0.0] * (dimension - 1))])
    await index.refresh()


async def found(index: VectorIndex, dimension: int = DIMENSION) -> list[str]:
    hits = await index.search([1.0, *[0.0] * (dimension - 1)], ALICE, EVERYTHING, 10)
    return [hit.chunk_id for hit in hits]


async def test_indexes_of_two_models_know_nothing_of_each_other(engine: str, tmp_path: Path) -> None:
    async with indexes(engine, tmp_path) as opened:
        first, second = await opened.open("first", DIMENSION), await opened.open("second/model:1", DIMENSION)
        longer = await opened.open("first", OTHER_DIMENSION)
        await write(first, "a")
        await write(second, "b")
        await write(longer, "c", OTHER_DIMENSION)
        assert (await found(first), await found(second)) == ([chunk_id("a")], [chunk_id("b")])
        assert await found(longer, OTHER_DIMENSION) == [chunk_id("c")]


async def test_what_was_written_is_there_when_it_is_opened_again(engine: str, tmp_path: Path) -> None:
    async with indexes(engine, tmp_path) as opened:
        await write(await opened.open("model", DIMENSION), "a")
    async with indexes(engine, tmp_path) as opened:
        assert await found(await opened.open("model", DIMENSION)) == [chunk_id("a")]


async def test_a_dropped_index_is_empty_when_it_is_opened_again(engine: str, tmp_path: Path) -> None:
    async with indexes(engine, tmp_path) as opened:
        kept = await opened.open("kept", DIMENSION)
        await write(kept, "b")
        await write(await opened.open("model", DIMENSION), "a")
        await opened.drop("model", DIMENSION)
        assert await found(await opened.open("model", DIMENSION)) == []
        assert await found(kept) == [chunk_id("b")]


async def test_an_index_that_is_not_open_can_be_dropped_and_one_that_is_not_there_too(
    engine: str, tmp_path: Path
) -> None:
    async with indexes(engine, tmp_path) as opened:
        await write(await opened.open("model", DIMENSION), "a")
    async with indexes(engine, tmp_path) as opened:
        await opened.drop("model", DIMENSION)
        await opened.drop("model", DIMENSION)
        assert await found(await opened.open("model", DIMENSION)) == []


async def test_names_that_make_one_directory_are_never_mixed(tmp_path: Path) -> None:
    async with indexes("qdrant_edge", tmp_path) as opened:
        await opened.open("a/b", DIMENSION)
        with pytest.raises(RuntimeError):
            await opened.open("a b", DIMENSION)
