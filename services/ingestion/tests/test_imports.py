"""Documents fetched from an address: made at once, fetched by a worker, then like every other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.ingestion.tests.ingestion_rig import ANNA, BEN, Rig, ingestion_rig
from superagent_common.errors import Conflict, InvalidInput, Unavailable
from superagent_common.identity import Principal
from superagent_ingestion.domain.documents import Document, Metadata
from superagent_ingestion.domain.fetching import FetchRefused

URL = "https://example.com/report.txt"


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def import_(rig: Rig, url: str = URL, who: Principal = ANNA, key: str = "", **metadata: object) -> str:
    return await rig.imports.create(who, url, Metadata(**metadata), key, False)  # type: ignore[arg-type]


async def test_an_import_is_a_document_at_once_and_ready_when_it_was_fetched(rig: Rig) -> None:
    document_id = await import_(rig, title="Mine")
    document = await rig.documents.get(ANNA, document_id)
    assert (document.state, document.source_url, document.file_name) == ("uploaded", URL, "report.txt")
    assert (document.size, document.sha256, document.waiting_reason) == (0, "", "queued")
    assert document.stages[0].state == "pending"
    assert await rig.pipeline().run_next()
    document = await rig.document(document_id)
    assert (document.state, document.title, document.file_name) == ("ready", "Mine", "fetched.txt")
    assert document.size == len(rig.fetcher.content)
    assert len(document.sha256) == 64
    assert rig.objects.objects[document.object_key] == rig.fetcher.content
    upload = document.stages[0]
    assert (upload.state, upload.attempts, dict(upload.counts)) == ("completed", 1, {"bytes": 13, "redirects": 1})
    assert await rig.topics() == ["uploaded", "indexed"]
    log = [entry.message for entry in await rig.documents.log(ANNA, document_id)]
    assert log[:2] == ["To be fetched from its address.", "Fetched fetched.txt from host."]


async def test_an_address_that_is_at_fault_fails_at_once_and_nothing_is_indexed(rig: Rig) -> None:
    document_id = await import_(rig)
    rig.fetcher.hindrance = FetchRefused("fetch_status", "host does not give the document: status 404.")
    assert await rig.pipeline().run_next()
    document = await rig.document(document_id)
    assert document.state == "failed"
    assert document.failure is not None
    assert (document.failure.stage, document.failure.reason) == ("upload", "fetch_status")
    assert document.stages[0].state == "failed"
    assert rig.index.generations == {}
    assert rig.objects.objects == {}
    assert not await rig.pipeline().run_next()


async def test_a_server_that_does_not_answer_is_asked_again(rig: Rig) -> None:
    document_id = await import_(rig)
    rig.fetcher.hindrance = Unavailable("fetch_failed")
    assert await rig.pipeline().run_next()
    waiting = await rig.document(document_id)
    assert (waiting.state, waiting.waiting_reason) == ("uploaded", "fetch_failed")
    rig.fetcher.hindrance = None
    rig.clock.pass_(3)
    assert await rig.pipeline().run_next()
    assert (await rig.document(document_id)).state == "ready"
    assert rig.fetcher.fetched == [URL, URL]


async def test_what_was_fetched_is_not_fetched_again_when_a_later_stage_is_repeated(rig: Rig) -> None:
    document_id = await import_(rig)
    rig.index.hindrance = Unavailable("embedder_down")
    assert await rig.pipeline().run_next()
    rig.index.hindrance = None
    rig.fetcher.content = b"Other text."
    rig.clock.pass_(3)
    assert await rig.pipeline().run_next()
    assert (await rig.document(document_id)).state == "ready"
    assert rig.fetcher.fetched == [URL]


async def test_an_import_that_is_deleted_while_it_is_fetched_leaves_nothing(rig: Rig) -> None:
    document_id = await import_(rig)
    fetch = rig.fetcher.fetch

    async def delete_meanwhile(url: str, path: Path) -> object:
        await rig.documents.delete(ANNA, document_id)
        return await fetch(url, path)

    rig.fetcher.fetch = delete_meanwhile  # type: ignore[assignment]
    assert await rig.pipeline().run_next()
    assert rig.objects.objects == {}
    assert await rig.topics() == ["uploaded", "deleted"]


async def test_the_same_key_is_the_same_import_for_one_person(rig: Rig) -> None:
    first = await import_(rig, key="key")
    assert await import_(rig, key="key") == first
    assert await import_(rig, who=BEN, key="key") != first
    assert await import_(rig) != await import_(rig)
    with pytest.raises(Conflict) as reused:
        await import_(rig, "https://example.com/other", key="key")
    assert reused.value.reason == "idempotency_key_reused"


@pytest.mark.parametrize(
    ("url", "metadata", "reason"),
    [
        ("ftp://example.com/", {}, "invalid_url"),
        (URL + "a" * 2000, {}, "invalid_url"),
        (URL, {"org_tag": "finance"}, "unknown_org_tag"),
        (URL, {"language": "xx"}, "invalid_language"),
    ],
)
async def test_a_wrong_request_makes_no_document(rig: Rig, url: str, metadata: dict[str, object], reason: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await import_(rig, url, **metadata)
    assert refused.value.reason == reason
    assert (await rig.documents.page(ANNA, (), "", "", 0, ""))[0] == []


async def test_a_document_may_be_deleted_before_its_turn_comes(rig: Rig) -> None:
    document_id = await import_(rig, key="key")
    await rig.documents.delete(ANNA, document_id)
    assert not await rig.pipeline().run_next()
    assert rig.fetcher.fetched == []
    assert await import_(rig, key="key") != document_id


async def test_a_lost_lease_leaves_the_object_to_the_heir(rig: Rig) -> None:
    document_id = await import_(rig)
    fetch = rig.fetcher.fetch

    async def slowly(url: str, path: Path) -> object:
        got = await fetch(url, path)
        rig.fetcher.fetch = fetch  # type: ignore[method-assign]
        rig.clock.pass_(16)
        assert await rig.pipeline("heir").run_next()
        return got

    rig.fetcher.fetch = slowly  # type: ignore[assignment]
    assert await rig.pipeline("slow").run_next()
    document: Document = await rig.document(document_id)
    assert document.state == "ready"
    assert rig.objects.objects[document.object_key] == rig.fetcher.content
