"""Any endpoint that speaks OpenAI's embeddings protocol, over plain httpx."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Any

import httpx
from pydantic import SecretStr

from superagent_common.endpoint import bearer_token, is_loopback
from superagent_common.errors import Unavailable

_CONNECT_SECONDS = 5.0
_ANSWER_SECONDS = 60.0
# Passages can wait for an endpoint to recover, a person with a question cannot.
_PASSAGE_PAUSES_SECONDS = (0.5, 2.0)
_LONGEST_PAUSE_SECONDS = 20.0
_BATCHES_AT_ONCE = 2
# Endpoints refuse an empty input.
_NO_TEXT = " "


class _TryAgain(Exception):
    """The endpoint cannot be reached, or says that it is overloaded."""

    def __init__(self, message: str, after_seconds: float = 0.0) -> None:
        super().__init__(message)
        self.after_seconds = after_seconds


class HttpEmbedder:
    """`Embedder` at an endpoint; vectors come back normalised to unit length whatever it sends.

    api_base: URL up to and including the version, for example https://api.openai.com/v1.
    dimension: what the endpoint must answer with; any other is `embedder_failed`.
    query_prefix, passage_prefix: what the model wants in front of a text; E5 models do, most others want nothing.
    batch_size: passages in one request.
    """

    def __init__(
        self,
        model: str,
        dimension: int,
        api_base: str,
        api_key: SecretStr | None,
        *,
        query_prefix: str = "",
        passage_prefix: str = "",
        batch_size: int = 32,
        passage_pauses_seconds: Sequence[float] = _PASSAGE_PAUSES_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.model = model
        self.dimension = dimension
        self._url = httpx.URL(api_base.rstrip("/") + "/embeddings")
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._batch_size = batch_size
        self._passage_pauses = tuple(passage_pauses_seconds)
        self._batch_places = asyncio.Semaphore(_BATCHES_AT_ONCE)
        self._client = httpx.AsyncClient(
            headers={} if api_key is None else {"authorization": f"Bearer {bearer_token(api_key)}"},
            timeout=httpx.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS),
            transport=transport,
            # A proxy from the environment is for the world outside, not for a model server on this machine.
            trust_env=not is_loopback(self._url.host),
        )

    @property
    def ready(self) -> bool:
        """Nothing has to be started."""
        return True

    async def embed_query(self, text: str) -> list[float]:
        try:
            (vector,) = await self._request([self._query_prefix + text])
        except _TryAgain as failure:
            raise Unavailable("embedder_down", str(failure)) from None
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), self._batch_size):
            batch = [self._passage_prefix + text for text in texts[start : start + self._batch_size]]
            async with self._batch_places:
                vectors += await self._request_patiently(batch)
        return vectors

    async def close(self) -> None:
        await self._client.aclose()

    async def _request_patiently(self, texts: list[str]) -> list[list[float]]:
        for pause in (*self._passage_pauses, None):
            try:
                return await self._request(texts)
            except _TryAgain as failure:
                if pause is None or failure.after_seconds > _LONGEST_PAUSE_SECONDS:
                    raise Unavailable("embedder_down", str(failure)) from None
                await asyncio.sleep(max(pause, failure.after_seconds))
        raise AssertionError("the last try returns or raises")

    async def _request(self, texts: list[str]) -> list[list[float]]:
        body = {"model": self.model, "input": [_sendable(text) for text in texts], "encoding_format": "float"}
        try:
            response = await self._client.post(self._url, json=body)
        except httpx.HTTPError as error:
            # `from None`: httpx errors hold the request and with it the key.
            raise _TryAgain(f"the embedding endpoint cannot be reached ({type(error).__name__})") from None
        status = response.status_code
        if status == 429 or status >= 500:
            raise _TryAgain(f"the embedding endpoint answered {status}", _retry_after_seconds(response))
        if status != 200:
            raise Unavailable("embedder_failed", f"the embedding endpoint answered {status}")
        try:
            return self._unit_vectors(response.json(), len(texts))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            message = f"the embedding endpoint did not answer {len(texts)} vectors of {self.dimension} numbers"
            raise Unavailable("embedder_failed", message) from None

    def _unit_vectors(self, answer: Any, count: int) -> list[list[float]]:
        vectors: dict[int, list[float]] = {}
        for item in answer["data"]:
            values = [float(value) for value in item["embedding"]]
            length = math.sqrt(sum(value * value for value in values))
            if len(values) != self.dimension or not math.isfinite(length) or length == 0:
                raise ValueError("not a vector of the expected form")
            vectors[item["index"]] = [value / length for value in values]
        if vectors.keys() != set(range(count)):
            raise ValueError("not one vector for each text")
        return [vectors[index] for index in range(count)]


def _sendable(text: str) -> str:
    """Without NUL and lone surrogates, which stand for no character; a lone surrogate is in no UTF-8."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode() or _NO_TEXT


def _retry_after_seconds(response: httpx.Response) -> float:
    """What the endpoint asks for in seconds; 0 where it says nothing, or gives a date."""
    value = response.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() else 0.0
