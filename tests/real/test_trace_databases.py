"""Trace on PostgreSQL and on MariaDB: what is kept of turns is what is kept on SQLite."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from services.trace.tests.trace_rig import ANNA, NOON, Rig
from superagent.orchestrator.v1 import events_pb2
from tests.real.databases import EACH, opened_database


@pytest.fixture(params=EACH)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    async with opened_database(request.param, "superagent_trace") as database:
        yield Rig(database)


async def test_a_turn_of_any_length_is_kept_whole(rig: Rig) -> None:
    question = "long " * 40_000
    turn_id = await rig.record(question=question)
    kept, _ = await rig.traces.turn(ANNA, turn_id)
    assert events_pb2.TurnRecord.FromString(kept.record).plan.original_question == question


async def test_a_deleted_conversation_is_gone_and_its_figures_are_not(rig: Rig) -> None:
    await rig.record(question="secret", tokens=10)
    await rig.export("search")
    await rig.delete()
    await rig.record(question="secret", tokens=5)
    await rig.export("later")
    assert await rig.says("secret", "search", "later") == []
    (row,) = await rig.store.usage(ANNA.user_id, NOON, NOON + 1)
    assert (row.turns, row.input_tokens) == (2, 15)
