"""Conformance of event logs: the fake of the other tests and Redis streams behave alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from urllib.parse import urlsplit

import pytest

from services.orchestrator.tests.fakes import FakeEventLog
from superagent.orchestrator.v1 import events_pb2
from superagent_common.errors import Unavailable
from superagent_common.ids import new_id
from superagent_common.logging import get_logger
from superagent_common.redis_client import opened_redis
from superagent_orchestrator.adapters.redis_events import MAX_WAITING, Follower, RedisEventLog
from superagent_orchestrator.adapters.redis_signal import CANCEL, RedisSignal
from superagent_orchestrator.ports import EventLog
from tests.support.tcp_relay import relay_to

LOG = get_logger("orchestrator")


def event(sequence: int, *, last: bool = False) -> events_pb2.TurnEvent:
    if last:
        return events_pb2.TurnEvent(sequence=sequence, done=events_pb2.Done(finish_reason="stop"))
    return events_pb2.TurnEvent(sequence=sequence, delta=events_pb2.Delta(text=f"piece {sequence}"))


@pytest.fixture(params=["fake", "redis"])
async def log(request: pytest.FixtureRequest, valkey: str) -> AsyncIterator[EventLog]:
    if request.param == "fake":
        yield FakeEventLog()
        return
    async with opened_redis(valkey) as redis:
        made = RedisEventLog(redis, 60, LOG)
        async with made.reading():
            yield made


async def followed(log: EventLog, turn_id: str, after: int) -> list[events_pb2.TurnEvent]:
    async with asyncio.timeout(120), aclosing(log.follow(turn_id, after)) as stream:
        return [each async for each in stream]


async def test_what_is_appended_is_read_behind_any_number(log: EventLog) -> None:
    turn_id = new_id()
    await log.append(turn_id, [event(1), event(2)])
    await log.append(turn_id, [event(3)])
    assert [each.sequence for each in await log.read(turn_id, 0)] == [1, 2, 3]
    assert await log.read(turn_id, 2) == [event(3)]
    assert await log.read(turn_id, 9) == [] and await log.read(new_id(), 0) == []


async def test_what_is_removed_is_gone_whole_and_nothing_else_is(log: EventLog) -> None:
    turn_id, other = new_id(), new_id()
    for each in (turn_id, other):
        await log.append(each, [event(1), event(2, last=True)])
    await log.remove([turn_id, new_id()])
    await log.remove([])
    assert await log.read(turn_id, 0) == [] and len(await log.read(other, 0)) == 2


async def test_what_is_there_is_not_written_again_and_no_gap_is_left(log: EventLog) -> None:
    turn_id = new_id()
    await log.append(turn_id, [event(1), event(2)])
    await log.append(turn_id, [event(1), event(2), event(3)])
    assert [each.sequence for each in await log.read(turn_id, 0)] == [1, 2, 3]
    with pytest.raises(Unavailable):
        await log.append(turn_id, [event(7)])


async def test_what_many_turns_append_at_once_stays_apart(log: EventLog) -> None:
    turns = [new_id() for _ in range(250)]
    gap = new_id()
    given_up = asyncio.create_task(log.append(new_id(), [event(1)]))
    writes = [asyncio.create_task(log.append(turn_id, [event(1), event(2)])) for turn_id in turns]
    broken = asyncio.create_task(log.append(gap, [event(5)]))
    more = [asyncio.create_task(log.append(turn_id, [event(3, last=True)])) for turn_id in turns]
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.gather(*writes, *more)
    with pytest.raises(Unavailable):
        await broken
    for turn_id in turns:
        assert await log.read(turn_id, 0) == [event(1), event(2), event(3, last=True)]
    assert await log.read(gap, 0) == [] and log.available
    await log.append(gap, [event(1)])


async def test_many_follow_from_different_numbers_while_events_come(log: EventLog) -> None:
    turn_id = new_id()
    await log.append(turn_id, [event(1)])
    watching = [asyncio.create_task(followed(log, turn_id, after)) for after in (0, 0, 1, 4)]
    for sequence in range(2, 9):
        await asyncio.sleep(0)
        await log.append(turn_id, [event(sequence)])
    late = asyncio.create_task(followed(log, turn_id, 0))
    await log.append(turn_id, [event(9, last=True)])
    sequences = [[each.sequence for each in events] for events in await asyncio.gather(*watching, late)]
    assert sequences == [list(range(first, 10)) for first in (1, 1, 2, 5, 1)]


async def test_a_finished_stream_ends_at_once(log: EventLog) -> None:
    turn_id = new_id()
    await log.append(turn_id, [event(1), event(2, last=True)])
    assert [each.sequence for each in await followed(log, turn_id, 1)] == [2]


async def test_a_follower_ahead_of_the_stream_is_let_go_with_its_end(log: EventLog) -> None:
    turn_id = new_id()
    await log.append(turn_id, [event(1), event(2)])
    ahead = asyncio.create_task(followed(log, turn_id, 7))
    beside = asyncio.create_task(followed(log, turn_id, 1))
    await asyncio.sleep(0)
    await log.append(turn_id, [event(3, last=True)])
    assert await ahead == []
    assert [each.sequence for each in await beside] == [2, 3]
    for after in (3, 9):
        assert await followed(log, turn_id, after) == []


async def test_a_follower_that_leaves_disturbs_nobody(log: EventLog) -> None:
    turn_id = new_id()
    await log.append(turn_id, [event(1)])
    staying = asyncio.create_task(followed(log, turn_id, 0))
    async with aclosing(log.follow(turn_id, 0)) as leaving:
        await anext(leaving)
    await log.append(turn_id, [event(2, last=True)])
    assert [each.sequence for each in await staying] == [1, 2]


def test_a_bounded_number_of_events_waits_for_a_follower() -> None:
    follower = Follower()
    for number in range(1, 2 * MAX_WAITING):
        follower.offer(event(number))
    assert follower.behind and follower.queue.qsize() == MAX_WAITING
    # What waits has no gap: nothing is added behind what was left out.
    assert follower.queue.get_nowait().sequence == 1
    follower.offer(event(9999))
    assert follower.queue.qsize() == MAX_WAITING - 1


async def test_a_follower_that_stands_still_misses_nothing(valkey: str) -> None:
    async with opened_redis(valkey) as redis:
        log = RedisEventLog(redis, 60, LOG)
        turn_id, long = new_id(), 3 * MAX_WAITING + 7
        await log.append(turn_id, [event(1)])
        async with log.reading(), aclosing(log.follow(turn_id, 0)) as slow:
            seen = [(await anext(slow)).sequence]
            for first in range(2, long + 1, 100):
                await log.append(turn_id, [event(number) for number in range(first, min(first + 100, long + 1))])
            await log.append(turn_id, [event(long + 1, last=True)])
            # Somebody else has seen all of it, so the reader has offered all of it to the slow one as well.
            assert [each.sequence for each in await followed(log, turn_id, 0)] == list(range(1, long + 2))
            seen += [each.sequence async for each in slow]
        assert seen == list(range(1, long + 2))


async def test_the_events_of_a_turn_are_kept_for_a_while_only(valkey: str) -> None:
    async with opened_redis(valkey) as redis:
        log = RedisEventLog(redis, 60, LOG)
        turn_id = new_id()
        for number in (1, 2):
            await log.append(turn_id, [event(number)])
            assert 0 < await redis.ttl(f"orchestrator:turn:{turn_id}") <= 60


async def test_one_reader_follows_many_turns(valkey: str) -> None:
    async with opened_redis(valkey) as redis:
        log = RedisEventLog(redis, 60, LOG)
        async with log.reading():
            turns = [new_id() for _ in range(200)]
            watching = [asyncio.create_task(followed(log, turn_id, 0)) for turn_id in turns]
            await asyncio.sleep(0)
            await asyncio.gather(*(log.append(turn_id, [event(1), event(2, last=True)]) for turn_id in turns))
            assert all(len(events) == 2 for events in await asyncio.gather(*watching))
            clients = await redis.client_list()
            assert sum(client["cmd"].startswith("xread") for client in clients) <= 1


async def test_a_redis_that_is_away_is_unavailable_and_comes_back(valkey: str) -> None:
    async with opened_redis("redis://127.0.0.1:1/0") as nowhere:
        log = RedisEventLog(nowhere, 60, LOG)
        with pytest.raises(Unavailable):
            await log.append(new_id(), [event(1)])
        assert not log.available
        with pytest.raises(Unavailable):
            await log.read(new_id(), 0)


async def test_a_redis_that_is_back_is_noticed_without_a_turn_that_writes(valkey: str) -> None:
    where = urlsplit(valkey)
    assert where.hostname and where.port
    async with (
        relay_to(where.hostname, where.port) as relay,
        opened_redis(f"redis://127.0.0.1:{relay.port}/0") as redis,
    ):
        log = RedisEventLog(redis, 60, LOG)
        async with log.reading():
            await relay.cut()
            with pytest.raises(Unavailable):
                await log.append(new_id(), [event(1)])
            assert not log.available
            await relay.mend()
            async with asyncio.timeout(120):
                while not log.available:
                    await asyncio.sleep(0.01)


async def test_a_stop_that_cannot_be_sent_is_no_failure() -> None:
    async with opened_redis("redis://127.0.0.1:1/0") as nowhere:
        await RedisSignal(nowhere, CANCEL, LOG).send("turn-1")


async def test_a_signal_reaches_every_replica(valkey: str) -> None:
    heard: list[asyncio.Queue[str]] = [asyncio.Queue(), asyncio.Queue()]
    async with opened_redis(valkey) as redis:
        signal = RedisSignal(redis, CANCEL, LOG)
        listening = [asyncio.create_task(signal.listen(queue.put_nowait)) for queue in heard]
        async with asyncio.timeout(120):
            while (await redis.pubsub_numsub("orchestrator:cancel"))[0][1] < 2:
                await asyncio.sleep(0.01)
            await signal.send("turn-1")
            assert [await queue.get() for queue in heard] == ["turn-1", "turn-1"]
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)
