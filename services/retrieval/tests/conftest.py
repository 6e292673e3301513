from __future__ import annotations

from pathlib import Path

import pytest

from superagent_retrieval.adapters.local_embedder.embedder import bundled_weights
from superagent_retrieval.adapters.local_embedder.make import make
from superagent_retrieval.adapters.local_embedder.weights import E5Weights


@pytest.fixture(scope="session")
def e5_weights() -> E5Weights:
    return E5Weights(bundled_weights())


@pytest.fixture(scope="session")
def embedder_cache(tmp_path_factory: pytest.TempPathFactory, e5_weights: E5Weights) -> Path:
    """A cache folder in which the model files are made."""
    cache = tmp_path_factory.mktemp("embedder")
    make(e5_weights, cache)
    return cache
