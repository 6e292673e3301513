"""Changes of what is said of a document, at whatever moment they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path

import pytest
from sqlalchemy import update

from services.ingestion.tests.ingestion_rig import ANNA, BEN, Rig, ingestion_rig, ready, said
from superagent_common.errors import InvalidInput, NotFound, Unavailable
from superagent_common.ids import new_id
from superagent_ingestion.adapters import tables
from superagent_ingestion.application.changes import Change
from superagent_ingestion.domain.documents import Document, Metadata


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def test_a_change_is_in_the_row_and_in_the_indexes_when_it_answers(rig: Rig) -> None:
    document_id = await ready(rig, tags=("old",), is_public=True)
    change = Change(title="New", tags=("a", "b"), org_tag="sales", is_public=False)
    changed = await rig.changes.change(ANNA, document_id, change)
    assert (changed.title, changed.metadata.tags, changed.metadata.org_tag) == ("New", ("a", "b"), "sales")
    assert (changed.metadata_revision, changed.indexed_revision, changed.state) == (2, 2, "ready")
    assert said(rig, document_id) == changed.metadata and not changed.metadata.is_public
    assert await rig.topics() == ["uploaded", "indexed", "indexed"]
    log = [entry.message for entry in await rig.documents.log(ANNA, document_id)]
    assert log[-1] == "Changed: title, tags, org tag, who may read it."


async def test_what_is_not_named_stays(rig: Rig) -> None:
    document_id = await ready(rig, title="Mine", tags=("old",), is_public=True)
    changed = await rig.changes.change(ANNA, document_id, Change(tags=()))
    assert (changed.title, changed.metadata.tags, changed.metadata.is_public) == ("Mine", (), True)


async def test_an_empty_title_is_the_documents_own(rig: Rig) -> None:
    document_id = await ready(rig, title="Mine")
    assert (await rig.changes.change(ANNA, document_id, Change(title=""))).title == "Title"


async def test_the_same_again_is_no_change(rig: Rig) -> None:
    document_id = await ready(rig, title="Mine")
    again = await rig.changes.change(ANNA, document_id, Change(title="Mine", is_public=False))
    assert again.metadata_revision == 1 and await rig.topics() == ["uploaded", "indexed"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (Change(title="x" * 301), "invalid_title"),
        (Change(title="a\nb"), "invalid_title"),
        (Change(tags=("",)), "invalid_tags"),
        (Change(tags=tuple(map(str, range(33)))), "invalid_tags"),
        (Change(title=" \u3000"), "invalid_title"),
        (Change(title="\u202efdp.exe"), "invalid_title"),
        (Change(tags=("a\x00b",)), "invalid_tags"),
        (Change(tags=(" ",)), "invalid_tags"),
        (Change(org_tag="finance"), "unknown_org_tag"),
    ],
)
async def test_what_an_upload_may_not_say_a_change_may_not(rig: Rig, change: Change, reason: str) -> None:
    document_id = await ready(rig)
    before = await rig.document(document_id)
    with pytest.raises(InvalidInput) as refused:
        await rig.changes.change(ANNA, document_id, change)
    assert refused.value.reason == reason
    assert await rig.document(document_id) == before


async def test_what_was_said_under_older_rules_keeps_nobody_from_making_it_private(rig: Rig) -> None:
    document_id = await ready(rig, is_public=True)
    async with rig.database.write() as connection:
        old = {**asdict(Metadata(is_public=True)), "tags": ["a\x00b"]}
        await connection.execute(update(tables.documents).values(metadata=old))
    changed = await rig.changes.change(ANNA, document_id, Change(is_public=False))
    assert not changed.metadata.is_public and changed.metadata.tags == ("a\x00b",)
    assert not said(rig, document_id).is_public


async def test_an_org_tag_that_it_has_already_may_stay(rig: Rig) -> None:
    document_id = await ready(rig, org_tag="sales")
    moved = type(ANNA)(ANNA.user_id, "anna", ("user",), ())
    assert (await rig.changes.change(moved, document_id, Change(org_tag="sales", title="x"))).title == "x"


async def test_anothers_document_is_as_unknown_as_none(rig: Rig) -> None:
    """Also a public one, which may be read."""
    document_id = await ready(rig, is_public=True)
    refusals = set()
    for wanted in (document_id, new_id(), "", "../x"):
        for call in (
            rig.changes.change(BEN, wanted, Change(title="x")),
            rig.changes.change(BEN, wanted, Change(title="x" * 301)),
            rig.changes.change(BEN, wanted, Change(org_tag="nowhere")),
            rig.reprocessing.begin(BEN, wanted),
            rig.documents.delete(BEN, wanted),
        ):
            with pytest.raises(NotFound) as refused:
                await call
            refusals.add((refused.value.reason, refused.value.message))
    assert len(refusals) == 1


async def test_a_change_that_the_indexes_cannot_hear_is_kept_and_finished_later(rig: Rig) -> None:
    document_id = await ready(rig, is_public=True)
    rig.index.telling = Unavailable("service_unavailable")
    with pytest.raises(Unavailable) as refused:
        await rig.changes.change(ANNA, document_id, Change(is_public=False))
    assert refused.value.reason == "index_unavailable"
    kept = await rig.document(document_id)
    assert not kept.metadata.is_public and (kept.metadata_revision, kept.indexed_revision) == (2, 1)
    with pytest.raises(Unavailable):
        await rig.sweeper.clean()
    rig.index.telling = None
    await rig.sweeper.clean()
    assert not said(rig, document_id).is_public
    assert (await rig.document(document_id)).indexed_revision == 2
    assert await rig.store.behind(10) == []


async def test_a_change_before_the_indexes_know_the_document_is_in_its_first_run(rig: Rig) -> None:
    document_id = await rig.upload(b"text", is_public=True)
    rig.index.telling = RuntimeError("nothing to tell")
    changed = await rig.changes.change(ANNA, document_id, Change(is_public=False, title="Now"))
    assert (changed.state, changed.title) == ("uploaded", "Now")
    await rig.pipeline().run(document_id)
    assert not said(rig, document_id).is_public
    assert (await rig.document(document_id)).indexed_revision == 2


async def test_a_change_while_it_is_parsed_is_in_its_run(rig: Rig) -> None:
    document_id = await rig.upload(b"text", is_public=True)
    rig.parser.hindrance = asyncio.Event()
    running = asyncio.create_task(rig.pipeline().run(document_id))
    while not rig.parser.parsed:
        await asyncio.sleep(0)
    rig.index.telling = RuntimeError("nothing to tell")
    await rig.changes.change(ANNA, document_id, Change(is_public=False))
    rig.parser.hindrance.set()
    await running
    assert not said(rig, document_id).is_public


@pytest.mark.parametrize("reached", [True, False])
async def test_a_change_while_it_is_indexed_holds_when_it_answers(rig: Rig, reached: bool) -> None:
    document_id = await rig.upload(b"text", is_public=True)

    async def change(document: Document) -> None:
        rig.index.telling = None if reached else Unavailable("service_unavailable")
        try:
            await rig.changes.change(ANNA, document_id, Change(is_public=False))
        except Unavailable:
            assert not reached
        rig.index.telling = None

    rig.index.hindrance = change
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert document.state == "ready" and not document.metadata.is_public
    assert not said(rig, document_id).is_public
    await rig.sweeper.clean()
    assert (await rig.document(document_id)).indexed_revision == 2


async def test_a_title_found_anew_is_a_new_revision(rig: Rig) -> None:
    document_id = await ready(rig)
    async with rig.database.write() as connection:
        await connection.execute(tables.documents.update().values(found_title="Before"))
    await rig.reprocessing.begin(ANNA, document_id)
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.title, document.metadata_revision, document.indexed_revision) == ("Title", 2, 2)
