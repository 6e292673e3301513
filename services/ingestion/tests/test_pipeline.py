"""Jobs: stages, retries, deaths, deletions; on a real database with a clock that moves when told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.ingestion.tests.ingestion_rig import ANNA, BEN, Rig, ingestion_rig
from superagent_common.errors import InvalidInput, NotFound, Unavailable
from superagent_common.identity import Principal
from superagent_ingestion.domain.documents import Document
from superagent_ingestion.domain.rejection import DocumentRejected


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def test_a_document_goes_through_its_stages(rig: Rig) -> None:
    document_id = await rig.upload(b"The warranty lasts two years.", name="warranty.txt")
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.state, document.progress, document.title) == ("ready", 100, "Title")
    assert (document.children, document.parents, document.strategy) == (1, 1, "structure+recursive")
    assert [(stage.name, stage.state, stage.attempts) for stage in document.stages] == [
        (name, "completed", 1) for name in ("upload", "parse", "strategy", "chunk", "index")
    ]
    assert rig.index.generations[document_id] == [document.generation]
    assert await rig.topics() == ["uploaded", "indexed"]
    log = [entry.stage for entry in await rig.documents.log(ANNA, document_id)]
    assert log == ["upload", "parse", "strategy", "chunk", "index"]


async def test_a_title_that_was_given_stays(rig: Rig) -> None:
    document_id = await rig.upload(b"text", title="My own")
    await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).title == "My own"


async def test_a_finished_job_is_not_run_again(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    await rig.pipeline().run(document_id)
    await rig.pipeline("other").run(document_id)
    await rig.pipeline().run("01990000-0000-7000-8000-000000000000")
    assert rig.parser.parsed == 1


async def test_two_hints_at_once_run_one_job(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    await asyncio.gather(rig.pipeline("one").run(document_id), rig.pipeline("two").run(document_id))
    assert rig.parser.parsed == 1 and len(rig.index.generations[document_id]) == 1


async def test_a_file_that_is_at_fault_fails_at_once_with_its_reason(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.parser.hindrance = DocumentRejected("encrypted", "The file needs a password.")
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert document.state == "failed" and document.failure is not None
    assert (document.failure.stage, document.failure.reason) == ("parse", "encrypted")
    assert document.failure.message == "The file needs a password."
    assert await rig.topics() == ["uploaded", "failed"]
    assert await rig.jobs.due("ingest", 10) == []


async def test_content_that_is_not_what_was_announced_fails(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.objects.objects[f"documents/{document_id}"] = b"other"
    await rig.pipeline().run(document_id)
    failure = (await rig.document(document_id)).failure
    assert failure is not None and failure.reason == "hash_mismatch"


async def test_what_may_pass_is_tried_again_and_says_why_it_waits(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.index.hindrance = Unavailable("embedder_down")
    await rig.pipeline().run(document_id)
    waiting = await rig.document(document_id)
    assert (waiting.state, waiting.waiting_reason, waiting.failure) == ("indexing", "embedder_down", None)
    await rig.pipeline().run(document_id)
    assert rig.parser.parsed == 1, "not due yet"
    rig.clock.pass_(3)
    rig.index.hindrance = None
    await rig.pipeline().run(document_id)
    ready = await rig.document(document_id)
    assert (ready.state, ready.waiting_reason) == ("ready", "")
    assert ready.stages[-1].attempts == 2


async def test_after_five_tries_it_fails_with_the_last_reason(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.objects.failing = True
    for _ in range(5):
        await rig.pipeline().run(document_id)
        rig.clock.pass_(61)
    document = await rig.document(document_id)
    assert document.state == "failed" and document.failure is not None
    assert (document.failure.stage, document.failure.reason) == ("parse", "object_store_unavailable")
    assert await rig.topics() == ["uploaded", "failed"]


async def test_a_fault_of_ours_shows_no_text_of_it(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.parser.hindrance = RuntimeError("secret")
    for _ in range(5):
        await rig.pipeline().run(document_id)
        rig.clock.pass_(61)
    failure = (await rig.document(document_id)).failure
    assert failure is not None and failure.reason == "internal_error" and "secret" not in failure.message


async def test_a_worker_that_dies_is_replaced_when_its_lease_is_over(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    rig.parser.hindrance = asyncio.Event()
    dying = asyncio.create_task(rig.pipeline("dying").run(document_id))
    async with asyncio.timeout(120):
        while not rig.parser.parsed:
            await asyncio.sleep(0)
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    rig.parser.hindrance = None
    await rig.pipeline("heir").run(document_id)
    assert (await rig.document(document_id)).state == "parsing"
    rig.clock.pass_(16)
    assert await rig.jobs.due("ingest", 10) == [document_id]
    await rig.pipeline("heir").run(document_id)
    assert (await rig.document(document_id)).state == "ready"


async def test_a_file_that_kills_every_worker_fails_in_the_end(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    for number in range(5):
        assert await rig.claim(document_id, f"killed-{number}")
        rig.clock.pass_(16)
    await rig.pipeline().run(document_id)
    failure = (await rig.document(document_id)).failure
    assert failure is not None and failure.reason == "unreadable" and rig.parser.parsed == 0


async def test_a_worker_that_lost_its_lease_writes_nothing_more(rig: Rig) -> None:
    document_id = await rig.upload(b"text")

    async def slow(document: Document) -> None:
        rig.clock.pass_(16)
        assert await rig.claim(document_id, "other")

    rig.index.hindrance = slow
    await rig.pipeline("slow").run(document_id)
    assert (await rig.document(document_id)).state == "indexing"
    assert await rig.topics() == ["uploaded"]


async def test_a_repeated_run_writes_the_same_generation(rig: Rig) -> None:
    document_id = await rig.upload(b"text")

    async def die(document: Document) -> None:
        raise Unavailable("service_unavailable")

    seen = []
    rig.index.hindrance = die
    await rig.pipeline().run(document_id)
    seen.append((await rig.document(document_id)).generation)
    rig.clock.pass_(3)
    rig.index.hindrance = None
    await rig.pipeline().run(document_id)
    assert rig.index.generations[document_id] == seen


async def test_deleting_removes_everything(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    await rig.pipeline().run(document_id)
    await rig.documents.delete(ANNA, document_id)
    assert rig.objects.objects == {} and rig.index.generations == {}
    with pytest.raises(NotFound):
        await rig.documents.get(ANNA, document_id)
    assert await rig.topics() == ["uploaded", "indexed", "deleted"]
    assert (await rig.documents.page(ANNA, (), "", "", 0, ""))[0] == []


async def test_deleting_while_it_is_indexed_leaves_nothing_behind(rig: Rig) -> None:
    document_id = await rig.upload(b"text")

    async def delete(document: Document) -> None:
        await rig.documents.delete(ANNA, document_id)

    rig.index.hindrance = delete
    await rig.pipeline().run(document_id)
    assert rig.index.generations == {}
    assert await rig.topics() == ["uploaded", "deleted"]


async def test_a_deletion_that_is_interrupted_is_finished_by_the_sweeper(rig: Rig) -> None:
    document_id = await rig.upload(b"text")
    await rig.pipeline().run(document_id)
    rig.index.hindrance = Unavailable("service_unavailable")
    await rig.documents.delete(ANNA, document_id)
    with pytest.raises(NotFound):
        await rig.documents.get(ANNA, document_id)
    rig.index.hindrance = None
    await rig.sweeper.clean()
    assert rig.index.generations == {} and await rig.store.get(document_id) is None


@pytest.mark.parametrize(
    ("metadata", "who", "readable"),
    [
        ({}, ANNA, True),
        ({}, BEN, False),
        ({"is_public": True}, BEN, True),
        ({"org_tag": "sales"}, Principal("carl", "carl", (), ("sales",)), True),
        ({"org_tag": "sales"}, Principal("dora", "dora", (), ("finance",)), False),
    ],
)
async def test_a_document_is_shown_to_those_who_may_read_it(
    rig: Rig, metadata: dict[str, object], who: Principal, readable: bool
) -> None:
    document_id = await rig.upload(b"text", **metadata)
    if readable:
        assert (await rig.documents.get(who, document_id)).document_id == document_id
    else:
        with pytest.raises(NotFound):
            await rig.documents.get(who, document_id)
    if who is not ANNA:
        for call in (rig.documents.delete(who, document_id), rig.documents.log(who, document_id)):
            with pytest.raises(NotFound):
                await call


async def test_lists_are_ones_own_newest_first_and_filtered(rig: Rig) -> None:
    ids = []
    for number in range(3):
        rig.clock.pass_(1)
        ids.append(await rig.upload(b"text %d" % number, domain_code="ops" if number else "hr"))
    await rig.upload(b"text", BEN)
    await rig.pipeline().run(ids[1])
    first, cursor = await rig.documents.page(ANNA, (), "", "", 2, "")
    rest, end = await rig.documents.page(ANNA, (), "", "", 2, cursor)
    assert [document.document_id for document in (*first, *rest)] == ids[::-1] and end == ""
    assert [d.document_id for d in (await rig.documents.page(ANNA, ("ready",), "", "", 0, ""))[0]] == [ids[1]]
    assert [d.document_id for d in (await rig.documents.page(ANNA, (), "hr", "", 0, ""))[0]] == [ids[0]]


async def test_documents_are_found_by_a_part_of_their_title_or_file_name_in_any_case(rig: Rig) -> None:
    for name, title in (("Handbook_2026.md", ""), ("a.md", "员工 Handbook"), ("50%.md", "Figures"), ("b.md", "")):
        rig.clock.pass_(1)
        await rig.upload(name.encode(), name=name, title=title)
    await rig.upload(b"another", BEN, name="handbook.md")

    async def found(text: str) -> list[str]:
        rows, _ = await rig.documents.page(ANNA, (), "", text, 0, "")
        return [document.file_name for document in rows]

    assert await found("handBOOK") == ["a.md", "Handbook_2026.md"]
    assert await found(" 员工 ") == ["a.md"]
    assert await found("%") == ["50%.md"]
    assert await found("k_2") == ["Handbook_2026.md"]
    assert await found("_") == ["Handbook_2026.md"]
    assert await found("nothing") == []
    with pytest.raises(InvalidInput):
        await found("x" * 201)
