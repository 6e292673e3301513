"""What retrieval needs from the outside: search engines, models, catalogues."""

from superagent_retrieval.ports.catalogues import Catalogue, IndexCatalogue
from superagent_retrieval.ports.engines import KeywordIndex, VectorIndex, VectorIndexes
from superagent_retrieval.ports.models import Embedder, Embedders, Paraphraser, Reranker

__all__ = [
    "Catalogue",
    "Embedder",
    "Embedders",
    "IndexCatalogue",
    "KeywordIndex",
    "Paraphraser",
    "Reranker",
    "VectorIndex",
    "VectorIndexes",
]
