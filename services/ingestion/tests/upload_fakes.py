"""What uploads stand on, in memory: the object store, the map of parts, the merge lock."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from superagent_common.errors import NotFound, Unavailable


class FakeObjects:
    """Objects in memory; `failing` makes every call fail, `before` is awaited with a call's name and key."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.failing = False
        self.before: Callable[[str, str], Awaitable[None]] | None = None
        self.composed: list[str] = []

    async def put(self, key: str, content: bytes) -> None:
        await self._check("put", key)
        self.objects[key] = content

    async def put_from(self, key: str, file: BinaryIO, size: int) -> None:
        await self.put(key, file.read(size))

    async def put_file(self, key: str, path: Path) -> None:
        await self.put(key, await asyncio.to_thread(path.read_bytes))

    async def get(self, key: str) -> bytes:
        await self._check("get", key)
        return self._there(key)

    async def compose(self, key: str, parts: Sequence[str], scratch: str) -> None:
        await self._check("compose", key)
        self.composed.append(key)
        self.objects[key] = b"".join(map(self._there, parts))

    async def give_up(self, key: str) -> None:
        await self._check("give_up", key)

    async def copy(self, source: str, key: str) -> None:
        await self._check("copy", key)
        self.objects[key] = self._there(source)

    async def size(self, key: str) -> int | None:
        await self._check("size", key)
        return len(self.objects[key]) if key in self.objects else None

    async def sizes(self, prefix: str) -> Mapping[str, int]:
        await self._check("sizes", prefix)
        return {key: len(content) for key, content in self.objects.items() if key.startswith(prefix)}

    async def read(self, key: str, start: int, end: int) -> bytes:
        await self._check("read", key)
        return self._there(key)[start:end]

    async def fetch(self, key: str, path: Path) -> str:
        await self._check("fetch", key)
        content = self._there(key)
        await asyncio.to_thread(path.write_bytes, content)
        return hashlib.sha256(content).hexdigest()

    async def remove(self, keys: Iterable[str]) -> None:
        for key in list(keys):
            await self._check("remove", key)
            self.objects.pop(key, None)

    def _there(self, key: str) -> bytes:
        if key not in self.objects:
            raise NotFound("unknown_object")
        return self.objects[key]

    async def _check(self, call: str, key: str) -> None:
        if self.before:
            await self.before(call, key)
        if self.failing:
            raise Unavailable("object_store_unavailable")


class FakePartMap:
    """`parts` by upload, whether or not it knows all; `away` makes every call fail."""

    def __init__(self) -> None:
        self.parts: dict[str, set[int]] = defaultdict(set)
        self.known: set[str] = set()
        self.away = False

    async def read(self, upload_id: str) -> Collection[int] | None:
        self._check()
        return set(self.parts[upload_id]) if upload_id in self.known else None

    async def add(self, upload_id: str, number: int) -> Collection[int] | None:
        self._check()
        self.parts[upload_id].add(number)
        return await self.read(upload_id)

    async def write(self, upload_id: str, there: Collection[int], missing: Collection[int]) -> None:
        self._check()
        self.parts[upload_id] = (self.parts[upload_id] | set(there)) - set(missing)
        self.known.add(upload_id)

    async def forget(self, upload_id: str) -> None:
        self._check()
        self.parts.pop(upload_id, None)
        self.known.discard(upload_id)

    def lose(self) -> None:
        """Everything, as a store does that comes back empty."""
        self.parts.clear()
        self.known.clear()

    def _check(self) -> None:
        if self.away:
            raise Unavailable("part_map_unavailable")


class FakeMergeLock:
    """One at a time; `away` lets everybody in."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.away = False

    @asynccontextmanager
    async def held(self, upload_id: str) -> AsyncIterator[None]:
        async with asyncio.Lock() if self.away else self._locks[upload_id]:
            yield
