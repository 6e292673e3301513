"""Which engines: those of the servers that the settings name, else the embedded ones.

What speaks to servers is imported only where one is named: it costs a second and 80 MB.
"""

from __future__ import annotations

from superagent_common.logging import Logger
from superagent_retrieval.adapters.qdrant_edge_indexes import QdrantEdgeVectorIndexes
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex
from superagent_retrieval.ports import KeywordIndex, VectorIndexes
from superagent_retrieval.settings import Settings


def vector_indexes(settings: Settings, log: Logger) -> VectorIndexes:
    """Those at QDRANT_URL, else those in the data folder."""
    if not settings.qdrant_url:
        return QdrantEdgeVectorIndexes(settings.data_dir / "vectors", log)
    from superagent_retrieval.adapters.qdrant_server_indexes import QdrantServerVectorIndexes, qdrant_client

    return QdrantServerVectorIndexes(
        qdrant_client(settings.qdrant_url, settings.qdrant_api_key), settings.index_prefix, log
    )


async def keyword_index(settings: Settings, log: Logger) -> KeywordIndex:
    """The one at OPENSEARCH_URL, else the one in the data folder."""
    if not settings.opensearch_url:
        return await TantivyKeywordIndex.open(settings.data_dir / "keywords")
    from superagent_retrieval.adapters.opensearch_server import open_keyword_index, opensearch_client

    client = opensearch_client(settings.opensearch_url, settings.opensearch_user, settings.opensearch_password)
    return await open_keyword_index(client, settings.index_prefix, log)
