"""A thousand open streams on one gateway: what one costs while nothing happens in it, and how long others wait meanwhile.

    python -m bench.streams [--streams 1000] [--data DIRECTORY]

Half of the viewers come over server-sent events, half over WebSockets, a hundred turns that hang in mid-answer are
watched by ten each. Health checks are asked all the time: before, while the streams are open, and while all turns are
stopped at once. About a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import tempfile
import time
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from bench.processes import CpuClock, helper_process, memory
from bench.report import Figure, median, percentile, progress, show
from dev.api_client import ApiClient
from dev.fleet import Fleet, fleet

TURNS = 100
IDLE_SECONDS = 20.0
"""Longer than a heartbeat, which belongs to what an open stream costs."""
_UPGRADE = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
_NO_LIMITS = {"GATEWAY_CHATS_PER_MINUTE": "1000000"}


class Viewer:
    """One connection that waits for the first words of a turn and for its end."""

    def __init__(self, base_url: str, token: str, turn_id: str, *, websocket: bool) -> None:
        self._url = urlsplit(base_url)
        self._token = token
        self._turn_id = turn_id
        self._websocket = websocket

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(self._url.hostname, self._url.port)
        path = "/api/v1/ws" if self._websocket else f"/api/v1/turns/{self._turn_id}/events"
        key = base64.b64encode(b"0123456789abcdef").decode()
        more = f"{_UPGRADE}sec-websocket-key: {key}\r\n" if self._websocket else ""
        self._writer.write(f"GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: {self._token}\r\n{more}\r\n".encode())
        if self._websocket:
            await self._reader.readuntil(b"\r\n\r\n")
            said = json.dumps({"type": "chat.resume", "turn_id": self._turn_id}).encode()
            self._writer.write(bytes((0x81, 0x80 | len(said), 0, 0, 0, 0)) + said)
        await self._reader.readuntil(b'"type":"delta"' if self._websocket else b"event: delta\n")

    async def end(self) -> None:
        await self._reader.readuntil(b'"type":"done"' if self._websocket else b"event: done\n")
        self._writer.close()


async def _health(base_url: str, until: Callable[[], bool], waits: list[float]) -> None:
    async with httpx.AsyncClient(base_url=base_url, trust_env=False, timeout=60) as client:
        while not until():
            for path in ("/healthz", "/readyz"):
                began = time.perf_counter()
                await client.get(path)
                waits.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(0.05)


async def _hanging_turns(person: ApiClient) -> list[str]:
    """Turns of which the model has said the first words."""

    async def one() -> str:
        async with aclosing(person.chat("And then?", mode="DIRECT")) as events:  # type: ignore[type-var]
            async for event in events:
                if event.event == "delta":
                    return str(event.json["turn_id"])
        raise RuntimeError("a turn ended that should hang")

    return [turn for _ in range(TURNS // 20) for turn in await asyncio.gather(*(one() for _ in range(20)))]


async def measure(data: Path, streams: int) -> list[Figure]:
    async with helper_process("tests.support.scripted_model") as model:
        settings = {**_NO_LIMITS, "LLM_MODEL": "scripted", "LLM_API_BASE": model[1]}
        async with fleet(data, environment=settings) as running, ApiClient(running.base_url) as person:
            hang = {"text": "And so on.", "deltas": 4, "failure": {"kind": "hang", "after_deltas": 1}}
            async with httpx.AsyncClient(trust_env=False) as client:
                script = f"{model[1].removesuffix('/v1')}/_script"
                (await client.post(script, json={"rules": [], "default": hang})).raise_for_status()
            await person.sign_up()
            return await _measured(running, person, streams)


async def _measured(running: Fleet, person: ApiClient, streams: int) -> list[Figure]:
    clock = CpuClock({"edge": running.pids["edge"]})
    edge = running.pids["edge"]
    phases: dict[str, list[float]] = {"before": [], "open": [], "ending": []}
    phase = "before"

    async def watch_health(name: str) -> None:
        await _health(running.base_url, lambda: phase != name, phases[name])

    turns = await _hanging_turns(person)
    watching = asyncio.create_task(watch_health("before"))
    await asyncio.sleep(3)
    phase = "open"
    await watching
    await clock.measure_idle(5)
    rss = memory(edge).rss
    token = person.http.headers["authorization"]
    viewers = [
        Viewer(running.base_url, token, turns[number % len(turns)], websocket=bool(number % 2))
        for number in range(streams)
    ]
    progress(f"{streams} streams are opened")
    clock.start()
    began = time.perf_counter()
    for first in range(0, streams, 50):
        await asyncio.gather(*(viewer.open() for viewer in viewers[first : first + 50]))
    opened = time.perf_counter() - began
    opening = clock.used()["edge"]
    grown = memory(edge).rss - rss
    clock.start()
    watching = asyncio.create_task(watch_health("open"))
    await asyncio.sleep(IDLE_SECONDS)
    idle = clock.used()["edge"] / IDLE_SECONDS
    phase = "ending"
    await watching
    watching = asyncio.create_task(watch_health("ending"))
    began = time.perf_counter()
    ends = asyncio.gather(*(viewer.end() for viewer in viewers))
    await asyncio.gather(*(person.http.post(f"/turns/{turn_id}/cancel") for turn_id in turns))
    await ends
    ended = time.perf_counter() - began
    phase = "over"
    await watching
    return [
        Figure(f"{streams} streams: to open one", opening / streams, "CPU-ms"),
        Figure(f"{streams} streams: opened", streams / opened, "a second"),
        Figure(f"{streams} streams: memory of one", grown * 1024 / streams, "KiB"),
        Figure(f"{streams} streams: heartbeats and health checks", idle, "CPU-ms/s"),
        *(
            Figure(f"health check, {name}: {which}", of(waits), "ms", of(phases["before"]))
            for name, waits in phases.items()
            for which, of in (("p50", median), ("longest", lambda values: percentile(values, 100)))
        ),
        Figure(f"{TURNS} turns stopped at once: all {streams} viewers have the end", ended, "s"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--data", type=Path, help="data folder of the fleet; a temporary one if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = (options.data or Path(temporary)).absolute()
        show("Open streams", asyncio.run(measure(data, options.streams)))


if __name__ == "__main__":
    main()
