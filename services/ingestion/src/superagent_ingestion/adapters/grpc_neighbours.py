"""Similarities from the retrieval service, which holds the embedder."""

from __future__ import annotations

from collections.abc import Sequence

from superagent.retrieval.v1 import retrieval_pb2 as pb
from superagent.retrieval.v1.retrieval_pb2_grpc import RetrievalServiceStub
from superagent_common.rpc import Channel

_TEXTS = 64
_SECONDS = 60.0
"""For one call; an embedder that is busy indexing takes a while."""


class GrpcNeighbours:
    """`Neighbours` over RetrievalService, one call after the other so that searches get their turn."""

    def __init__(self, channel: Channel) -> None:
        self._stub = RetrievalServiceStub(channel)

    async def similarities(self, texts: Sequence[str]) -> Sequence[float]:
        found: list[float] = []
        # Each call begins with the text that the one before ended with.
        for first in range(0, len(texts) - 1, _TEXTS - 1):
            request = pb.CompareNeighboursRequest(texts=texts[first : first + _TEXTS])
            found += (await self._stub.CompareNeighbours(request, timeout=_SECONDS)).similarities
        return found
