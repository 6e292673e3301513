"""The map of parts and the merge lock in Redis, and the map's fake beside it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from services.ingestion.tests.upload_fakes import FakePartMap
from superagent_common.errors import Unavailable
from superagent_common.ids import new_id
from superagent_common.logging import get_logger
from superagent_common.redis_client import opened_redis
from superagent_ingestion.adapters.redis_merge_lock import RedisMergeLock
from superagent_ingestion.adapters.redis_parts import RedisPartMap
from superagent_ingestion.ports import PartMap

LOG = get_logger("ingestion")
KEEP_SECONDS = 600


@pytest.fixture
async def redis(valkey: str) -> AsyncIterator[Redis]:
    async with opened_redis(valkey) as client:
        yield client


@pytest.fixture(params=["fake", "redis"])
async def part_map(request: pytest.FixtureRequest, redis: Redis) -> PartMap:
    return FakePartMap() if request.param == "fake" else RedisPartMap(redis, KEEP_SECONDS)


async def test_it_knows_an_upload_from_its_beginning_on(part_map: PartMap) -> None:
    upload_id = new_id()
    assert await part_map.read(upload_id) is None
    await part_map.write(upload_id, (), ())
    assert set(await part_map.read(upload_id) or ()) == set()
    assert await part_map.read(upload_id) is not None
    assert set(await part_map.add(upload_id, 2_047) or ()) == {2_047}
    assert set(await part_map.add(upload_id, 0) or ()) == {0, 2_047}
    assert set(await part_map.read(upload_id) or ()) == {0, 2_047}


async def test_parts_behind_a_loss_are_not_all(part_map: PartMap) -> None:
    upload_id = new_id()
    assert await part_map.add(upload_id, 5) is None
    assert await part_map.read(upload_id) is None
    # Whoever rebuilds it may have looked before that part came.
    await part_map.write(upload_id, [0, 1], [2, 3])
    assert set(await part_map.read(upload_id) or ()) == {0, 1, 5}
    await part_map.write(upload_id, [0], [1, 5])
    assert set(await part_map.read(upload_id) or ()) == {0}


async def test_what_is_forgotten_is_not_known(part_map: PartMap) -> None:
    upload_id = new_id()
    await part_map.write(upload_id, [0], ())
    await part_map.forget(upload_id)
    await part_map.forget(upload_id)
    assert await part_map.read(upload_id) is None


async def test_a_key_lives_no_longer_than_its_upload(redis: Redis) -> None:
    part_map, upload_id = RedisPartMap(redis, KEEP_SECONDS), new_id()
    key = f"ingestion:upload:{upload_id}:parts"
    for write in (part_map.add(upload_id, 1), part_map.write(upload_id, [0], ())):
        await write
        assert KEEP_SECONDS - 60 <= await redis.ttl(key) <= KEEP_SECONDS
        await redis.persist(key)


async def test_a_map_that_does_not_answer_is_unavailable() -> None:
    async with opened_redis("redis://127.0.0.1:1/0") as nowhere:
        part_map = RedisPartMap(nowhere, KEEP_SECONDS)
        for call in (part_map.read("u"), part_map.add("u", 1), part_map.write("u", (), ()), part_map.forget("u")):
            with pytest.raises(Unavailable):
                await call


@settings(max_examples=30, deadline=None)
@given(numbers=st.sets(st.integers(0, 2_047), max_size=50))
def test_every_set_of_parts_is_read_as_it_was_written(valkey: str, numbers: set[int]) -> None:
    async def written_and_read() -> set[int]:
        async with opened_redis(valkey) as client:
            part_map, upload_id = RedisPartMap(client, KEEP_SECONDS), new_id()
            await part_map.write(upload_id, numbers, ())
            return set(await part_map.read(upload_id) or ())

    assert asyncio.run(written_and_read()) == numbers


class Visits:
    """How many hold a lock at once."""

    def __init__(self) -> None:
        self.now = self.most = self.all = 0

    async def work(self, lock: RedisMergeLock, upload_id: str) -> None:
        async with lock.held(upload_id):
            self.now += 1
            self.all += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.01)
            self.now -= 1


async def test_one_holds_the_lock_at_a_time_over_all_replicas(redis: Redis) -> None:
    replicas = [RedisMergeLock(redis, LOG) for _ in range(3)]
    visits, upload_id = Visits(), new_id()
    await asyncio.gather(*(visits.work(replica, upload_id) for replica in replicas for _ in range(3)))
    assert (visits.most, visits.all) == (1, 9)
    assert await redis.exists(f"ingestion:upload:{upload_id}:merge") == 0


async def test_different_uploads_do_not_wait_for_each_other(redis: Redis) -> None:
    lock = RedisMergeLock(redis, LOG)
    async with asyncio.timeout(120), lock.held(new_id()), lock.held(new_id()):
        pass


async def test_without_redis_one_process_still_lets_one_in(redis: Redis) -> None:
    async with opened_redis("redis://127.0.0.1:1/0") as nowhere:
        lock, visits, upload_id = RedisMergeLock(nowhere, LOG), Visits(), new_id()
        await asyncio.gather(*(visits.work(lock, upload_id) for _ in range(4)))
    assert (visits.most, visits.all) == (1, 4)


async def test_a_dead_holder_keeps_others_waiting_for_its_lease_only(redis: Redis) -> None:
    upload_id = new_id()
    await redis.set(f"ingestion:upload:{upload_id}:merge", "dead", px=300)
    began = time.monotonic()
    async with RedisMergeLock(redis, LOG).held(upload_id):
        assert time.monotonic() - began > 0.2


async def test_who_holds_it_longer_than_the_lease_keeps_it(redis: Redis) -> None:
    upload_id = new_id()
    key = f"ingestion:upload:{upload_id}:merge"
    async with RedisMergeLock(redis, LOG, lease_seconds=6).held(upload_id):
        mine, left = await redis.get(key), await redis.pttl(key)
        async with asyncio.timeout(120):
            while (now_left := await redis.pttl(key)) <= left:
                left = now_left
                await asyncio.sleep(0.05)
        assert await redis.get(key) == mine


async def test_a_lock_that_somebody_else_has_by_now_is_not_given_back(redis: Redis) -> None:
    upload_id = new_id()
    key = f"ingestion:upload:{upload_id}:merge"
    async with RedisMergeLock(redis, LOG).held(upload_id):
        await redis.set(key, "another's")
    assert await redis.get(key) == b"another's"


async def test_what_goes_wrong_inside_gives_the_lock_back(redis: Redis) -> None:
    lock, upload_id = RedisMergeLock(redis, LOG), new_id()
    with pytest.raises(ValueError, match="inside"):
        async with lock.held(upload_id):
            raise ValueError("inside")
    assert await redis.exists(f"ingestion:upload:{upload_id}:merge") == 0
