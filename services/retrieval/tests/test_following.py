"""Two replicas on one catalogue and the same engines: one switches the embedding model, the other one follows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import astuple
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer

from services.retrieval.tests.brute_force_indexes import BruteForceKeywordIndex, BruteForceVectorIndexes
from services.retrieval.tests.retrieval_rig import (
    ANNA,
    BEN,
    LONGER,
    WORDS,
    Held,
    Rig,
    WordEmbedders,
    changed,
    document,
)
from superagent_common.db import Database
from superagent_retrieval.application.searching import Query
from superagent_retrieval.application.spaces import Space
from tests.support.databases import new_database


@asynccontextmanager
async def replicas(tmp_path: Path) -> AsyncIterator[tuple[Rig, Rig]]:
    """Both with embedders of their own; the first one is told to switch."""
    url = await new_database("superagent_retrieval", tmp_path)
    engines, keywords = BruteForceVectorIndexes(), BruteForceKeywordIndex()
    async with Database.opened(url, tracer=NoOpTracer()) as database:
        rigs = []
        for _ in range(2):
            embedders = WordEmbedders()
            first = await Space.opened(WORDS, embedders, engines)
            rigs.append(Rig(database, engines, keywords, embedders, first))
            await rigs[-1].index_catalogue.claim(WORDS)
        yield rigs[0], rigs[1]
        for rig in rigs:
            await rig.rebuilding.close()
            await rig.following.close()


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[tuple[Rig, Rig]]:
    async with replicas(tmp_path) as rigs:
        yield rigs


async def begun(rig: Rig) -> Held:
    """Begins a switch, which waits where the first passages would be embedded."""
    rig.embedders.by_model[LONGER.model].held = held = Held()
    await rig.rebuilding.rebuild(LONGER.model)
    async with asyncio.timeout(120):
        await held.reached.wait()
    return held


async def let_go(rig: Rig, held: Held) -> None:
    rig.embedders.by_model[LONGER.model].held = None
    held.released.set()
    await rig.switched()


async def test_what_the_other_replica_writes_during_a_switch_is_there_after_it(two: tuple[Rig, Rig]) -> None:
    leader, other = two
    old, shared, gone = document(), document(), document()
    for each in (old, shared, gone):
        await leader.index(each, "warranty lasts two years")
    held = await begun(leader)
    new = document()
    await other.index(new, "delivery takes a week")
    await other.generations.delete(gone.document_id)
    public = changed(shared, attributes=document(is_public=True).metadata.attributes)
    await other.generations.update(shared.document_id, public.metadata)
    await let_go(leader, held)

    # It did not look since; a write makes it look.
    late = document()
    await other.index(late, "restore takes four hours")
    assert other.spaces.answering.name == leader.spaces.answering.name == LONGER
    for rig in two:
        assert "restore takes four hours" in await rig.texts(ANNA, "restore hours")
        assert "delivery takes a week" in await rig.texts(ANNA, "delivery week")
        found = await rig.searching.search(BEN, Query("warranty"))
        assert ([each.passage.document_id for each in found.evidence], found.mode) == ([shared.document_id], "hybrid")
    index = leader.spaces.answering.index
    there = {each: await index.count(each.document_id, each.generation) for each in (old, shared, gone, new, late)}
    assert list(there.values()) == [1, 1, 0, 1, 1]


async def test_a_replica_that_only_searches_follows_when_it_looks(two: tuple[Rig, Rig]) -> None:
    leader, other = two
    await leader.index(document(), "warranty lasts two years")
    held = await begun(leader)
    await other.following.follow()
    assert (other.spaces.answering.name, other.spaces.building and other.spaces.building.name) == (WORDS, LONGER)
    await let_go(leader, held)
    await other.following.follow()
    assert (other.spaces.answering.name, other.spaces.building) == (LONGER, None)
    found = await other.searching.search(ANNA, Query("warranty years"))
    assert (found.mode, found.evidence[0].window.text) == ("hybrid", "warranty lasts two years")
    assert list(leader.indexes.kept) == [astuple(LONGER)]  # type: ignore[attr-defined]


async def test_any_replica_may_end_a_switch(two: tuple[Rig, Rig]) -> None:
    leader, other = two
    await leader.index(document(), "warranty lasts two years")
    held = await begun(leader)
    _, done = await other.rebuilding.rebuild(WORDS.model)
    assert done
    await let_go(leader, held)
    await leader.following.follow()
    for rig in two:
        assert (rig.spaces.answering.name, rig.spaces.building) == (WORDS, None)
        assert (await rig.searching.search(ANNA, Query("warranty"))).mode == "hybrid"


async def test_two_replicas_that_go_on_with_one_run_finish_it_once(two: tuple[Rig, Rig]) -> None:
    leader, other = two
    for number in range(6):
        await leader.index(document(), f"warranty lasts {number} years")
    held = await begun(leader)
    # As a replica that starts meanwhile.
    await other.rebuilding.resume()
    await other.switched()
    await let_go(leader, held)
    async with asyncio.timeout(120):
        while leader.spaces.answering.name != LONGER:
            await asyncio.sleep(0.005)
    await leader.index(document(), "restore takes four hours")
    for rig in two:
        await rig.following.follow()
        assert (rig.spaces.answering.name, rig.spaces.building) == (LONGER, None)
        assert len(await rig.texts(ANNA, "years")) == 5
    states = await leader.index_catalogue.states()
    assert (states.answering.index, states.building, states.retired) == (LONGER, None, ())
