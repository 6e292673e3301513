"""Ingestion on PostgreSQL and on MariaDB: what happens to documents is what happens on SQLite."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from services.ingestion.tests.ingestion_rig import ANNA, Rig, ready
from superagent_common.errors import Unavailable
from superagent_ingestion.adapters import tables
from superagent_ingestion.application.changes import Change
from tests.real.databases import EACH, opened_database


@pytest.fixture(params=EACH)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    async with opened_database(request.param, "superagent_ingestion") as database:
        yield Rig(database)


async def test_a_document_is_processed_changed_processed_again_and_deleted(rig: Rig) -> None:
    document_id = await ready(rig)
    stages = {stage.name: (stage.state, stage.attempts) for stage in (await rig.document(document_id)).stages}
    assert stages == dict.fromkeys(("upload", "parse", "strategy", "chunk", "index"), ("completed", 1))
    await rig.changes.change(ANNA, document_id, Change(title="Another", is_public=True))
    before = (await rig.document(document_id)).generation
    await rig.reprocessing.begin(ANNA, document_id)
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.state, document.title, document.indexed_revision) == ("ready", "Another", 2)
    assert document.generation not in ("", before)
    await rig.documents.delete(ANNA, document_id)
    assert await rig.store.get(document_id) is None
    assert await rig.topics() == ["uploaded", "indexed", "indexed", "indexed", "deleted"]


async def test_a_title_found_anew_is_a_new_revision(rig: Rig) -> None:
    document_id = await ready(rig)
    async with rig.database.write() as connection:
        await connection.execute(tables.documents.update().values(found_title="Before"))
    await rig.reprocessing.begin(ANNA, document_id)
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.title, document.metadata_revision, document.indexed_revision) == ("Title", 2, 2)


async def test_what_is_tried_too_often_is_given_up_and_may_be_processed_again(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.index.hindrance = Unavailable("index_unavailable", "Not now.")
    for _ in range(5):
        await rig.pipeline().run(document_id)
        rig.clock.pass_(61)
    failed = await rig.document(document_id)
    assert (failed.state, failed.failure and failed.failure.reason) == ("failed", "index_unavailable")
    rig.index.hindrance = None
    await rig.reprocessing.begin(ANNA, document_id)
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"


async def test_jobs_of_workers_that_are_gone_and_of_a_clock_set_back_are_due(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    assert await rig.claim(document_id, "gone")
    assert await rig.jobs.release(["gone"]) == [document_id]
    assert await rig.claim(document_id, "gone")
    rig.clock.pass_(-3600)
    assert await rig.jobs.recall() == [document_id]
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"
