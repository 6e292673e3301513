"""A thousand viewers of one gateway: it goes on answering everybody else, and each of them gets the end."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from urllib.parse import urlsplit

from dev.api_client import ApiClient
from dev.fleet import Fleet
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel

VIEWERS = 1_000
PATIENCE_SECONDS = 30.0
"""A bound for a machine with much else to do; `make bench-streams` says what it is on a quiet one."""


class RawViewer:
    """As little of a client as there can be: a thousand of them share a machine with what is tested."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def of(cls, base_url: str, token: str, turn_id: str) -> RawViewer:
        url = urlsplit(base_url)
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        head = f"GET /api/v1/turns/{turn_id}/events HTTP/1.1\r\nhost: x\r\nauthorization: {token}\r\n\r\n"
        writer.write(head.encode())
        await reader.readuntil(b"event: delta\n")
        return cls(reader, writer)

    async def end(self) -> None:
        await self._reader.readuntil(b"event: done\n")
        self._writer.close()


async def test_a_thousand_open_streams_keep_nobody_else_waiting(
    fleet_with_model: Fleet, person: ApiClient, model: ScriptedModel
) -> None:
    model.answer_with(Rule(Reply(text="And so on.", deltas=4, failure=Failure("hang", after_deltas=1))))
    token = person.http.headers["authorization"]
    waits: list[float] = []
    ready: list[bool] = []
    over = asyncio.Event()

    async def check_health() -> None:
        async with ApiClient(fleet_with_model.base_url) as anybody:
            while not over.is_set():
                for path in ("/healthz", "/readyz"):
                    began = time.monotonic()
                    answer = await anybody.http.get(path)
                    # A thousand beginnings or ends at once keep the one process busy: it may call itself not ready then.
                    assert answer.status_code == 200 or path == "/readyz"
                    ready.append(path == "/readyz" and answer.status_code == 200)
                    waits.append(time.monotonic() - began)
                await asyncio.sleep(0.1)

    async with aclosing(person.chat("Tell me everything.", mode="DIRECT")) as events, asyncio.timeout(540):
        turn_id = (await anext(events)).json["turn_id"]
        checking = asyncio.create_task(check_health())
        viewers: list[RawViewer] = []
        for _ in range(VIEWERS // 50):
            opening = (RawViewer.of(fleet_with_model.base_url, token, turn_id) for _ in range(50))
            viewers += await asyncio.gather(*opening)
        assert len(viewers) == VIEWERS
        checked = len(waits)
        while len(waits) < checked + 10 or not any(ready[checked:]):
            await asyncio.sleep(0.05)
        assert (await person.http.post(f"/turns/{turn_id}/cancel")).status_code == 204
        await asyncio.gather(*(viewer.end() for viewer in viewers))
        over.set()
        await checking
    assert sorted(waits)[len(waits) // 2] < PATIENCE_SECONDS
