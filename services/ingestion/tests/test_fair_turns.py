"""Whose document is next: workers are shared between persons, however many documents one of them has."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.ingestion.tests.ingestion_rig import ANNA, BEN, Rig, ingestion_rig
from superagent_common.errors import Unavailable
from superagent_common.identity import Principal
from superagent_common.telemetry import current_trace_id
from superagent_ingestion.domain.documents import Document

CARL = Principal("carl-id", "carl", ("user",))


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def upload(rig: Rig, who: Principal, *contents: str) -> list[str]:
    """Documents of a person, a second apart."""
    ids = []
    for content in contents:
        rig.clock.pass_(1)
        ids.append(await rig.upload(content.encode(), who))
    return ids


def many(number: int) -> list[str]:
    return [f"text {each}" for each in range(number)]


async def next_job(rig: Rig, worker: str) -> str:
    job = await rig.jobs.claim(worker)
    assert job is not None
    return job.document_id


async def test_a_free_worker_takes_the_document_of_who_has_none_running(rig: Rig) -> None:
    annas = await upload(rig, ANNA, *many(20))
    (bens,) = await upload(rig, BEN, "text")
    assert [await next_job(rig, "one"), await next_job(rig, "two"), await next_job(rig, "three")] == [
        annas[0],
        bens,
        annas[1],
    ]


async def test_one_worker_serves_everybody_in_turns(rig: Rig) -> None:
    for who in (ANNA, BEN, CARL):
        await upload(rig, who, *many(5))
    done: list[str] = []

    async def note(document: Document) -> None:
        done.append(document.owner_id)
        rig.clock.pass_(1)

    rig.index.hindrance = note
    while await rig.pipeline().run_next():
        pass
    assert [Counter(done[first : first + 3]) for first in range(0, 15, 3)] == [
        Counter({"anna-id": 1, "ben-id": 1, "carl-id": 1})
    ] * 5


async def test_documents_of_one_person_come_in_the_order_they_were_uploaded(rig: Rig) -> None:
    ids = await upload(rig, ANNA, *many(5))
    assert [await next_job(rig, "worker") for _ in ids] == ids
    assert await rig.jobs.claim("worker") is None


async def test_two_owners_with_many_documents_have_equal_shares_of_two_workers(rig: Rig) -> None:
    await upload(rig, ANNA, *many(60))
    await upload(rig, BEN, *many(20))
    done: list[str] = []

    async def note(document: Document) -> None:
        done.append(document.owner_id)
        rig.clock.pass_(1)
        await asyncio.sleep(0)

    rig.index.hindrance = note
    await asyncio.gather(*(rig.pipeline(name).run_due(60) for name in ("one", "two")))
    assert len(done) == 80
    assert 18 <= done[:40].count("ben-id") <= 20


async def test_a_worker_that_died_counts_as_running_only_until_its_lease_is_over(rig: Rig) -> None:
    annas = await upload(rig, ANNA, *many(3))
    assert await next_job(rig, "dead") == annas[0]
    bens = await upload(rig, BEN, *many(2))
    assert await next_job(rig, "one") == bens[0]
    rig.clock.pass_(10)
    assert await rig.jobs.renew(bens[0], "one")
    rig.clock.pass_(6)
    assert await next_job(rig, "two") == annas[0], "nobody runs Anna's: her turn, and her first one's"


async def test_a_job_runs_in_its_documents_trace(rig: Rig) -> None:
    traces: list[str] = []

    async def note(document: Document) -> None:
        traces.append(current_trace_id())

    rig.index.hindrance = note
    document_id = await rig.upload(b"text")
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    await rig.continue_trace(document_id, f"00-{trace_id}-b7ad6b7169203331-01")
    assert await rig.pipeline().run_next()
    assert traces == [trace_id]


async def test_a_document_says_that_it_is_queued_until_it_is_worked_on(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    assert (await rig.document(document_id)).waiting_reason == "queued"

    async def look(document: Document) -> None:
        assert (await rig.document(document_id)).waiting_reason == ""

    rig.index.hindrance = look
    assert await rig.pipeline().run_next()
    assert (await rig.document(document_id)).state == "ready"


async def run_long(rig: Rig, worker: str, seconds: int, *, batches: int = 3) -> list[int]:
    """Runs the next job, whose batches take so many seconds each; gives the positions that retrieval was told of."""
    told: list[int] = []

    async def index(document: Document, chunks: object, taken: object) -> int:
        total = len(chunks.children)  # type: ignore[attr-defined]
        for batch in range(batches):
            told.append(total * batch // batches)
            await taken(told[-1])  # type: ignore[operator]
            rig.clock.pass_(seconds)
            assert await rig.jobs.renew(document.document_id, worker)
        return total

    rig.index.index = index  # type: ignore[method-assign]
    assert await rig.pipeline(worker).run_next()
    return told


LONG = "\n".join(f"This is sentence {number} of a very long document." for number in range(400))


async def test_a_long_document_gives_way_to_another_persons_and_then_goes_on(rig: Rig) -> None:
    (long,) = await upload(rig, ANNA, LONG)
    (short,) = await upload(rig, BEN, "text")
    assert len(await run_long(rig, "worker", 8)) == 3
    waiting = await rig.document(long)
    assert (waiting.state, waiting.waiting_reason) == ("indexing", "others_first")
    generation, progress = waiting.generation, waiting.progress
    index = {stage.name: stage for stage in waiting.stages}["index"]
    assert index.state == "pending"
    assert (await rig.documents.log(ANNA, long))[-1].message.startswith("Lets another person's document go first")

    await run_long(rig, "worker", 0)
    assert (await rig.document(short)).state == "ready"
    assert (await rig.document(long)).state == "indexing"

    job = await rig.jobs.claim("worker")
    assert job is not None
    assert (job.document_id, job.attempts) == (long, 1), "giving way is no attempt"
    await rig.jobs.release(["worker"])
    await run_long(rig, "worker", 0)
    done = await rig.document(long)
    assert (done.state, done.generation) == ("ready", generation)
    assert progress > 50


async def test_a_document_does_not_give_way_before_it_ran_for_a_while(rig: Rig) -> None:
    (long,) = await upload(rig, ANNA, LONG)
    await upload(rig, BEN, "text")
    await run_long(rig, "worker", 4)
    assert (await rig.document(long)).state == "ready"


async def test_nobody_gives_way_to_the_same_person_or_to_who_has_as_many_running(rig: Rig) -> None:
    annas = await upload(rig, ANNA, LONG, "text")
    bens = await upload(rig, BEN, "text", "text 2")
    async with rig.only(bens[0]):
        assert await next_job(rig, "other") == bens[0]
    renew = rig.jobs.renew

    async def renew_both(document_id: str, owner: str) -> bool:
        await renew(bens[0], "other")
        return await renew(document_id, owner)

    rig.jobs.renew = renew_both  # type: ignore[method-assign]
    assert len(await run_long(rig, "worker", 9)) == 3
    assert (await rig.document(annas[0])).state == "ready"


async def test_who_gave_way_does_not_until_it_is_further_than_it_was(rig: Rig) -> None:
    (long,) = await upload(rig, ANNA, LONG)
    await upload(rig, BEN, "text", "text 2", "text 3")
    await run_long(rig, "worker", 8)
    before = await rig.document(long)
    assert before.waiting_reason == "others_first"
    rig.clock.pass_(5)
    # It is its turn again: the same batches as before do not count, however long they take.
    async with rig.only(long):
        claimed = await rig.jobs.claim("worker")
    assert claimed is not None
    assert await rig.jobs.release(["worker"]) == [long]

    async with rig.only(long):
        told = await run_long(rig, "worker", 20, batches=2)
    assert len(told) == 2
    after = await rig.document(long)
    assert after.state == "ready" or after.progress > before.progress


async def test_a_sweep_does_not_end_when_the_queue_is_away(rig: Rig) -> None:
    await rig.upload(b"text")
    rig.hints.failing = True
    with pytest.raises(Unavailable):
        await rig.sweeper.hint()
    rig.hints.failing = False
    await rig.sweeper.hint()
    assert len(rig.hints.take()) == 1


async def test_a_queued_document_says_how_many_of_ones_own_come_first(rig: Rig) -> None:
    annas = await upload(rig, ANNA, *many(3))
    (bens,) = await upload(rig, BEN, "text")
    assert await next_job(rig, "worker") == annas[0]
    found = [(await rig.document(each)).queued_before for each in (*annas, bens)]
    assert found == [0, 0, 1, 0]


async def test_a_document_that_is_tried_again_says_when(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.index.hindrance = Unavailable("index_away")
    assert await rig.pipeline().run_next()
    waiting = await rig.document(document_id)
    assert (waiting.waiting_reason, waiting.retry_at) == ("index_away", rig.clock() + 2_000_000)
    assert waiting.queued_before == 0
    rig.index.hindrance = None
    rig.clock.pass_(2)
    assert await rig.pipeline().run_next()
    assert (await rig.document(document_id)).retry_at is None
