"""A load client in a process of its own: streams answers, many at once, and keeps the times.

It does as little as it can: what it uses is taken from the same two cores as what it measures.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

import uvloop

from dev.grouping import ROOT, machine_environment
from superagent_common.llm.http_connection import HttpConnection

_REQUEST_SECONDS = 120.0
_SHOWN_OF_A_FAILURE = 600


@dataclass(frozen=True, slots=True)
class Stream:
    """What is asked, `requests` times, `concurrent` at once. `headers` are used in turn, one set per request.

    `first` begins the first delta of an answer, `event` is in each event that is counted, `end` in an answer that is
    whole; all three are looked for in the bytes.
    """

    url: str
    headers: Sequence[Mapping[str, str]]
    body: Mapping[str, object]
    requests: int
    concurrent: int
    first: str
    event: str
    end: str


@dataclass(frozen=True, slots=True)
class Answers:
    """Times of each answer from its request on; `seconds` from the first request to the last byte."""

    seconds: float
    cpu_ms: float
    first_ms: list[float]
    whole_ms: list[float]
    events: list[int]

    @property
    def per_second(self) -> float:
        return len(self.whole_ms) / self.seconds


async def stream(load: Stream) -> Answers:
    """Runs the load. Raises RuntimeError when one answer was refused or did not come whole."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.load",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env=machine_environment(),
    )
    output, _ = await process.communicate(json.dumps(asdict(load)).encode())
    if process.returncode:
        raise RuntimeError(f"the load on {load.url} failed")
    return Answers(**json.loads(output))


class _Client:
    def __init__(self, load: Stream) -> None:
        self._load = load
        self._body = json.dumps(load.body).encode()
        self._markers = tuple(text.encode() for text in (load.first, load.event, load.end))
        self._next = 0
        self.first_ms: list[float] = []
        self.whole_ms: list[float] = []
        self.events: list[int] = []

    async def run(self) -> None:
        async with asyncio.TaskGroup() as askers:
            for _ in range(self._load.concurrent):
                askers.create_task(self._ask_on())

    async def _ask_on(self) -> None:
        """Asks again and again on one connection."""
        url = urlsplit(self._load.url)
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(HttpConnection, url.hostname, url.port)
        while self._next < self._load.requests:
            number, self._next = self._next, self._next + 1
            headers = self._load.headers[number % len(self._load.headers)]
            lines = [f"POST {url.path} HTTP/1.1", f"host: {url.netloc}", "content-type: application/json"]
            lines += [f"content-length: {len(self._body)}", *(f"{name}: {value}" for name, value in headers.items())]
            async with asyncio.timeout(_REQUEST_SECONDS):
                await self._ask(connection, "\r\n".join((*lines, "", "")).encode() + self._body)
        connection.abort()

    async def _ask(self, connection: HttpConnection, request: bytes) -> None:
        first, event, end = self._markers
        body = bytearray()
        first_at = 0.0
        began = time.perf_counter()
        status, _ = await connection.send(request)
        async for data in connection.body():
            body += data
            if not first_at and first in body:
                first_at = time.perf_counter()
        ended = time.perf_counter()
        if status != 200 or end not in body or not first_at:
            raise RuntimeError(f"{status}: {bytes(body[-_SHOWN_OF_A_FAILURE:])!r}")
        self.first_ms.append((first_at - began) * 1000)
        self.whole_ms.append((ended - began) * 1000)
        self.events.append(body.count(event))


async def _main() -> None:
    client = _Client(Stream(**json.load(sys.stdin)))
    began, cpu = time.perf_counter(), time.process_time()
    await client.run()
    answers = Answers(
        time.perf_counter() - began,
        (time.process_time() - cpu) * 1000,
        client.first_ms,
        client.whole_ms,
        client.events,
    )
    sys.stdout.write(json.dumps(asdict(answers)))


if __name__ == "__main__":
    uvloop.run(_main())
