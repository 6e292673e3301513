from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.retrieval.tests.index_engines import QDRANT_DOUBLE, nothing_left_behind
from services.retrieval.tests.qdrant_double import QdrantDouble, serving
from services.retrieval.tests.rebuilding_steps import TEXTS
from services.retrieval.tests.retrieval_rig import Rig, document
from superagent_retrieval.adapters.local_embedder.embedder import bundled_weights
from superagent_retrieval.adapters.local_embedder.make import make
from superagent_retrieval.adapters.local_embedder.weights import E5Weights
from superagent_retrieval.domain.catalogue import IndexedDocument
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


@pytest.fixture(scope="session")
async def search_servers() -> AsyncIterator[QdrantDouble]:
    """For tests of `index_engines`: the stand-in for a Qdrant server, and clean servers afterwards."""
    async with nothing_left_behind(), serving() as (double, url):
        os.environ[QDRANT_DOUBLE] = url
        yield double
        del os.environ[QDRANT_DOUBLE]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with Rig.opened(await new_database("superagent_retrieval", tmp_path), tmp_path) as opened:
        yield opened


@pytest.fixture
async def kept(rig: Rig) -> IndexedDocument:
    """A public document of ANNA's with `TEXTS`, indexed by the model of before."""
    made = document(is_public=True)
    await rig.index(made, *TEXTS)
    return made
