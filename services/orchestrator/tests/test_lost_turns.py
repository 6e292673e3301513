"""An owner that stood still for longer than its lease, and turns that are stopped while they have no owner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from services.orchestrator.tests.fakes import FakeConversations, FakeEventLog, delta
from services.orchestrator.tests.turns_rig import ANNA, ANSWER, Rig, finished, lose, names, until
from superagent.orchestrator.v1 import events_pb2
from superagent_common.db import Database
from superagent_common.errors import Unavailable
from superagent_common.identity import Identity, acting_as
from superagent_orchestrator.application.lease import LEASE_SECONDS


@pytest.fixture
async def frozen(database: Database) -> AsyncIterator[Rig]:
    """A replica that renews no lease: its process stands still."""
    rig = Rig(database, FakeEventLog(), FakeConversations())
    yield rig
    for live in list(rig.own._live.values()):
        await live.close()


async def spoken(rig: Rig, gate: asyncio.Event, *rest: object) -> str:
    """A turn that has said its first word and says more once the gate is open."""
    rig.executor.events = (delta("Two "), gate, *rest)
    turn_id = await rig.start()
    async with asyncio.timeout(120):
        await until(lambda: "delta" in names(rig.log.streams[turn_id]))
    return turn_id


async def thaw(rig: Rig, gate: asyncio.Event, turn_id: str) -> None:
    """The process goes on; returns when it has nothing more to do."""
    rig.clock.passed += LEASE_SECONDS
    running = list(rig.own._tasks)
    gate.set()
    async with asyncio.timeout(120):
        await asyncio.gather(*running)


@pytest.mark.parametrize("rest", [(delta("years."), *ANSWER[2:]), ANSWER[2:], (Unavailable("model_down"),)])
async def test_an_owner_that_wakes_up_late_adds_nothing_to_what_its_heir_has_ended(
    frozen: Rig, database: Database, rest: tuple[object, ...]
) -> None:
    gate = asyncio.Event()
    turn_id = await spoken(frozen, gate, *rest)
    watching = asyncio.create_task(frozen.events(turn_id))
    await lose(frozen, turn_id)
    heir = Rig(database, frozen.log, frozen.conversations)
    async with heir.own.running():
        events = await finished(heir, turn_id)
        assert events[-1].error.reason == "interrupted"
        await thaw(frozen, gate, turn_id)
        with pytest.raises(Unavailable, match="Another replica"):
            await watching
        # Whoever comes again at the late one gets what the heir has written.
        assert await frozen.events(turn_id) == events == frozen.log.streams[turn_id]
    third = Rig(database, frozen.log, frozen.conversations)
    assert (await third.record(turn_id)).error.reason == "interrupted"
    ((stored,),) = frozen.conversations.stored.values()
    assert stored.state == events_pb2.TURN_STATE_FAILED
    assert len(await third.outbox_topics()) == 1


async def test_an_owner_that_wakes_up_before_anybody_took_its_turn_goes_on(frozen: Rig) -> None:
    gate = asyncio.Event()
    turn_id = await spoken(frozen, gate, *ANSWER[1:])
    await thaw(frozen, gate, turn_id)
    events = await frozen.events(turn_id)
    assert events[-1].done.finish_reason == "stop" and frozen.log.streams[turn_id] == events


async def test_a_late_owner_says_nothing_until_the_store_answers(frozen: Rig) -> None:
    gate, renew = asyncio.Event(), frozen.store.renew
    refused: list[str] = []

    async def absent(owner: str, turn_ids: Sequence[str]) -> Mapping[str, bool]:
        if len(refused) < 2:
            refused.append(owner)
            raise Unavailable("database_unavailable")
        return await renew(owner, turn_ids)

    turn_id = await spoken(frozen, gate, *ANSWER[1:])
    frozen.store.renew = absent  # type: ignore[method-assign]
    await thaw(frozen, gate, turn_id)
    assert len(refused) == 2
    assert frozen.log.streams[turn_id][-1].done.finish_reason == "stop"


async def test_renewing_finds_out_that_a_turn_is_lost(frozen: Rig, database: Database) -> None:
    gate = asyncio.Event()
    turn_id = await spoken(frozen, gate)
    await lose(frozen, turn_id)
    heir = Rig(database, frozen.log, frozen.conversations)
    async with heir.own.running():
        events = await finished(heir, turn_id)
        async with frozen.own.running(), asyncio.timeout(120):
            await until(lambda: frozen.executor.closed == 1)
        assert frozen.log.streams[turn_id] == events


async def test_a_turn_that_is_stopped_while_its_owner_is_dead_is_not_run_again(frozen: Rig, database: Database) -> None:
    frozen.executor.events = (asyncio.Event(),)
    turn_id = await frozen.start()
    async with asyncio.timeout(120):
        await until(lambda: len(frozen.log.streams[turn_id]) >= 5)
    await lose(frozen, turn_id)
    heir = Rig(database, frozen.log, frozen.conversations)
    with acting_as(Identity(ANNA)):
        await heir.turns.cancel(turn_id)
    async with heir.own.running():
        events = await finished(heir, turn_id)
    assert events[-1].done.finish_reason == "cancelled"
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert heir.executor.plans == []
    ((stored,),) = frozen.conversations.stored.values()
    assert (stored.state, stored.answer) == (events_pb2.TURN_STATE_CANCELLED, "")


async def test_a_stop_whose_signal_is_lost_reaches_the_owner_all_the_same(rig: Rig, database: Database) -> None:
    rig.executor.events = (delta("Two "), asyncio.Event())
    turn_id = await rig.start()
    other = Rig(database, rig.log, rig.conversations)
    with acting_as(Identity(ANNA)):
        await other.turns.cancel(turn_id)
    await rig.own._renew([live for live in rig.own._live.values() if live.begun])
    assert (await rig.events(turn_id))[-1].done.finish_reason == "cancelled"
