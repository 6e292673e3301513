"""Any endpoint that speaks Cohere's rerank protocol, as Jina, SiliconFlow and others do, over plain httpx."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import httpx
from pydantic import SecretStr

from superagent_common.endpoint import bearer_token, is_loopback
from superagent_common.errors import Unavailable

_CONNECT_SECONDS = 2.0
# Above what a search waits, which cancels the request.
_ANSWER_SECONDS = 30.0


class HttpReranker:
    """`Reranker` at `<api_base>/rerank`.

    api_base: URL up to and including the version, for example https://api.jina.ai/v1. Fails with Unavailable:
    `rerank_down` when the endpoint cannot be reached or is overloaded, `rerank_failed` when it refuses or does not
    answer one finite score for each passage.
    """

    def __init__(
        self, model: str, api_base: str, api_key: SecretStr | None, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self.model = model
        self._url = httpx.URL(api_base.rstrip("/") + "/rerank")
        self._client = httpx.AsyncClient(
            headers={} if api_key is None else {"authorization": f"Bearer {bearer_token(api_key)}"},
            timeout=httpx.Timeout(_ANSWER_SECONDS, connect=_CONNECT_SECONDS),
            transport=transport,
            # A proxy from the environment is for the world outside, not for a model server on this machine.
            trust_env=not is_loopback(self._url.host),
        )

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        body = {
            "model": self.model,
            "query": _sendable(question),
            "documents": [_sendable(passage) for passage in passages],
            "top_n": len(passages),
            "return_documents": False,
        }
        try:
            response = await self._client.post(self._url, json=body)
        except httpx.HTTPError as error:
            # `from None`: httpx errors hold the request and with it the key.
            raise Unavailable("rerank_down", f"the reranker cannot be reached ({type(error).__name__})") from None
        status = response.status_code
        if status == 429 or status >= 500:
            raise Unavailable("rerank_down", f"the reranker answered {status}")
        if status != 200:
            raise Unavailable("rerank_failed", f"the reranker answered {status}")
        try:
            return _scores(response.json(), len(passages))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            message = f"the reranker did not answer one score for each of {len(passages)} passages"
            raise Unavailable("rerank_failed", message) from None

    async def close(self) -> None:
        await self._client.aclose()


def _scores(answer: Any, count: int) -> list[float]:
    scores: dict[int, float] = {}
    for item in answer["results"]:
        index, score = item["index"], item["relevance_score"]
        if type(index) is not int or isinstance(score, bool) or index in scores:
            raise ValueError("not one score for each passage")
        scores[index] = float(score)
    if scores.keys() != set(range(count)) or not all(map(math.isfinite, scores.values())):
        raise ValueError("not one score for each passage")
    return [scores[index] for index in range(count)]


def _sendable(text: str) -> str:
    """Without NUL and lone surrogates, which stand for no character; a lone surrogate is in no UTF-8."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode() or " "
