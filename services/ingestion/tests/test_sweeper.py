"""Hints at jobs that nobody works on: soon, not again and again, and whatever became of the last hint or worker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.ingestion.tests.ingestion_rig import ANNA, Rig, ingestion_rig
from superagent_common.errors import Timeout, Unavailable
from superagent_ingestion.application.changes import Change
from superagent_ingestion.domain.documents import Document


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def test_what_is_due_is_hinted_at_and_not_again_while_the_hint_waits(rig: Rig) -> None:
    await rig.upload(b"text")
    await rig.sweeper.hint()
    await rig.sweeper.hint()
    assert len(rig.hints.take()) == 1
    await rig.upload(b"other")
    await rig.sweeper.hint()
    assert len(rig.hints.take()) == 2


async def test_hints_are_few_however_much_is_due(rig: Rig) -> None:
    for number in range(40):
        await rig.upload(b"text %d" % number)
        rig.sweeper.tell("")
    for _ in range(3):
        await rig.sweeper.hint()
    assert len(rig.hints.take()) == 8


async def test_a_hint_that_came_to_nothing_is_sent_again_as_soon_as_the_job_is_due(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    await rig.sweeper.hint()
    assert len(rig.hints.take()) == 1
    assert await rig.claim(document_id, "killed")
    await rig.sweeper.hint()
    assert rig.hints.take() == []
    rig.clock.pass_(16)
    await rig.sweeper.hint()
    assert len(rig.hints.take()) == 1


async def test_the_job_of_a_worker_that_is_gone_does_not_wait_for_its_lease(rig: Rig) -> None:
    document_id, other = await rig.upload(b"text"), await rig.upload(b"another")
    await rig.sweeper.hint()
    assert await rig.claim(document_id, "killed")
    assert await rig.claim(other, "alive")
    rig.hints.take()
    rig.departures.names.add("killed")
    assert (await rig.document(document_id)).waiting_reason == ""
    await rig.sweeper.hint()
    assert len(rig.hints.take()) == 1
    assert rig.departures.names == set()
    assert (await rig.document(document_id)).waiting_reason == "queued"
    await rig.pipeline("heir").run(document_id)
    assert (await rig.document(document_id)).state == "ready"
    assert await rig.jobs.renew(other, "alive")


async def test_a_document_that_is_deleted_is_not_given_back_by_the_death_of_its_worker(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    assert await rig.claim(document_id, "killed")
    rig.index.hindrance = Unavailable("service_unavailable")
    await rig.documents.delete(ANNA, document_id)
    rig.departures.names.add("killed")
    await rig.sweeper.hint()
    assert rig.hints.take() == []
    assert await rig.jobs.due("delete", 10) == [], "its worker may still be writing"
    rig.clock.pass_(16)
    assert await rig.jobs.due("delete", 10) == [document_id]


async def test_who_is_told_of_is_hinted_at_at_once_though_the_last_hint_failed(rig: Rig) -> None:
    rig.hints.failing = True
    await rig.upload(b"text")
    sweeper = rig.new_sweeper(every_seconds=3600)
    sweeping = asyncio.create_task(sweeper.run())
    await rig.hints.failed.wait()
    async with asyncio.timeout(120):
        rig.hints.failing = False
        sweeper.tell("the event's")
        assert await rig.hints.sent.get() == "the event's"
    sweeping.cancel()
    await asyncio.gather(sweeping, return_exceptions=True)


async def test_hints_do_not_wait_for_deletions_that_hang(rig: Rig) -> None:
    reached = asyncio.Event()
    deleted = await rig.upload(b"text")
    rig.index.hindrance = Unavailable("service_unavailable")
    await rig.documents.delete(ANNA, deleted)

    async def hang(document_id: str) -> None:
        reached.set()
        await asyncio.Event().wait()

    rig.index.delete = hang  # type: ignore[method-assign]
    running = [asyncio.create_task(work) for work in (rig.sweeper.clean_up(), rig.sweeper.run())]
    await reached.wait()
    await rig.upload(b"other")
    rig.sweeper.tell("the event's")
    async with asyncio.timeout(120):
        assert await rig.hints.sent.get() == "the event's"
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def test_a_change_does_not_wait_for_a_deletion_that_fails_nor_for_another_change(rig: Rig) -> None:
    deleted, other, private = [await rig.upload(b"text %d" % number, is_public=True) for number in range(3)]
    for document_id in (deleted, other, private):
        await rig.pipeline().run(document_id)
    rig.objects.failing = True
    await rig.documents.delete(ANNA, deleted)
    rig.index.telling = Unavailable("service_unavailable")
    for document_id in (other, private):
        with pytest.raises(Unavailable):
            await rig.changes.change(ANNA, document_id, Change(is_public=False))
    told = rig.index.update
    rig.index.telling = None

    async def too_slow(document: Document) -> None:
        if document.document_id == other:
            raise Timeout("deadline_exceeded")
        await told(document)

    rig.index.update = too_slow  # type: ignore[method-assign]
    with pytest.raises(Timeout):
        await rig.sweeper.clean()
    assert not rig.index.said[private].metadata.is_public
    assert [document.document_id for document in await rig.store.behind(10)] == [other]
    rig.index.update = told  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        await rig.sweeper.clean()
    assert await rig.store.behind(10) == []
    rig.objects.failing = False
    await rig.sweeper.clean()
    assert await rig.store.get(deleted) is None


async def test_a_lease_that_cannot_be_renewed_once_is_renewed_the_next_time(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.parser.hindrance = asyncio.Event()
    renewed: asyncio.Queue[bool] = asyncio.Queue()
    answers = iter([Unavailable("database_busy")])
    renew = rig.jobs.renew

    async def renew_the_second_time(document_id: str, owner: str) -> bool:
        if error := next(answers, None):
            raise error
        still_ours = await renew(document_id, owner)
        renewed.put_nowait(still_ours)
        return still_ours

    rig.jobs.renew = renew_the_second_time  # type: ignore[method-assign]
    running = asyncio.create_task(rig.pipeline(lease_seconds=0.03).run(document_id))
    async with asyncio.timeout(120):
        assert await renewed.get()
    rig.parser.hindrance.set()
    await running
    assert (await rig.document(document_id)).state == "ready"


async def test_a_clock_that_is_set_back_keeps_nothing_waiting(rig: Rig) -> None:
    queued, claimed, deleted = [await rig.upload(b"text %d" % number) for number in range(3)]
    assert await rig.claim(claimed, "killed")
    assert await rig.claim(deleted, "killed too")
    assert await rig.store.mark_deleting(deleted)
    rig.clock.pass_(-3600)
    await rig.sweeper.hint()
    assert len(rig.hints.take()) == 2
    await rig.sweeper.clean()
    assert await rig.store.get(deleted) is None
    worker = rig.pipeline("another")
    while await worker.run_next():
        pass
    assert [(await rig.document(each)).state for each in (queued, claimed)] == ["ready", "ready"]


async def test_a_lease_that_runs_is_not_taken_for_that_of_a_clock_that_was_set_back(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    assert await rig.claim(document_id, "alive")
    rig.clock.pass_(-40)
    await rig.sweeper.hint()
    assert rig.hints.take() == []
