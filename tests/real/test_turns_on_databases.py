"""The orchestrator's turns on PostgreSQL and on MariaDB: several replicas add, replace and keep them at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.orchestrator.tests.fakes import FakeConversations, FakeEventLog
from services.orchestrator.tests.turns_rig import ANSWER, Rig, finished, lose, until
from superagent_common.clock import SECOND
from superagent_common.errors import Conflict, InvalidInput, NotFound, Unavailable
from tests.real.databases import EACH, opened_database

LONG = "长" * 32_000


@pytest.fixture(params=EACH)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    async with opened_database(request.param, "superagent_orchestrator") as database:
        made = Rig(database, FakeEventLog(), FakeConversations())
        async with made.own.running():
            yield made


async def test_two_replicas_that_start_a_turn_at_once_have_one_and_a_conflict(rig: Rig) -> None:
    await rig.events(await rig.start())
    conversation_id = next(iter(rig.conversations.owners))
    other = Rig(rig.database, rig.log, rig.conversations)
    gate = asyncio.Event()
    rig.executor.events = other.executor.events = (gate, *ANSWER)
    results = await asyncio.gather(
        *(each.start(f"{number}?", conversation_id=conversation_id) for number in range(3) for each in (rig, other)),
        return_exceptions=True,
    )
    (made,) = (result for result in results if isinstance(result, str))
    conflicts = [result for result in results if isinstance(result, Conflict)]
    assert len(conflicts) == len(results) - 1
    assert {conflict.metadata["turn_id"] for conflict in conflicts} == {made}
    gate.set()
    await rig.events(made)


async def test_a_long_question_is_stored_and_the_last_turn_replaced(rig: Rig) -> None:
    first = await rig.start(LONG, idempotency_key="k")
    await rig.events(first)
    assert await rig.start(LONG, idempotency_key="k") == first
    again = await rig.regenerate(first)
    await rig.events(again)
    with pytest.raises(Conflict, match="Only the last"):
        await rig.regenerate(first)
    assert (await rig.record(again)).plan.original_question == LONG


async def test_what_memory_cannot_take_is_kept_and_given_to_it(rig: Rig) -> None:
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start()
    rig.conversations.absent = Unavailable("service_unavailable")
    gate.set()
    await rig.events(turn_id)
    assert [turn.request.turn.turn_id for turn in await rig.unstored.waiting("")] == [turn_id]
    rig.conversations.absent = None
    await rig.archive.catch_up()
    assert await rig.unstored.waiting("") == []
    ((stored,),) = rig.conversations.stored.values()
    assert stored.turn_id == turn_id


async def test_a_deleted_conversation_leaves_nothing_even_of_a_turn_that_ends_at_that_moment(rig: Rig) -> None:
    gate = asyncio.Event()
    rig.executor.events = (gate, *ANSWER)
    turn_id = await rig.start("The secret?")
    gate.set()
    await asyncio.gather(rig.events(turn_id), rig.deleted(next(iter(rig.conversations.owners))))
    rig.clock.jumped += 10 * SECOND
    async with asyncio.timeout(30):
        while await rig.left(turn_id, "secret"):
            await rig.deletions.clear()
            await asyncio.sleep(0.01)
    assert turn_id not in rig.log.streams
    with pytest.raises(NotFound):
        await rig.replay(turn_id)


async def test_a_lease_goes_by_the_servers_clock(rig: Rig) -> None:
    rig.executor.events = (asyncio.Event(),)
    turn_id = await rig.start()
    await asyncio.wait_for(until(lambda: len(rig.log.streams[turn_id]) >= 5), 30)
    heir = Rig(rig.database, rig.log, rig.conversations)
    assert not await heir.store.take_over("heir")
    assert await heir.store.renew("nobody", [turn_id]) == {}
    await lose(rig, turn_id)
    async with heir.own.running():
        events = await finished(heir, turn_id)
    assert events[-1].done.finish_reason == "stop"


async def test_of_replicas_that_look_at_once_one_takes_a_turn_over(rig: Rig) -> None:
    rig.executor.events = (asyncio.Event(),)
    turns = [await rig.start(f"{number}?") for number in range(3)]
    others = [Rig(rig.database, rig.log, rig.conversations) for _ in range(4)]
    for _ in range(5):
        for turn_id in turns:
            await lose(rig, turn_id)
        found = await asyncio.gather(*(other.store.take_over(f"heir-{at}") for at, other in enumerate(others)))
        assert sorted(row.turn_id for rows in found for row in rows) == sorted(turns)


async def test_an_id_that_no_column_holds_is_refused(rig: Rig) -> None:
    with pytest.raises((NotFound, InvalidInput)):
        await rig.events("a\0b")
