"""The scripted model: endpoints, record of requests, control in process and over HTTP."""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

from tests.support.scripted_model import chat_wire
from tests.support.scripted_model.connection import (
    LAST_HTTP_CHUNK,
    Connection,
    Exchange,
    HttpRequest,
    Playback,
    http_chunk,
    response,
    stream_head,
)
from tests.support.scripted_model.embeddings import DIMENSIONS, embeddings_body
from tests.support.scripted_model.planning import PLAN
from tests.support.scripted_model.script import (
    BACKGROUND,
    Asked,
    Failure,
    Reply,
    Rule,
    Script,
    asked_from_chat,
    script_from_json,
)

PURPOSE_HEADER = "x-superagent-purpose"
_REQUESTS_KEPT = 5000


@dataclass(slots=True)
class ReceivedRequest:
    """One call as it came in. Times are `time.monotonic()` seconds; `sent` counts pieces of the answer.

    outcome: running, finished, cut (as scripted), client_closed, server_stopped. `ended` is set with it.
    """

    number: int
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    received_at: float
    outcome: str = "running"
    ended_at: float | None = None
    sent: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def to_json(self) -> dict[str, Any]:
        headers = {**self.headers}
        if "authorization" in headers:
            headers["authorization"] = "***"
        shown = ("number", "path", "body", "received_at", "outcome", "ended_at", "sent")
        return {name: getattr(self, name) for name in shown} | {"headers": headers}


