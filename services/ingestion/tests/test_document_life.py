"""Documents that are processed again, deleted and watched; on a real database with fakes around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from pathlib import Path

import pytest
from sqlalchemy import func, select

from services.ingestion.tests.ingestion_rig import ANNA, BEN, Rig, ingestion_rig, ready, said
from superagent_common.errors import Conflict, NotFound, Unavailable
from superagent_ingestion.adapters import tables
from superagent_ingestion.application.changes import Change
from superagent_ingestion.domain.documents import Document, Metadata
from superagent_ingestion.domain.rejection import DocumentRejected


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def rows(rig: Rig, document_id: str) -> dict[str, int]:
    """Rows of a document in each table that has some."""
    counts = {}
    async with rig.database.read() as connection:
        for table in (tables.documents, tables.document_stages, tables.document_log, tables.jobs, tables.uploads):
            wanted = select(func.count()).select_from(table).where(table.c.document_id == document_id)
            if count := await connection.scalar(wanted):
                counts[table.name] = count
    return counts


async def test_a_document_is_read_and_cut_again_as_a_new_generation(rig: Rig) -> None:
    document_id = await ready(rig)
    begun = await rig.reprocessing.begin(ANNA, document_id)
    assert (begun.state, begun.answering, begun.waiting_reason, begun.progress) == ("uploaded", True, "queued", 5)
    assert [(stage.name, stage.state) for stage in begun.stages] == [
        ("upload", "completed"),
        *((name, "pending") for name in ("parse", "strategy", "chunk", "index")),
    ]
    await rig.sweeper.hint()
    assert len(rig.hints.take()) >= 1
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert document.state == "ready" and rig.parser.parsed == 2
    first, second = rig.index.generations[document_id]
    assert first != second == document.generation


async def test_what_failed_may_be_processed_again(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.parser.hindrance = DocumentRejected("encrypted", "The file needs a password.")
    await rig.pipeline().run(document_id)
    rig.parser.hindrance = None
    assert (await rig.reprocessing.begin(ANNA, document_id)).failure is None
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"


async def test_what_is_being_processed_is_busy(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    with pytest.raises(Conflict) as refused:
        await rig.reprocessing.begin(ANNA, document_id)
    assert refused.value.reason == "document_busy"


async def test_of_two_at_once_one_is_refused(rig: Rig) -> None:
    document_id = await ready(rig)
    outcomes = await asyncio.gather(
        *(rig.reprocessing.begin(ANNA, document_id) for _ in range(2)), return_exceptions=True
    )
    assert [type(outcome) for outcome in sorted(outcomes, key=lambda each: isinstance(each, Conflict))] == [
        Document,
        Conflict,
    ]
    await rig.pipeline().run(document_id)
    assert len(rig.index.generations[document_id]) == 2


async def test_a_reprocessing_that_fails_leaves_the_old_answer_and_says_why(rig: Rig) -> None:
    document_id = await ready(rig)
    before = await rig.document(document_id)
    await rig.reprocessing.begin(ANNA, document_id)
    rig.parser.hindrance = DocumentRejected("encrypted", "The file needs a password.")
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.state, document.answering, document.progress) == ("ready", True, 100)
    assert document.failure is not None and document.failure.reason == "encrypted"
    assert (document.children, document.parents) == (before.children, before.parents)
    assert document.stage("parse").state == "failed"
    assert rig.index.generations[document_id] == [before.generation]
    log = [(entry.level, entry.message) for entry in await rig.documents.log(ANNA, document_id)]
    assert log[-2:] == [
        ("error", "The file needs a password."),
        ("warning", "The chunks from before go on answering."),
    ]
    assert await rig.topics() == ["uploaded", "indexed", "failed"]
    # It can be tried again, by processing and by choosing the strategy it already has.
    rig.parser.hindrance = None
    await rig.reprocessing.begin(ANNA, document_id)
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).failure is None


async def test_a_change_during_a_reprocessing_that_fails_holds(rig: Rig) -> None:
    document_id = await ready(rig, is_public=True)
    await rig.reprocessing.begin(ANNA, document_id)
    await rig.changes.change(ANNA, document_id, Change(is_public=False))
    assert not said(rig, document_id).is_public
    rig.parser.hindrance = DocumentRejected("encrypted", "The file needs a password.")
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).indexed_revision == 2


async def test_a_deletion_leaves_nothing(rig: Rig) -> None:
    document_id = await ready(rig)
    await rig.documents.delete(ANNA, document_id)
    assert await rows(rig, document_id) == {}
    assert rig.objects.objects == {}
    assert (rig.index.generations, rig.index.said) == ({}, {})


async def test_the_same_file_may_come_again_at_once_even_with_the_same_key(rig: Rig) -> None:
    first = await ready(rig)
    rig.index.hindrance = Unavailable("service_unavailable")
    await rig.documents.delete(ANNA, first)
    rig.index.hindrance = None
    second = await ready(rig)
    assert second != first
    url = "https://example.com/a"
    imported = await rig.imports.create(ANNA, url, Metadata(), "key", False)
    await rig.documents.delete(ANNA, imported)
    assert await rig.imports.create(ANNA, url, Metadata(), "key", False) != imported


STAGES = ["parse", "strategy", "chunk", "index"]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("dies", [False, True])
async def test_a_deletion_at_any_stage_leaves_nothing(rig: Rig, stage: str, dies: bool) -> None:
    """Also when the worker wrote something after the deletion and died before it could clean up."""
    document_id = await rig.upload(b"text")
    worker = rig.pipeline()
    begin = worker.progress.begin
    stopped = asyncio.Event()

    async def delete_then(wanted: str, name: str, *arguments: object) -> bool:
        began = await begin(wanted, name, *arguments)  # type: ignore[arg-type]
        if name == stage:
            await rig.documents.delete(ANNA, document_id)
            with pytest.raises(NotFound):
                await rig.documents.get(ANNA, document_id)
            if dies:
                for key in (f"documents/{document_id}", f"parsed/{document_id}"):
                    rig.objects.objects[key] = b"late"
                rig.index.generations[document_id] = ["late"]
                stopped.set()
                await asyncio.Event().wait()
        return began

    worker.progress.begin = delete_then  # type: ignore[method-assign, assignment]
    running = asyncio.create_task(worker.run(document_id))
    if dies:
        await stopped.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await rig.sweeper.clean()
        rig.clock.pass_(16)
        await rig.sweeper.clean()
    else:
        await running
    assert await rows(rig, document_id) == {}
    assert rig.objects.objects == {} and rig.index.generations == {}
    assert (await rig.topics())[-1] == "deleted" and (await rig.topics()).count("deleted") == 1


class Looks:
    """How often the store was looked at for changes."""

    def __init__(self, rig: Rig) -> None:
        self.count = 0
        self._look = rig.store.changes
        self._looked = asyncio.Condition()
        rig.store.changes = self._counted  # type: ignore[method-assign]

    async def _counted(self, owner_id: str) -> Mapping[str, int]:
        seen = await self._look(owner_id)
        async with self._looked:
            self.count += 1
            self._looked.notify_all()
        return seen

    async def until(self, count: int) -> None:
        async with asyncio.timeout(120), self._looked:
            await self._looked.wait_for(lambda: self.count >= count)


async def test_changes_of_own_documents_are_seen_as_they_happen(rig: Rig) -> None:
    foreign, old = await rig.upload(b"foreign", BEN), await ready(rig)
    looks = Looks(rig)
    async with aclosing(rig.watching.changes(ANNA)) as changes:
        first = asyncio.ensure_future(anext(changes))
        await looks.until(3)
        assert not first.done(), "nothing has happened"
        rig.clock.pass_(1)
        await rig.changes.change(BEN, foreign, Change(title="x"))
        await rig.changes.change(ANNA, old, Change(title="Changed"))
        document_id, document = await asyncio.wait_for(first, 120)
        assert document is not None and (document_id, document.title) == (old, "Changed")
        await rig.documents.delete(ANNA, old)
        assert await asyncio.wait_for(anext(changes), 120) == (old, None)
        new = await rig.upload(b"new")
        document_id, document = await asyncio.wait_for(anext(changes), 120)
        assert document is not None and (document_id, document.state) == (new, "uploaded")


async def test_many_who_watch_look_once_and_nobody_does_when_none_does(rig: Rig) -> None:
    looks = Looks(rig)
    watchers = [rig.watching.changes(ANNA) for _ in range(5)]
    waiting = [asyncio.ensure_future(anext(watcher)) for watcher in watchers]
    await looks.until(len(watchers) + 1)
    document_id = await rig.upload(b"text")
    assert {(await asyncio.wait_for(each, 120))[0] for each in waiting} == {document_id}
    began = looks.count
    await asyncio.sleep(0.1)
    assert looks.count - began <= 12, "ten periods, one look each"
    for watcher in watchers:
        await watcher.aclose()
    began = looks.count
    await asyncio.sleep(0.05)
    assert looks.count == began
