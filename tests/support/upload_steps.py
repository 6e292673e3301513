"""An upload's single steps through HTTP, and what it stands on: rows, map and objects of a running fleet."""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import httpx
from redis.asyncio import Redis

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent_common.telemetry import Telemetry
from superagent_ingestion.adapters.minio_objects import MinioObjectStore


async def begin(person: ApiClient, content: bytes, **changes: Any) -> dict[str, Any]:
    """The upload of a Markdown file, just begun."""
    wanted = {"file_name": "a.md", "size": len(content), "sha256": hashlib.sha256(content).hexdigest(), **changes}
    answer = await person.http.post("/uploads", json=wanted)
    assert answer.status_code == 201, answer.text
    return answer.json()  # type: ignore[no-any-return]


def part_of(upload: dict[str, Any], content: bytes, number: int) -> bytes:
    """The bytes of a part."""
    return content[number * upload["part_size"] : (number + 1) * upload["part_size"]]


async def send(person: ApiClient, upload: dict[str, Any], content: bytes, *numbers: int) -> list[int]:
    """Sends parts and gives those that are there."""
    received: list[int] = []
    for number in numbers:
        address = f"/uploads/{upload['upload_id']}/parts/{number}"
        answer = await person.http.put(address, content=part_of(upload, content, number))
        assert answer.status_code == 200, answer.text
        received = answer.json()["parts_received"]
    return received


async def received(person: ApiClient, upload: dict[str, Any]) -> list[int]:
    """Numbers of the parts that the upload says are there."""
    answer = await person.http.get(f"/uploads/{upload['upload_id']}")
    assert answer.status_code == 200, answer.text
    return answer.json()["parts_received"]  # type: ignore[no-any-return]


async def complete(person: ApiClient, upload: dict[str, Any]) -> httpx.Response:
    return await person.http.post(f"/uploads/{upload['upload_id']}/complete")


async def prove(person: ApiClient, upload: dict[str, Any], digest: str) -> httpx.Response:
    return await person.http.post(f"/uploads/{upload['upload_id']}/proof", json={"digest": digest})


def proof_of(upload: dict[str, Any], content: bytes) -> str:
    """What answers the upload's challenge."""
    digest = hashlib.sha256(bytes.fromhex(upload["challenge"]["nonce"]))
    for piece in upload["challenge"]["ranges"]:
        digest.update(content[piece["start"] : piece["end"]])
    return digest.hexdigest()


class Truths:
    """Rows, map and objects of a fleet's uploads, to be looked at and lost."""

    def __init__(self, fleet: Fleet) -> None:
        where = fleet.environment
        self.redis_url = where["REDIS_URL"]
        self.database = fleet.data_dir / "databases" / "ingestion.db"
        self.objects = MinioObjectStore(
            where["S3_ENDPOINT"],
            where["S3_ACCESS_KEY"],
            where["S3_SECRET_KEY"],
            where["S3_BUCKET"],
            Telemetry("test"),
        )

    async def sql(self, statement: str, *values: object) -> Sequence[Any]:
        """Runs a statement on ingestion's database."""

        def run() -> Sequence[Any]:
            with closing(sqlite3.connect(self.database, timeout=30)) as connection, connection:
                return connection.execute(statement, values).fetchall()

        return await asyncio.to_thread(run)

    async def lose_rows(self, upload_id: str) -> None:
        await self.sql("DELETE FROM upload_parts WHERE upload_id = ?", upload_id)

    async def lose_map(self, upload_id: str) -> None:
        async with Redis.from_url(self.redis_url) as redis:
            assert await redis.delete(f"ingestion:upload:{upload_id}:parts") == 1

    async def merging(self, upload_id: str) -> None:
        """Waits until somebody completes the upload."""
        async with Redis.from_url(self.redis_url) as redis, asyncio.timeout(120):
            while not await redis.exists(f"ingestion:upload:{upload_id}:merge"):
                await asyncio.sleep(0.01)

    async def lose_objects(self, upload_id: str) -> None:
        kept = await self.parts(upload_id)
        assert kept
        await self.objects.remove(kept)

    async def parts(self, upload_id: str) -> list[str]:
        """Keys of the parts that lie in the object store."""
        return list(await self.objects.sizes(f"uploads/{upload_id}"))
