"""The service's gRPC door."""

from superagent_retrieval.api.service import ACCESS, RetrievalApi

__all__ = ["ACCESS", "RetrievalApi"]
