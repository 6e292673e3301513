"""The vector indexes of a Qdrant server: one collection for each model and dimension."""

from __future__ import annotations

import hashlib
import re
from urllib.parse import urlsplit

from pydantic import SecretStr
from qdrant_client import AsyncQdrantClient

from superagent_common.errors import Unavailable
from superagent_common.logging import Logger
from superagent_retrieval.adapters.qdrant_server_index import QdrantServerVectorIndex, removed
from superagent_retrieval.ports import VectorIndex

_GRPC_PORT = 6334
# A search is left behind earlier, by its channel.
_ANSWER_SECONDS = 30
# gRPC would wait up to two minutes before it looks again for a server that was away.
_RECONNECT_MILLISECONDS = 3_000


def qdrant_client(url: str, api_key: SecretStr | None) -> AsyncQdrantClient:
    """url: Qdrant's gRPC door, `http://host:6334`, or `https://` for TLS."""
    door = urlsplit(url)
    return AsyncQdrantClient(
        host=door.hostname,
        grpc_port=door.port or _GRPC_PORT,
        https=door.scheme == "https",
        prefer_grpc=True,
        api_key=None if api_key is None else api_key.get_secret_value(),
        timeout=_ANSWER_SECONDS,
        grpc_options={"grpc.max_reconnect_backoff_ms": _RECONNECT_MILLISECONDS},
        # It would ask over HTTP, at another port.
        check_compatibility=False,
    )


class QdrantServerVectorIndexes:
    """`VectorIndexes` on a server that other things may use, too: its collections begin with `prefix`.

    The client is closed with them.
    """

    def __init__(self, client: AsyncQdrantClient, prefix: str, log: Logger) -> None:
        self._client = client
        self._prefix = prefix
        self._log = log

    async def open(self, model: str, dimension: int) -> VectorIndex:
        index = QdrantServerVectorIndex(self._client, self._collection(model, dimension), dimension)
        try:
            await index.prepare()
        except Unavailable as error:
            if error.reason != "vector_index_down":
                raise
            # Searches answer from keywords meanwhile.
            self._log.warning("vector_index_not_ready", reason=error.reason, message=error.message)
        return index

    async def drop(self, model: str, dimension: int) -> None:
        await removed(self._client, self._collection(model, dimension))

    async def close(self) -> None:
        await self._client.close()

    def _collection(self, model: str, dimension: int) -> str:
        # The digest keeps names apart that differ in what a collection's name cannot hold.
        name = re.sub(r"[^A-Za-z0-9.-]+", "-", model)[:100]
        return f"{self._prefix}-{name}-{dimension}-{hashlib.sha256(model.encode()).hexdigest()[:8]}"
