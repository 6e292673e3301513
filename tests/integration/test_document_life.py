"""A document's life through the whole fleet: changed, processed again, deleted, and what others see meanwhile."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

from redis.asyncio import Redis

from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent_common.ids import new_id
from superagent_retrieval.adapters.qdrant_edge_index import QdrantEdgeVectorIndex
from superagent_retrieval.adapters.tantivy_index import TantivyKeywordIndex
from superagent_retrieval.domain.access import AccessScope
from superagent_retrieval.domain.records import SearchFilters
from tests.integration.test_bad_input import assert_problem
from tests.support.knowledge import QUARTER, manual
from tests.support.scripted_model import Gate, Reply, Rule, ScriptedModel
from tests.support.upload_steps import Truths


@contextmanager
def passages_held(embedder: ScriptedModel) -> Iterator[Gate]:
    """Passages, not questions, wait for their vectors until the gate is open, or the block ends."""
    gate = Gate()
    embedder.answer_with(Rule(Reply(held_by=gate), body=QUARTER, endpoint="embeddings"))
    try:
        yield gate
    finally:
        gate.open()
        embedder.answer_with()


async def ready(person: ApiClient, content: bytes, **said: object) -> str:
    document_id = await person.upload("manual.md", content, **said)
    document = await person.settled(document_id)
    assert document["state"] == "READY", document
    return document_id


async def evidence(person: ApiClient, word: str, **filters: object) -> list[dict[str, Any]]:
    body = {"question": f"Which valve does step 5 of {word} turn?", "top_k": 50, "filters": filters}
    found = await person.http.post("/retrieval/search", json=body)
    assert found.status_code == 200, found.text
    return found.json()["evidence"]  # type: ignore[no-any-return]


async def documents_found(person: ApiClient, word: str, **filters: object) -> set[str]:
    """Documents with this word: others may be public, too."""
    return {passage["document_id"] for passage in await evidence(person, word, **filters) if word in passage["text"]}


async def texts_found(person: ApiClient, word: str) -> list[str]:
    return [passage["text"] for passage in await evidence(person, word) if word in passage["text"]]


async def titles(person: ApiClient, word: str) -> set[str]:
    return {passage["title"] for passage in await evidence(person, word) if word in passage["text"]}


async def in_state(person: ApiClient, document_id: str, state: str) -> None:
    async with asyncio.timeout(120):
        while (await person.document(document_id))["state"] != state:
            await asyncio.sleep(0.02)


async def change(person: ApiClient, document_id: str, **changes: object) -> dict[str, Any]:
    answer = await person.http.patch(f"/documents/{document_id}", json=changes)
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


async def test_a_changed_document_answers_by_what_is_said_of_it_now(
    anna_and_ben: tuple[ApiClient, ApiClient], word: str
) -> None:
    anna, ben = anna_and_ben
    document_id = await ready(anna, manual(word), is_public=True, tags=["old"])
    assert await documents_found(ben, word) == {document_id}
    changed = await change(anna, document_id, title=f"Handbook of {word}", tags=["new", "newer"])
    assert (changed["title"], changed["tags"], changed["is_public"]) == (f"Handbook of {word}", ["new", "newer"], True)
    assert await titles(ben, word) == {f"Handbook of {word}"}
    assert await documents_found(anna, word, tags=["newer"]) == {document_id}
    assert await documents_found(anna, word, tags=["old"]) == set()
    events = await ben.ask(f"Which valve does step 5 of {word} turn?")
    sources = [source for event in events if event.event == "sources" for source in event.json["sources"]]
    assert {source["title"] for source in sources if source.get("document_id") == document_id} == {
        f"Handbook of {word}"
    }

    await change(anna, document_id, is_public=False)
    assert await documents_found(ben, word) == set()
    assert_problem(await ben.http.get(f"/documents/{document_id}"), 404, "unknown_document")
    assert await documents_found(anna, word) == {document_id}
    assert (await change(anna, document_id, title=""))["title"] == f"Manual of {word}"
    assert await titles(anna, word) == {f"Manual of {word}"}


async def test_a_change_is_refused_as_an_upload_is_and_to_others_as_unknown(
    anna_and_ben: tuple[ApiClient, ApiClient], word: str
) -> None:
    anna, ben = anna_and_ben
    document_id = await ready(anna, manual(word), is_public=True)
    for body, reason in (
        ({"title": "x" * 301}, "invalid_title"),
        ({"tags": [str(number) for number in range(33)]}, "invalid_tags"),
        ({"org_tag": "nowhere"}, "unknown_org_tag"),
    ):
        assert_problem(await anna.http.patch(f"/documents/{document_id}", json=body), 400, reason)
    for wanted in (document_id, new_id()):
        assert_problem(await ben.http.patch(f"/documents/{wanted}", json={"title": "x"}), 404, "unknown_document")
        assert_problem(await ben.http.post(f"/documents/{wanted}/reprocess"), 404, "unknown_document")
        assert_problem(await ben.http.delete(f"/documents/{wanted}"), 404, "unknown_document")


async def test_a_document_made_private_while_it_is_indexed_is_never_found_by_others(
    anna_and_ben: tuple[ApiClient, ApiClient], endpoint_embedder: ScriptedModel, word: str
) -> None:
    anna, ben = anna_and_ben
    with passages_held(endpoint_embedder):
        document_id = await anna.upload("manual.md", manual(word, chapters=30), is_public=True)
        await in_state(anna, document_id, "INDEXING")
        changed = await change(anna, document_id, is_public=False, title="Mine")
        assert changed["state"] == "INDEXING"
        assert await documents_found(ben, word) == set()
    while (await anna.document(document_id))["state"] != "READY":
        assert await documents_found(ben, word) == set()
        await asyncio.sleep(0.02)
    assert await documents_found(ben, word) == set()
    assert await titles(anna, word) == {"Mine"}


async def test_a_change_while_retrieval_is_away_is_kept_and_finished(
    fleet_without_model: Fleet, anna_and_ben: tuple[ApiClient, ApiClient], word: str
) -> None:
    anna, ben = anna_and_ben
    document_id = await ready(anna, manual(word), is_public=True)
    await fleet_without_model.stop("retrieval")
    try:
        refused = await anna.http.patch(f"/documents/{document_id}", json={"is_public": False})
        assert_problem(refused, 503, "index_unavailable")
        kept = await anna.document(document_id)
        assert (kept["is_public"], kept["state"], kept["answering"]) == (False, "READY", True)
    finally:
        await come_back(fleet_without_model, ben)
        while await documents_found(ben, word):
            await asyncio.sleep(0.1)
    assert await documents_found(anna, word) == {document_id}


async def test_a_document_answers_at_every_moment_while_it_is_processed_again(
    anna_and_ben: tuple[ApiClient, ApiClient], endpoint_embedder: ScriptedModel, word: str
) -> None:
    anna, _ = anna_and_ben
    document_id = await ready(anna, manual(word, chapters=20))
    before = sorted(await texts_found(anna, word))
    assert before
    over, searched, searches = asyncio.Event(), asyncio.Event(), 0

    async def search() -> None:
        nonlocal searches
        while not over.is_set():
            texts = await texts_found(anna, word)
            searches += 1
            if searches > 20:
                searched.set()
            assert texts and len(texts) == len(set(texts)), f"search {searches}"
            await asyncio.sleep(0.02)

    with passages_held(endpoint_embedder) as gate:
        async with asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(search())
            answers = await asyncio.gather(*(anna.http.post(f"/documents/{document_id}/reprocess") for _ in range(2)))
            assert sorted(answer.status_code for answer in answers) == [202, 409]
            refused = next(answer for answer in answers if answer.status_code == 409)
            assert_problem(refused, 409, "document_busy")
            begun = next(answer for answer in answers if answer.status_code == 202).json()
            assert begun["answering"] is True and begun["state"] not in ("READY", "FAILED")
            await searched.wait()
            assert (await anna.document(document_id))["state"] != "READY"
            gate.open()
            await in_state(anna, document_id, "READY")
            over.set()
    assert sorted(await texts_found(anna, word)) == before
    assert "failure" not in await anna.document(document_id)


async def test_a_reprocessing_that_fails_leaves_the_old_answer(
    fleet_without_model: Fleet, anna_and_ben: tuple[ApiClient, ApiClient], word: str
) -> None:
    anna, _ = anna_and_ben
    document_id = await ready(anna, manual(word))
    await Truths(fleet_without_model).objects.put(f"documents/{document_id}", b"other bytes")
    assert (await anna.http.post(f"/documents/{document_id}/reprocess")).status_code == 202
    await in_state(anna, document_id, "READY")
    document = await anna.document(document_id)
    assert document["failure"]["reason"] == "hash_mismatch" and document["answering"] is True
    assert await documents_found(anna, word) == {document_id}
    log = (await anna.http.get(f"/documents/{document_id}/log")).json()["entries"]
    assert log[-1]["message"] == "The chunks from before go on answering."


async def test_a_deleted_document_leaves_nothing_and_its_file_may_come_again_at_once(
    fleet_without_model: Fleet, anna_and_ben: tuple[ApiClient, ApiClient], word: str
) -> None:
    anna, _ = anna_and_ben
    first = await ready(anna, manual(word))
    assert (await anna.http.get(f"/documents/{first}/chunks")).status_code == 200
    assert (await anna.http.delete(f"/documents/{first}")).status_code == 204
    second = await anna.upload("manual.md", manual(word))
    assert second != first
    assert_problem(await anna.http.get(f"/documents/{first}"), 404, "unknown_document")
    assert (await anna.settled(second))["state"] == "READY"
    assert await documents_found(anna, word) == {second}
    await assert_nothing_of(fleet_without_model, anna, first, word, others=1)


async def test_a_document_that_is_deleted_while_it_is_indexed_leaves_nothing(
    fleet_without_model: Fleet, anna_and_ben: tuple[ApiClient, ApiClient], endpoint_embedder: ScriptedModel, word: str
) -> None:
    anna, _ = anna_and_ben
    with passages_held(endpoint_embedder):
        document_id = await anna.upload("manual.md", manual(word, chapters=30), is_public=True)
        await in_state(anna, document_id, "INDEXING")
        assert (await anna.http.delete(f"/documents/{document_id}")).status_code == 204
        assert await documents_found(anna, word) == set()
    truths = Truths(fleet_without_model)
    async with asyncio.timeout(120):
        while await truths.sql("SELECT 1 FROM documents WHERE document_id = ?", document_id):
            await asyncio.sleep(0.1)
    await assert_nothing_of(fleet_without_model, anna, document_id, word, others=0)


async def come_back(fleet: Fleet, person: ApiClient) -> None:
    """Starts retrieval again, and waits until others have noticed."""
    await fleet.start("retrieval")
    async with asyncio.timeout(120):
        while (await person.http.post("/retrieval/search", json={"question": "valve"})).status_code != 200:
            await asyncio.sleep(0.05)


async def assert_nothing_of(fleet: Fleet, person: ApiClient, document_id: str, word: str, *, others: int) -> None:
    """No object, row, key, vector or keyword of a document; `others` more documents hold the word."""
    truths = Truths(fleet)
    assert [key for key in await truths.objects.sizes("") if document_id in key] == []
    assert [key for key in await truths.objects.sizes("uploads/") if key] == []
    async with Redis.from_url(truths.redis_url) as redis:
        assert [key async for key in redis.scan_iter(f"*{document_id}*")] == []
    for service in ("ingestion", "retrieval"):
        found = await asyncio.to_thread(_rows_of, fleet, service, document_id)
        assert found == {}, service
    await fleet.stop("retrieval")
    try:
        folder = fleet.data_dir / "retrieval"
        (vector_folder,) = (folder / "vectors").iterdir()
        dimension = int(vector_folder.name.rpartition("-")[2])
        owner, only = AccessScope(person.user["id"]), SearchFilters(document_ids=(document_id,))
        vectors = await QdrantEdgeVectorIndex.open(vector_folder, dimension)
        keywords = await TantivyKeywordIndex.open(folder / "keywords")
        try:
            assert await vectors.search([1.0, *[0.0] * (dimension - 1)], owner, only, 10) == []
            assert await keywords.search(word, owner, only, 10) == []
            found_now = await keywords.search(word, owner, SearchFilters(), 100)
            assert len({hit.document_id for hit in found_now}) == others
        finally:
            await vectors.close()
            await keywords.close()
    finally:
        await come_back(fleet, person)


def _rows_of(fleet: Fleet, service: str, document_id: str) -> dict[str, int]:
    """Rows by table that name a document, but for events and for what remembers that it is gone."""
    found = {}
    with closing(sqlite3.connect(fleet.data_dir / "databases" / f"{service}.db", timeout=30)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            if table in ("outbox", "removed_documents", "handled_events"):
                continue
            with suppress(sqlite3.OperationalError):
                (count,) = connection.execute(
                    f"SELECT count(*) FROM {table} WHERE document_id = ?",
                    (document_id,),
                ).fetchone()
                if count:
                    found[table] = count
    return found
