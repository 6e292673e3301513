"""Viewers of a turn over SSE and over the WebSocket, who come again wherever they were cut off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from dev.api_client import ApiClient, SseEvent

Read = Callable[[str, int], AsyncGenerator[SseEvent, None]]
"""The events of a turn behind a number, until the connection ends."""
_AGAIN_SECONDS = 0.05
_ENDS = ("done", "error")


def over_sse(client: ApiClient) -> Read:
    return client.turn_events  # type: ignore[return-value]


def over_websocket(client: ApiClient) -> Read:
    async def read(turn_id: str, after: int) -> AsyncGenerator[SseEvent, None]:
        url = str(client.http.base_url).replace("http", "ws", 1) + "ws"
        headers = {"authorization": client.http.headers["authorization"]}
        socket = await connect(url, additional_headers=headers, proxy=None, open_timeout=120, ping_interval=None)
        try:
            await socket.send(json.dumps({"type": "chat.resume", "turn_id": turn_id, "after": after}))
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "over":
                    return
                assert message["type"] != "problem" or message["status"] == 503, message
                if "sequence" in message:
                    yield as_sse(str(text), message["type"], message["sequence"])
                    if message["type"] in _ENDS:
                        return
        finally:
            # Vanishes, as clients do.
            socket.transport.abort()

    return read


def as_sse(text: str, kind: str, sequence: int) -> SseEvent:
    """The server-sent event whose bytes a message carries behind its type."""
    head = f'{{"type":"{kind}",'
    assert text.startswith(head)
    return SseEvent(sequence, kind, "{" + text[len(head) :])


class Viewer:
    """Watches one turn to its end. `stint`: events after which it leaves and comes again; None: only when cut off."""

    def __init__(self, read: Read, turn_id: str, *, stint: int | None = None) -> None:
        self.seen: list[SseEvent] = []
        self.cut_off = 0
        self.last_cut: Exception | None = None
        self._read = read
        self._turn_id = turn_id
        self._stint = stint
        self._watching = asyncio.create_task(self._watch())

    async def all(self, seconds: float = 120) -> list[SseEvent]:
        """What it has seen when the turn is over."""
        done, _ = await asyncio.wait((self._watching,), timeout=seconds)
        assert done, f"after {seconds} s only {len(self.seen)} events, cut off {self.cut_off} times ({self.last_cut!r})"
        self._watching.result()
        return self.seen

    async def _watch(self) -> None:
        while not (self.seen and self.seen[-1].event in _ENDS):
            after = self.seen[-1].id if self.seen else 0
            try:
                async with aclosing(self._read(self._turn_id, after)) as events:
                    async for event in events:
                        self.seen.append(event)
                        if self._stint and event.id - after >= self._stint:
                            break
            except (httpx.HTTPError, WebSocketException, OSError) as error:
                # A gateway that died, or a proxy that has not noticed.
                self.cut_off += 1
                self.last_cut = error
                await asyncio.sleep(_AGAIN_SECONDS)
