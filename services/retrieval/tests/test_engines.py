"""The settings say which engines there are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from services.retrieval.tests.index_records import ALICE, DIMENSION, EVERYTHING, child, chunk_id
from services.retrieval.tests.opensearch_double import Server, running
from services.retrieval.tests.qdrant_double import serving
from superagent_common.logging import get_logger
from superagent_common.settings import load
from superagent_retrieval.adapters.engines import keyword_index, vector_indexes
from superagent_retrieval.adapters.qdrant_edge_indexes import QdrantEdgeVectorIndexes
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex
from superagent_retrieval.settings import Settings

LOG = get_logger("retrieval")
NEEDED = {
    "RETRIEVAL_DATABASE_URL": "sqlite:///unused",
    "RETRIEVAL_LISTEN": "127.0.0.1:0",
    "KEYS_DIR": "unused",
    "REDIS_URL": "redis://unused",
    "GATEWAY_ADDRESS": "unused:1",
}


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    def named(**values: str) -> Settings:
        for name, value in {**NEEDED, "RETRIEVAL_DATA_DIR": str(tmp_path), **values}.items():
            monkeypatch.setenv(name, value)
        return load(Settings)

    return named


async def test_without_servers_both_are_embedded(settings: Any) -> None:
    assert isinstance(vector_indexes(settings(), LOG), QdrantEdgeVectorIndexes)
    keywords = await keyword_index(settings(), LOG)
    assert isinstance(keywords, TantivyKeywordIndex)
    await keywords.close()


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
async def test_vectors_go_to_the_qdrant_that_is_named(settings: Any) -> None:
    async with serving() as (double, url):
        named = settings(QDRANT_URL=url, QDRANT_API_KEY="sesame", RETRIEVAL_INDEX_PREFIX="ours")
        indexes = vector_indexes(named, LOG)
        index = await indexes.open("intfloat/multilingual-e5-small", DIMENSION)
        await index.upsert([child("a", 1.0)])
        hits = await index.search([1.0, *[0.0] * (DIMENSION - 1)], ALICE, EVERYTHING, 1)
        assert [hit.chunk_id for hit in hits] == [chunk_id("a")]
        (collection,) = (await double.local.get_collections()).collections
        assert collection.name.startswith(f"ours-intfloat-multilingual-e5-small-{DIMENSION}-")
        assert double.metadata["api-key"] == "sesame"
        await indexes.close()


async def test_keywords_go_to_the_opensearch_that_is_named(settings: Any) -> None:
    async with running(Server()) as server:
        index = await keyword_index(settings(OPENSEARCH_URL=server.url), LOG)
        assert await index.search("tea", ALICE, EVERYTHING, 1) == []
        assert server.requests[-1].path == "/superagent-passages-1/_search"
        await index.close()


@pytest.mark.parametrize(
    "values",
    [
        {"QDRANT_URL": "qdrant:6334"},
        {"OPENSEARCH_URL": "http://anna:sesame@opensearch:9200"},
        {"OPENSEARCH_USER": "anna"},
        {"RETRIEVAL_INDEX_PREFIX": "Ours*"},
    ],
)
def test_what_cannot_be_meant_ends_the_start_with_the_settings_name(
    settings: Any, values: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        settings(**values)
    said = capsys.readouterr().err
    assert all(name in said for name in values)
    assert "sesame" not in said
