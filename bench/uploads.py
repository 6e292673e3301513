"""A large upload: how fast it travels and is joined, and what it costs the edge and ingestion in memory.

    python -m bench.uploads [--mebibytes 1024] [--at-once 4] [--data DIRECTORY]

The file is refused by its type once it has arrived: only the way there matters. The floor writes the same parts straight
into the object store. Memory is RSS, sampled while parts travel and are joined, above that before. About two minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from bench.report import Figure, progress, show
from dev.api_client import ApiClient
from dev.fleet import fleet
from superagent_common.telemetry import Telemetry
from superagent_ingestion.adapters.minio_objects import MinioObjectStore

PART_BYTES = 5 * 1024 * 1024
MEBIBYTE = 1 << 20
ABOVE_IDLE_MIB = 64.0
_SAMPLE_SECONDS = 0.05


class LargeFile:
    """Bytes that nobody reads as a document, made part by part."""

    def __init__(self, mebibytes: int, seed: int = 0) -> None:
        self.size = mebibytes * MEBIBYTE
        self.parts = -(-self.size // PART_BYTES)
        self._seed = seed

    def part(self, number: int) -> bytes:
        """5 MiB, the last one fewer; each is different."""
        piece = hashlib.sha512(f"{self._seed}/{number}".encode()).digest()
        return (b"MZ\x90\x00" + piece * (PART_BYTES // len(piece)))[: min(PART_BYTES, self.size - number * PART_BYTES)]

    def sha256(self) -> str:
        digest = hashlib.sha256()
        for number in range(self.parts):
            digest.update(self.part(number))
        return digest.hexdigest()


@asynccontextmanager
async def resident(pids: Mapping[str, int]) -> AsyncIterator[dict[str, float]]:
    """MiB by which each process grew at most while the block runs, complete behind it."""
    processes = {name: psutil.Process(pid) for name, pid in pids.items()}

    def now() -> dict[str, float]:
        return {name: process.memory_info().rss / MEBIBYTE for name, process in processes.items()}

    before = now()
    most = dict.fromkeys(pids, 0.0)

    async def sample() -> None:
        while True:
            for name, used in now().items():
                most[name] = max(most[name], used - before[name])
            await asyncio.sleep(_SAMPLE_SECONDS)

    task = asyncio.create_task(sample())
    try:
        yield most
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def send(person: ApiClient, file: LargeFile, at_once: int) -> tuple[float, float, str]:
    """Uploads a file; seconds that the parts took, seconds that joining them took, and the document's id."""
    wanted = {"file_name": "large.exe", "size": file.size, "sha256": await asyncio.to_thread(file.sha256)}
    begun = await person.http.post("/uploads", json=wanted)
    address = f"/uploads/{begun.raise_for_status().json()['upload_id']}"
    places = asyncio.Semaphore(at_once)

    async def put(number: int) -> None:
        async with places:
            content = await asyncio.to_thread(file.part, number)
            (await person.http.put(f"{address}/parts/{number}", content=content)).raise_for_status()

    began = time.perf_counter()
    await asyncio.gather(*map(put, range(file.parts)))
    sent = time.perf_counter()
    completed = await person.http.post(f"{address}/complete", timeout=300)
    document_id = str(completed.raise_for_status().json()["document_id"])
    return sent - began, time.perf_counter() - sent, document_id


async def _straight(store: MinioObjectStore, file: LargeFile, at_once: int) -> float:
    """Seconds in which the same parts get into the object store without anything around."""
    places = asyncio.Semaphore(at_once)

    async def put(number: int) -> None:
        async with places:
            await store.put(f"bench/{number}", await asyncio.to_thread(file.part, number))

    began = time.perf_counter()
    await asyncio.gather(*map(put, range(file.parts)))
    seconds = time.perf_counter() - began
    await store.remove(await store.sizes("bench/"))
    return seconds


async def measure(options: argparse.Namespace, data: Path) -> list[Figure]:
    async with fleet(data, environment={}) as running, ApiClient(running.base_url, timeout_seconds=120) as person:
        await person.sign_up()
        where = running.environment
        store = MinioObjectStore(
            where["S3_ENDPOINT"],
            where["S3_ACCESS_KEY"],
            where["S3_SECRET_KEY"],
            where["S3_BUCKET"],
            Telemetry("bench"),
        )
        progress("warming up")
        await person.settled((await send(person, LargeFile(12, seed=1), 1))[2])
        file = LargeFile(options.mebibytes)
        progress("straight into the object store")
        floor = await _straight(store, file, options.at_once)
        progress("through the gateway")
        async with resident({name: running.pids[name] for name in ("edge", "ingestion")}) as grown:
            sending, joining, document_id = await send(person, file, options.at_once)
        (await person.http.delete(f"/documents/{document_id}")).raise_for_status()
    size = f"{options.mebibytes:,} MiB, {options.at_once} parts at once"
    return [
        Figure(f"{size}: sent", options.mebibytes / sending, "MiB/s", options.mebibytes / floor),
        Figure(f"  joined, {file.parts} parts", joining, "s"),
        *(
            Figure(f"  {name}: RSS above idle, at most", most, "MiB", at_most=ABOVE_IDLE_MIB)
            for name, most in grown.items()
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mebibytes", type=int, default=1024)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--data", type=Path, help="data folder of the fleet; a temporary one if not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = (options.data or Path(temporary) / "data").absolute()
        show("A large upload", asyncio.run(measure(options, data)))


if __name__ == "__main__":
    main()
