"""Which parts of an upload are there, as one bitmap a Redis key."""

from __future__ import annotations

from collections.abc import Awaitable, Collection
from typing import TypeVar

from redis.asyncio import Redis
from redis.exceptions import RedisError

from superagent_common.errors import Unavailable

# Bit 0 says that all the others are known, bit n + 1 that part n is there. Without bit 0 the key was lost while parts
# came: those that came later must not look like all.
_ADD = """
redis.call('SETBIT', KEYS[1], ARGV[2] + 1, 1)
redis.call('EXPIRE', KEYS[1], ARGV[1])
return redis.call('GET', KEYS[1])
"""
_WRITE = """
redis.call('SETBIT', KEYS[1], 0, 1)
for index = 3, #ARGV do
  redis.call('SETBIT', KEYS[1], ARGV[index] + 1, index - 2 > tonumber(ARGV[2]) and 0 or 1)
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
"""

T = TypeVar("T")


class RedisPartMap:
    """`PartMap` in Redis, keys `ingestion:upload:{id}:parts`."""

    def __init__(self, redis: Redis, keep_seconds: int) -> None:
        """A key that nobody writes to lives `keep_seconds`."""
        self._redis = redis
        self._keep_seconds = keep_seconds
        self._add = redis.register_script(_ADD)
        self._write = redis.register_script(_WRITE)

    async def read(self, upload_id: str) -> Collection[int] | None:
        return _parts(await _answer(self._redis.get(_key(upload_id))))

    async def add(self, upload_id: str, number: int) -> Collection[int] | None:
        return _parts(await _answer(self._add(keys=[_key(upload_id)], args=[self._keep_seconds, number])))

    async def write(self, upload_id: str, there: Collection[int], missing: Collection[int]) -> None:
        arguments = [self._keep_seconds, len(there), *there, *missing]
        await _answer(self._write(keys=[_key(upload_id)], args=arguments))

    async def forget(self, upload_id: str) -> None:
        await _answer(self._redis.delete(_key(upload_id)))


def _key(upload_id: str) -> str:
    return f"ingestion:upload:{upload_id}:parts"


def _parts(bitmap: bytes | None) -> Collection[int] | None:
    """Numbers of the parts in a bitmap; None when it does not know all."""
    bits = "".join(f"{byte:08b}" for byte in bitmap or b"")
    if not bits.startswith("1"):
        return None
    return frozenset(place - 1 for place, bit in enumerate(bits) if bit == "1" and place)


async def _answer(call: Awaitable[T]) -> T:
    try:
        return await call
    except (RedisError, OSError) as error:
        raise Unavailable("part_map_unavailable", "The map of parts does not answer.") from error
