"""Turns, spans and sums on a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer

from services.trace.tests.trace_rig import ANNA, BEN, NOON, OTHER_TRACE, ROOT, TRACE, Rig
from superagent.orchestrator.v1 import events_pb2
from superagent_common.db import Database
from superagent_common.errors import Forbidden, InvalidInput, NotFound
from superagent_common.ids import new_id
from superagent_trace.adapters.sql_traces import record_turn
from tests.support.databases import new_database


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with Database.opened(await new_database("superagent_trace", tmp_path), tracer=NoOpTracer()) as database:
        yield Rig(database)


async def test_a_turn_comes_with_the_spans_of_its_trace(rig: Rig) -> None:
    turn_id = await rig.record()
    await rig.export("POST /chat", "StartTurn")
    await rig.export("POST /chat", "StartTurn")
    turn, spans = await rig.traces.turn(ANNA, turn_id)
    assert events_pb2.TurnRecord.FromString(turn.record).stages[0].name == "plan"
    assert [(span.name, span.service, span.kind, span.duration_us, span.attributes["n"]) for span in spans] == [
        ("POST /chat", "gateway", "server", 2500, "1"),
        ("StartTurn", "gateway", "server", 2500, "2"),
    ]


async def test_spans_that_are_sent_again_are_there_once(rig: Rig) -> None:
    turn_id = await rig.record()
    await rig.export("a", "b")
    await rig.export("a", "b", "c")
    _, spans = await rig.traces.turn(ANNA, turn_id)
    assert [span.name for span in spans] == ["a", "b", "c"]


async def test_the_same_turn_again_replaces_its_record(rig: Rig) -> None:
    turn_id = await rig.record()
    turn, _ = await rig.traces.turn(ANNA, turn_id)
    async with rig.database.write() as connection:
        await record_turn(connection, turn, NOON)
    assert len((await rig.traces.turns(ANNA, "", 0, ""))[0]) == 1


async def test_another_persons_turn_is_as_good_as_unknown_but_not_to_an_administrator(rig: Rig) -> None:
    turn_id = await rig.record()
    for wanted in (turn_id, new_id()):
        with pytest.raises(NotFound):
            await rig.traces.turn(BEN, wanted)
    assert (await rig.traces.turns(BEN, "", 0, ""))[0] == []
    assert (await rig.traces.turn(ROOT, turn_id))[0].turn_id == turn_id


async def test_turns_are_listed_newest_first_page_by_page(rig: Rig) -> None:
    ids = [await rig.record(at=NOON + number, conversation=f"c{number % 2}") for number in range(5)]
    first, cursor = await rig.traces.turns(ANNA, "", 3, "")
    rest, end = await rig.traces.turns(ANNA, "", 3, cursor)
    assert [turn.turn_id for turn in (*first, *rest)] == ids[::-1] and end == ""
    assert [turn.turn_id for turn in (await rig.traces.turns(ANNA, "c1", 0, ""))[0]] == [ids[3], ids[1]]


async def test_usage_is_summed_by_day_person_and_model(rig: Rig) -> None:
    day = 86_400 * 1_000_000
    await rig.record(tokens=10)
    await rig.record(tokens=20)
    await rig.record(at=NOON - day)
    await rig.record(BEN)
    rows = await rig.traces.usage(ANNA, "", "")
    assert [(row.day, row.turns, row.input_tokens, row.cost) for row in rows] == [
        ("2026-03-04", 1, 10, 0.5),
        ("2026-03-05", 2, 30, 1.0),
    ]
    assert len(await rig.traces.usage(ROOT, "2026-03-05", "2026-03-05")) == 2
    for bad in (("yesterday", ""), ("2026-03-06", "2026-03-05"), ("2020-01-01", "2026-01-01")):
        with pytest.raises(InvalidInput):
            await rig.traces.usage(ANNA, *bad)


async def test_health_is_for_administrators(rig: Rig) -> None:
    await rig.export("a", "b", service="gateway")
    await rig.export("c", service="memory", failed=True)
    rows = await rig.traces.health(ROOT)
    assert [(row.service, row.calls, row.failures) for row in rows] == [("gateway", 2, 0), ("memory", 1, 1)]
    with pytest.raises(Forbidden):
        await rig.traces.health(ANNA)


async def test_old_spans_are_forgotten_and_turns_stay(rig: Rig) -> None:
    turn_id = await rig.record()
    await rig.export("old")
    await rig.store.forget(NOON + 10, NOON)
    assert (await rig.traces.turn(ANNA, turn_id))[1] == []


async def test_of_a_deleted_conversation_only_the_figures_stay(rig: Rig) -> None:
    turn_id = await rig.record(question="the secret")
    other = await rig.record(conversation="c2", trace_id=OTHER_TRACE)
    await rig.export("a", trace_id=TRACE)
    await rig.export("b", service="memory", trace_id=OTHER_TRACE)
    before = await rig.traces.usage(ANNA, "", "")
    await rig.delete()
    await rig.delete()
    for who in (ANNA, ROOT):
        with pytest.raises(NotFound):
            await rig.traces.turn(who, turn_id)
        assert [turn.turn_id for turn in (await rig.traces.turns(who, "", 0, ""))[0]] == [other]
        assert (await rig.traces.turns(who, "c1", 0, ""))[0] == []
    assert [span.name for span in (await rig.traces.turn(ANNA, other))[1]] == ["b"]
    assert await rig.traces.usage(ANNA, "", "") == before
    assert await rig.says("secret", TRACE) == []


async def test_what_comes_after_the_deletion_does_not_bring_it_back(rig: Rig) -> None:
    await rig.delete()
    turn_id = await rig.record(question="the secret")
    await rig.export("late", trace_id=TRACE)
    await rig.export("other", service="memory", trace_id=OTHER_TRACE)
    with pytest.raises(NotFound):
        await rig.traces.turn(ANNA, turn_id)
    assert [row.turns for row in await rig.traces.usage(ANNA, "", "")] == [1]
    assert await rig.says("secret", TRACE) == []
    assert await rig.says(OTHER_TRACE) == [OTHER_TRACE]


async def test_a_trace_that_another_turn_shares_keeps_its_spans(rig: Rig) -> None:
    await rig.record()
    other = await rig.record(BEN, conversation="c2")
    await rig.export("a")
    await rig.delete()
    await rig.export("b", service="memory")
    assert [span.name for span in (await rig.traces.turn(BEN, other))[1]] == ["a", "b"]


async def test_deletions_are_remembered_as_long_as_wanted(rig: Rig) -> None:
    await rig.delete()
    await rig.store.forget(0, NOON)
    kept = await rig.record()
    with pytest.raises(NotFound):
        await rig.traces.turn(ANNA, kept)
    await rig.store.forget(0, NOON + 1)
    assert (await rig.traces.turn(ANNA, await rig.record()))[0].conversation_id == "c1"
