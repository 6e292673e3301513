"""Every engine behind the two index ports, opened in a folder or, on a server, under names that the folder makes."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from services.retrieval.tests.brute_force_indexes import (
    BruteForceKeywordIndex,
    BruteForceVectorIndex,
    BruteForceVectorIndexes,
)
from services.retrieval.tests.index_records import DIMENSION
from superagent_common.logging import get_logger
from superagent_retrieval.adapters.qdrant_edge_index import QdrantEdgeVectorIndex
from superagent_retrieval.adapters.qdrant_edge_indexes import QdrantEdgeVectorIndexes
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex
from superagent_retrieval.ports import KeywordIndex, VectorIndex, VectorIndexes

LOG = get_logger("retrieval")
QDRANT, OPENSEARCH = "QDRANT_URL", "OPENSEARCH_URL"
QDRANT_DOUBLE = "QDRANT_DOUBLE_URL"
"""Environment variables with addresses of servers."""
_NEEDS = {"qdrant": QDRANT, "opensearch": OPENSEARCH}
# A server may hold what a run left that was killed; a child process of a test has the names of its parent.
_PREFIX = os.environ.setdefault("INDEX_ENGINES_PREFIX", f"test-{uuid.uuid4().hex[:8]}")
_brute_force: dict[Path, BruteForceVectorIndexes] = {}


def engines(names: Iterable[str]) -> list[Any]:
    """Parameters of a test; those of servers only run where there is one."""
    return [pytest.param(name, marks=[pytest.mark.real(_NEEDS[name])] if name in _NEEDS else []) for name in names]


def _name(directory: Path) -> str:
    return f"{_PREFIX}-{hashlib.sha256(str(directory).encode()).hexdigest()[:12]}"


async def _brute_force_vectors(_: Path) -> VectorIndex:
    return BruteForceVectorIndex(DIMENSION)


async def _qdrant_edge(directory: Path) -> VectorIndex:
    return await QdrantEdgeVectorIndex.open(directory / "vectors", DIMENSION)


async def _qdrant(directory: Path) -> VectorIndex:
    return await _shared(QDRANT).open(_name(directory), DIMENSION)


async def _qdrant_double(directory: Path) -> VectorIndex:
    return await _shared(QDRANT_DOUBLE).open(_name(directory), DIMENSION)


# What speaks to servers is imported where it is used: it takes seconds that a child process of a test would wait for.


@cache
def _shared(setting: str) -> VectorIndexes:
    """One connection for all tests: an index leaves it to others when it is closed."""
    return _on_server(setting, _PREFIX)


def _on_server(setting: str, prefix: str) -> VectorIndexes:
    from superagent_retrieval.adapters.qdrant_server_indexes import QdrantServerVectorIndexes, qdrant_client

    return QdrantServerVectorIndexes(qdrant_client(os.environ[setting], None), prefix, LOG)


async def _brute_force_keywords(_: Path) -> KeywordIndex:
    return BruteForceKeywordIndex()


async def _tantivy(directory: Path) -> KeywordIndex:
    return await TantivyKeywordIndex.open(directory / "keywords")


async def _opensearch(directory: Path) -> KeywordIndex:
    from superagent_retrieval.adapters.opensearch_index import OpenSearchKeywordIndex
    from superagent_retrieval.adapters.opensearch_server import opensearch_client

    return OpenSearchKeywordIndex(opensearch_client(os.environ[OPENSEARCH], "", None), _name(directory))


VECTOR_ENGINES: dict[str, Callable[[Path], Awaitable[VectorIndex]]] = {
    "brute_force": _brute_force_vectors,
    "qdrant_edge": _qdrant_edge,
    "qdrant_double": _qdrant_double,
    "qdrant": _qdrant,
}
VECTOR_INDEXES: dict[str, Callable[[Path], VectorIndexes]] = {
    "brute_force": lambda directory: _brute_force.setdefault(directory, BruteForceVectorIndexes()),
    "qdrant_edge": lambda directory: QdrantEdgeVectorIndexes(directory / "vectors", LOG),
    "qdrant_double": lambda directory: _on_server(QDRANT_DOUBLE, _name(directory)),
    "qdrant": lambda directory: _on_server(QDRANT, _name(directory)),
}
KEYWORD_ENGINES: dict[str, Callable[[Path], Awaitable[KeywordIndex]]] = {
    "brute_force": _brute_force_keywords,
    "tantivy": _tantivy,
    "opensearch": _opensearch,
}


@asynccontextmanager
async def nothing_left_behind() -> AsyncIterator[None]:
    """Removes at the end what the tests of this process made on servers."""
    yield
    if os.environ.get(OPENSEARCH):
        from superagent_retrieval.adapters.opensearch_server import opensearch_client

        client = opensearch_client(os.environ[OPENSEARCH], "", None)
        await client.indices.delete(index=f"{_PREFIX}-*", params={"ignore": 404})
        await client.close()
    if os.environ.get(QDRANT):
        from superagent_retrieval.adapters.qdrant_server_indexes import qdrant_client

        vectors = qdrant_client(os.environ[QDRANT], None)
        for collection in (await vectors.get_collections()).collections:
            if collection.name.startswith(f"{_PREFIX}-"):
                await vectors.delete_collection(collection.name)
        await vectors.close()
