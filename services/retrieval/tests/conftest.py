from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer

from services.retrieval.tests.retrieval_rig import DIMENSION, Rig
from superagent_common.db import Database
from superagent_retrieval.adapters.local_embedder.embedder import bundled_weights
from superagent_retrieval.adapters.local_embedder.make import make
from superagent_retrieval.adapters.local_embedder.weights import E5Weights
from superagent_retrieval.adapters.qdrant_edge_index import QdrantEdgeVectorIndex
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex
from tests.support.databases import new_database


@pytest.fixture(scope="session")
def e5_weights() -> E5Weights:
    return E5Weights(bundled_weights())


@pytest.fixture(scope="session")
def embedder_cache(tmp_path_factory: pytest.TempPathFactory, e5_weights: E5Weights) -> Path:
    """A cache folder in which the model files are made."""
    cache = tmp_path_factory.mktemp("embedder")
    make(e5_weights, cache)
    return cache


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with Database.opened(await new_database("superagent_retrieval", tmp_path), tracer=NoOpTracer()) as database:
        vectors = await QdrantEdgeVectorIndex.open(tmp_path / "vectors", DIMENSION)
        keywords = await TantivyKeywordIndex.open(tmp_path / "keywords")
        yield Rig(database, vectors, keywords)
        await vectors.close()
        await keywords.close()
