"""The adapter for endpoints of OpenAI's embeddings protocol."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from superagent_common.errors import Unavailable
from superagent_retrieval.adapters.http_embedder import HttpEmbedder

Answer = Callable[[list[str]], httpx.Response]


class _Endpoint(httpx.AsyncBaseTransport):
    """Answers with what it is given, in turn, the last one for ever."""

    def __init__(self, *answers: Answer | Exception) -> None:
        self.requests: list[httpx.Request] = []
        self._answers = list(answers)

    @property
    def inputs(self) -> list[list[str]]:
        return [json.loads(request.content)["input"] for request in self.requests]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(json.loads(request.content)["input"])


def _vectors(texts: list[str]) -> httpx.Response:
    """[length of the text, 4] for each text, in the wrong order."""
    data = [{"index": index, "embedding": [len(text), 4]} for index, text in enumerate(texts)]
    return httpx.Response(200, json={"object": "list", "data": data[::-1]})


def _status(status: int, **headers: str) -> Answer:
    return lambda _: httpx.Response(status, headers={name.replace("_", "-"): value for name, value in headers.items()})


def _data(*items: Any) -> Answer:
    return lambda _: httpx.Response(200, json={"data": list(items)})


@pytest.fixture
async def embedder_at() -> AsyncIterator[Callable[..., HttpEmbedder]]:
    made: list[HttpEmbedder] = []

    def make(endpoint: _Endpoint, **options: Any) -> HttpEmbedder:
        made.append(
            HttpEmbedder(
                "some-model",
                2,
                "https://models.example/v1/",
                SecretStr("sk-secret"),
                passage_pauses_seconds=(0.0, 0.0),
                transport=endpoint,
                **options,
            )
        )
        return made[-1]

    yield make
    for embedder in made:
        await embedder.close()


async def test_a_request_has_the_form_of_the_protocol(embedder_at: Callable[..., HttpEmbedder]) -> None:
    endpoint = _Endpoint(_vectors)
    assert await embedder_at(endpoint).embed_query("abc") == [0.6, 0.8]
    (request,) = endpoint.requests
    assert (request.method, str(request.url)) == ("POST", "https://models.example/v1/embeddings")
    assert request.headers["authorization"] == "Bearer sk-secret"
    assert json.loads(request.content) == {
        "model": "some-model",
        "input": ["abc"],
        "encoding_format": "float",
    }


async def test_passages_go_in_batches_and_come_back_in_order(
    embedder_at: Callable[..., HttpEmbedder],
) -> None:
    endpoint = _Endpoint(_vectors)
    embedder = embedder_at(endpoint, batch_size=2, passage_prefix="p: ", query_prefix="q: ")
    assert await embedder.embed_passages(["", "12345", "12"]) == [
        pytest.approx([3 / 5, 4 / 5]),
        pytest.approx([8 / 80**0.5, 4 / 80**0.5]),
        pytest.approx([5 / 41**0.5, 4 / 41**0.5]),
    ]
    await embedder.embed_query("x")
    assert endpoint.inputs == [["p: ", "p: 12345"], ["p: 12"], ["q: x"]]
    assert await embedder.embed_passages([]) == []


async def test_what_stands_for_no_character_is_left_out(embedder_at: Callable[..., HttpEmbedder]) -> None:
    endpoint = _Endpoint(_vectors)
    await embedder_at(endpoint).embed_passages(["a\0b\ud800c", "", "\udfff"])
    assert endpoint.inputs == [["abc", " ", " "]]


@pytest.mark.parametrize("trouble", [_status(429), _status(503), httpx.ConnectError("no"), httpx.ReadTimeout("no")])
async def test_passages_wait_for_an_endpoint_in_trouble_and_queries_do_not(
    embedder_at: Callable[..., HttpEmbedder], trouble: Answer | Exception
) -> None:
    endpoint = _Endpoint(trouble, trouble, _vectors)
    assert await embedder_at(endpoint).embed_passages(["abc"]) == [[0.6, 0.8]]
    assert len(endpoint.requests) == 3

    endpoint = _Endpoint(trouble, _vectors)
    with pytest.raises(Unavailable) as failure:
        await embedder_at(endpoint).embed_query("abc")
    assert failure.value.reason == "embedder_down"
    assert len(endpoint.requests) == 1


async def test_an_endpoint_that_stays_down_is_given_up(embedder_at: Callable[..., HttpEmbedder]) -> None:
    endpoint = _Endpoint(httpx.ConnectError("no"))
    with pytest.raises(Unavailable) as failure:
        await embedder_at(endpoint).embed_passages(["abc"])
    assert failure.value.reason == "embedder_down"
    assert len(endpoint.requests) == 3


async def test_a_pause_beyond_measure_is_not_waited_for(embedder_at: Callable[..., HttpEmbedder]) -> None:
    endpoint = _Endpoint(_status(429, retry_after="3600"))
    with pytest.raises(Unavailable):
        await embedder_at(endpoint).embed_passages(["abc"])
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 302])
async def test_a_refusal_is_not_repeated(embedder_at: Callable[..., HttpEmbedder], status: int) -> None:
    endpoint = _Endpoint(_status(status))
    with pytest.raises(Unavailable) as failure:
        await embedder_at(endpoint).embed_passages(["abc"])
    assert failure.value.reason == "embedder_failed"
    assert str(status) in failure.value.message
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: httpx.Response(200, text="<html>"),
        lambda _: httpx.Response(200, text="[" * 100_000),
        lambda _: httpx.Response(200, json=["?"]),
        lambda _: httpx.Response(200, json={"data": None}),
        lambda _: httpx.Response(200, text='{"data": [{"index": 0, "embedding": [NaN, 1]}]}'),
        _data(),
        _data({"index": 0}),
        _data({"index": 0, "embedding": [1.0]}),
        _data({"index": 0, "embedding": [1.0, 2.0, 3.0]}),
        _data({"index": 0, "embedding": [0, 0]}),
        _data({"index": 0, "embedding": ["x", "y"]}),
        _data({"index": 0, "embedding": [1e300, 1e300]}),
        _data({"index": 1, "embedding": [1, 2]}),
        _data({"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2]}),
    ],
)
async def test_an_answer_of_another_form_is_a_failure(embedder_at: Callable[..., HttpEmbedder], answer: Answer) -> None:
    with pytest.raises(Unavailable) as failure:
        await embedder_at(_Endpoint(answer)).embed_query("abc")
    assert failure.value.reason == "embedder_failed"


async def test_a_failure_tells_neither_the_key_nor_the_text(embedder_at: Callable[..., HttpEmbedder]) -> None:
    for answer in (httpx.ConnectError("sk-secret"), _status(400), _data()):
        with pytest.raises(Unavailable) as failure:
            await embedder_at(_Endpoint(answer)).embed_query("private words")
        assert "sk-secret" not in repr(failure.value)
        assert "private" not in repr(failure.value)
        assert failure.value.__cause__ is None
