"""Any endpoint that speaks OpenAI's chat protocol, over plain httpx."""

from __future__ import annotations

import asyncio
import urllib.request
from collections.abc import AsyncGenerator, AsyncIterator

import httpx
from opentelemetry.trace import Tracer
from pydantic import SecretStr

from superagent_common.endpoint import bearer_token, is_loopback
from superagent_common.errors import Timeout, Unavailable
from superagent_common.llm.chat_stream import ChatStreamReader, Ending, answer_of
from superagent_common.llm.dialect import Dialect
from superagent_common.llm.failures import bad_response, failure_of_status, stream_broken
from superagent_common.llm.http_transport import CONNECTION, KeepAliveTransport
from superagent_common.llm.port import ModelAnswer, ModelEvent, ModelRequest, TextDelta
from superagent_common.llm.price import Price
from superagent_common.llm.spans import ModelCallSpan
from superagent_common.llm.timeouts import CallDeadlines, Deadline, Timeouts

_ERROR_BODY_LIMIT_BYTES = 64 * 1024
_ANSWER_LIMIT_BYTES = 32 * 1024 * 1024
# The last bytes of a body come with the end marker; an endpoint that keeps them back costs its connection, not time.
_DRAIN_SECONDS = 0.25


class OpenAICompatibleModel:
    """One model at one endpoint; keeps connections alive between calls. A `LanguageModel`.

    api_base: URL up to and including the version, for example https://api.openai.com/v1.
    api_key: sent as a bearer token and to no other place; ValueError if it cannot be a header.
    """

    def __init__(
        self,
        model: str,
        api_base: str,
        api_key: SecretStr | None,
        *,
        tracer: Tracer,
        price: Price | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        self.name = model
        self._url = httpx.URL(api_base.rstrip("/") + "/chat/completions")
        self._tracer = tracer
        self._price = price
        self._timeouts = timeouts or Timeouts()
        self._dialect = Dialect(model)
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if api_key is not None:
            headers["authorization"] = f"Bearer {bearer_token(api_key)}"
        self._client = httpx.AsyncClient(
            headers=headers,
            timeout=httpx.Timeout(None, connect=self._timeouts.connect),
            transport=None if _goes_through_proxy(self._url) else KeepAliveTransport(),
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        deadlines = CallDeadlines(self._timeouts)
        deadline = deadlines.first_token
        reader = ChatStreamReader(self.name, self._price)
        with self._span(request, stream=True) as span:
            response = await self._send(request, span, deadline, stream=True)
            if response.headers.get("content-type", "").startswith("application/json"):
                # It does not stream, or reports an error so.
                for told in await self._told_at_once(response, span, deadlines.whole):
                    yield told
                return
            try:
                body = _body(response)
                while not reader.done:
                    data = await _read_on(body, deadline, reader)
                    if data is None:
                        break
                    for event in reader.feed(data):
                        span.began()
                        yield event
                    if reader.started:
                        span.began()
                        _wait_for_beats(response)
                        deadline = deadlines.next_piece(deadline, reader.finished)
                if reader.done:
                    await _drain(body)
            finally:
                await response.aclose()
            ending = reader.end()
            span.finished(ending.finish_reason, ending.usage, reader.response_model)
        for told in ending.events():
            yield told

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        deadline = CallDeadlines(self._timeouts).whole
        with self._span(request, stream=False) as span:
            response = await self._send(request, span, deadline, stream=False)
            body = await _read_all(response, deadline, _ANSWER_LIMIT_BYTES)
            answer, response_model = answer_of(body, self.name, self._price)
            span.finished(answer.finish_reason, answer.usage, response_model)
        return answer

    async def close(self) -> None:
        await self._client.aclose()

    async def _told_at_once(
        self, response: httpx.Response, span: ModelCallSpan, deadline: Deadline
    ) -> list[ModelEvent]:
        """The events of an answer that comes whole though a stream was asked for."""
        body = await _read_all(response, deadline, _ANSWER_LIMIT_BYTES)
        answer, response_model = answer_of(body, self.name, self._price)
        span.finished(answer.finish_reason, answer.usage, response_model)
        events: list[ModelEvent] = [TextDelta(answer.text)] if answer.text else []
        return [*events, *Ending(answer.tool_calls, answer.usage, answer.finish_reason).events()]

    def _span(self, request: ModelRequest, *, stream: bool) -> ModelCallSpan:
        port = self._url.port or (443 if self._url.scheme == "https" else 80)
        address = (self._url.host, port)
        # The protocol spoken; which product speaks it is not known, server.address says where it is.
        return ModelCallSpan(self._tracer, request, model=self.name, stream=stream, provider="openai", address=address)

    async def _send(
        self, request: ModelRequest, span: ModelCallSpan, deadline: Deadline, *, stream: bool
    ) -> httpx.Response:
        """The response of status 200, its body unread; the caller closes it."""
        headers: dict[str, str] = {"x-superagent-purpose": request.purpose}
        span.inject(headers)
        while True:
            content = self._dialect.body(request, stream=stream)
            response = await self._exchange(content, headers, deadline)
            if response.status_code == 200:
                return response
            refusal = await _read_refusal(response, deadline)
            if not self._dialect.learn(response.status_code, refusal, request, stream=stream):
                raise failure_of_status(response.status_code, response.headers, refusal)

    async def _exchange(self, content: bytes, headers: dict[str, str], deadline: Deadline) -> httpx.Response:
        request = self._client.build_request("POST", self._url, content=content, headers=headers)
        try:
            async with asyncio.timeout_at(deadline.at):
                try:
                    return await self._client.send(request, stream=True)
                except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
                    # An idle connection that the endpoint closed just now; nothing was answered, so once more.
                    return await self._client.send(request, stream=True)
        # `from None` everywhere: httpx errors hold the request and with it the key.
        except TimeoutError:
            raise deadline.failure() from None
        except httpx.TimeoutException:
            raise Timeout("model_connect_timeout", "no connection to the model endpoint in time") from None
        except httpx.HTTPError as error:
            message = f"the model endpoint cannot be reached ({type(error).__name__})"
            raise Unavailable("model_down", message) from None


async def _read_on(body: AsyncIterator[bytes], deadline: Deadline, reader: ChatStreamReader) -> bytes | None:
    """The next bytes; None at the end. An answer that is whole already survives what happens after it."""
    try:
        async with asyncio.timeout_at(deadline.at):
            return await anext(body, None)
    except TimeoutError:
        if reader.finished:
            return None
        raise deadline.failure() from None
    except httpx.HTTPError:
        if reader.finished:
            return None
        raise stream_broken() from None


def _body(response: httpx.Response) -> AsyncIterator[bytes]:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise bad_response("a compressed body though none was asked for")
    # Not aiter_bytes(): its decoding and chunking layers double the cost of a short event.
    assert isinstance(response.stream, httpx.AsyncByteStream)
    return aiter(response.stream)


def _wait_for_beats(response: httpx.Response) -> None:
    """Has the rest read on the beat: what a fast model says between two of them is read at once."""
    if connection := response.extensions.get(CONNECTION):
        connection.wait_for_beats()


async def _drain(body: AsyncIterator[bytes]) -> None:
    """Reads to the end, so that the connection can serve the next call."""
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in body:
                pass
    except (TimeoutError, httpx.HTTPError):
        return


async def _read_all(response: httpx.Response, deadline: Deadline, limit_bytes: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout_at(deadline.at):
            async for data in _body(response):
                parts.append(data)
                size += len(data)
                if size > limit_bytes:
                    raise bad_response("an answer beyond all measure")
    except TimeoutError:
        raise deadline.failure() from None
    except httpx.HTTPError:
        raise stream_broken() from None
    finally:
        await response.aclose()
    return b"".join(parts)


async def _read_refusal(response: httpx.Response, deadline: Deadline) -> bytes:
    """The body if it can be read and is of a sane size, else nothing: the status says what matters."""
    try:
        return await _read_all(response, deadline, _ERROR_BODY_LIMIT_BYTES)
    except Unavailable:
        return b""


def _goes_through_proxy(url: httpx.URL) -> bool:
    """Whether the environment names a proxy for this URL; never for a model server on this machine."""
    if is_loopback(url.host) or urllib.request.proxy_bypass(url.host):
        return False
    proxies = urllib.request.getproxies()
    return url.scheme in proxies or "all" in proxies