class ScriptedModel:
    """`async with ScriptedModel(Script(...)) as model:` serves on 127.0.0.1 in the running loop.

    `model.script` may be replaced at any time; it applies from the next request on. `requests` are those besides
    planning, which come in `planning_requests`, and what memory asks after turns, which comes in `memory_requests`.
    """

    def __init__(self, script: Script | None = None, *, port: int = 0, dimensions: int = DIMENSIONS) -> None:
        """dimensions: of vectors, unless a request names them."""
        self._dimensions = dimensions
        self.script = script or Script()
        self.requests: deque[ReceivedRequest] = deque(maxlen=_REQUESTS_KEPT)
        self.planning_requests: deque[ReceivedRequest] = deque(maxlen=_REQUESTS_KEPT)
        self.memory_requests: deque[ReceivedRequest] = deque(maxlen=_REQUESTS_KEPT)
        self.connections_made = 0
        self._port = port
        self._arrived = asyncio.Event()
        self._count = 0
        self._connections: set[Connection] = set()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._connection, "127.0.0.1", self._port)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{self.port}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for connection in tuple(self._connections):
            connection.abort()
        await self._server.wait_closed()

    def answer_with(self, *rules: Rule, default: Reply | None = None) -> None:
        """Replaces the script; forgets the requests so far."""
        self.script = Script(rules) if default is None else Script(rules, default)
        self.requests.clear()
        self.planning_requests.clear()
        self.memory_requests.clear()

    async def received(self, count: int) -> ReceivedRequest:
        """Waits until `count` requests have come in since the script was last replaced; the last of them."""
        while len(self.requests) < count:
            self._arrived.clear()
            await self._arrived.wait()
        return self.requests[count - 1]

    def _connection(self) -> Connection:
        self.connections_made += 1
        return Connection(self._answer, self._connections)

    def _answer(self, request: HttpRequest) -> Exchange:
        path = request.path.partition("?")[0]
        match request.method, path:
            case "POST", "/v1/chat/completions" | "/v1/embeddings":
                return self._model_call(request, path)
            case "GET", "/v1/models":
                body = {"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "tests"}]}
                return _at_once(200, body)
            case "POST", "/_script":
                try:
                    self.script = script_from_json(json.loads(request.body))
                except (TypeError, KeyError, ValueError) as error:
                    return _at_once(400, {"error": f"{type(error).__name__}: {error}"})
                self.requests.clear()
                self.planning_requests.clear()
                self.memory_requests.clear()
                return _at_once(200, {"rules": len(self.script.rules)})
            case "GET", "/_requests":
                return _at_once(200, {"requests": [received.to_json() for received in self.requests]})
        return _at_once(404, {"error": {"message": f"no route {request.method} {path}"}})

    def _model_call(self, request: HttpRequest, path: str) -> Exchange:
        try:
            raw = request.body.decode()
            body = json.loads(raw)
        except ValueError:
            return _at_once(400, {"error": {"message": "the body is no JSON"}})
        self._count += 1
        received = ReceivedRequest(self._count, path, dict(request.headers), body, time.monotonic())
        purpose = request.headers.get(PURPOSE_HEADER, "")
        self._kept_for(purpose).append(received)
        self._arrived.set()
        if path == "/v1/chat/completions":
            reply = self.script.reply_to(asked_from_chat(body, raw, purpose))
            playback = _chat_playback(reply, body, len(raw))
        else:
            playback = self._embeddings_playback(body, raw, purpose)

        def ended(outcome: str, sent: int) -> None:
            received.outcome, received.sent, received.ended_at = outcome, sent, time.monotonic()
            received.ended.set()

        return Exchange(playback, ended)

    def _kept_for(self, purpose: str) -> deque[ReceivedRequest]:
        if purpose in BACKGROUND:
            return self.memory_requests
        return self.planning_requests if purpose == PLAN else self.requests

    def _embeddings_playback(self, body: dict[str, Any], raw: str, purpose: str) -> Playback:
        texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
        model = str(body.get("model", ""))
        reply = self.script.reply_to(Asked("embeddings", "\n".join(texts), "", purpose, model, raw))
        answer = embeddings_body(model, texts, int(body.get("dimensions", self._dimensions)))
        return _whole(answer, reply)


def _at_once(status: int, body: dict[str, Any]) -> Exchange:
    return Exchange(Playback([response(status, json.dumps(body).encode())]), lambda outcome, sent: None)


def _chat_playback(reply: Reply, body: dict[str, Any], prompt_characters: int) -> Playback:
    failure = reply.failure
    model = str(body.get("model", ""))
    if failure is not None and failure.after_deltas is None and failure.kind in ("status", "cut", "hang"):
        return _refusal(failure, reply)
    if not body.get("stream"):
        finished = failure is None or failure.kind != "no_finish"
        return _whole(chat_wire.completion(reply, model, prompt_characters, finished=finished), reply)
    if failure is not None:
        return _failing_stream(reply, failure, model)
    with_usage = reply.reports_usage and bool(body.get("stream_options", {}).get("include_usage"))
    tail = http_chunk(chat_wire.finish_event(reply, model))
    if with_usage:
        tail += http_chunk(chat_wire.usage_event(reply, model, prompt_characters))
    tail += http_chunk(chat_wire.STREAM_END) + LAST_HTTP_CHUNK
    pieces = [*_stream_pieces(reply, model), tail]
    playback = Playback(pieces, stream_head(), reply.first_delay_seconds, reply.delay_seconds)
    if reply.held_by is None:
        return playback
    return replace(playback, held_before=reply.held_by.after_deltas, opened=reply.held_by.opened)


@lru_cache(maxsize=4096)
def _stream_pieces(reply: Reply, model: str) -> tuple[bytes, ...]:
    return tuple(http_chunk(event) for event in chat_wire.stream_events(reply, model))


def _failing_stream(reply: Reply, failure: Failure, model: str) -> Playback:
    pieces = [*_stream_pieces(reply, model)[: failure.after_deltas or 0]]
    timing = (stream_head(), reply.first_delay_seconds, reply.delay_seconds)
    match failure.kind:
        case "hang":
            return Playback(pieces, *timing, ending="hang")
        case "garbage":
            broken = [http_chunk(b"data: {this is no JSON\n\n"), LAST_HTTP_CHUNK]
            return Playback(pieces + broken, *timing)
        case "error_event":
            event = chat_wire.sse({"error": {"message": failure.message, "code": failure.error_code}})
            return Playback([*pieces, http_chunk(event) + LAST_HTTP_CHUNK], *timing)
        case "no_finish":
            return Playback([*pieces, LAST_HTTP_CHUNK], *timing)
    return Playback(pieces, *timing, ending="close")


def _refusal(failure: Failure, reply: Reply) -> Playback:
    if failure.kind == "status":
        headers = {} if failure.retry_after is None else {"retry_after": failure.retry_after}
        body = chat_wire.error_body(failure.message, failure.error_code)
        answer = response(failure.status, body, **headers)
        return Playback([answer], first_delay=reply.first_delay_seconds)
    return Playback([], first_delay=reply.first_delay_seconds, ending="hang" if failure.kind == "hang" else "close")


def _whole(body: bytes, reply: Reply) -> Playback:
    """An answer that is not streamed comes after the time its stream would have taken."""
    failure = reply.failure
    pieces = len(chat_wire.stream_events(reply, ""))
    wait = reply.first_delay_seconds + reply.delay_seconds * pieces
    if failure is None or failure.kind == "no_finish":
        opened = reply.held_by.opened if reply.held_by else None
        return Playback([response(200, body)], first_delay=wait, opened=opened)
    match failure.kind:
        case "status" | "hang":
            return _refusal(failure, reply)
        case "garbage":
            return Playback([response(200, b"<html>this is no JSON</html>", "text/html")], first_delay=wait)
        case "error_event":
            error = chat_wire.error_body(failure.message, failure.error_code)
            return Playback([response(200, error)], first_delay=wait)
    return Playback([response(200, body)[:-1]], first_delay=wait, ending="close")
