"""How a document is cut: looked at before it is confirmed, chosen, changed while it answers."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx

from dev.api_client import ApiClient
from superagent_common.ids import new_id
from tests.conftest import People
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Reply, Rule, ScriptedModel

ALL = [
    "structure+recursive",
    "recursive",
    "structure+recursive+semantic",
    "recursive+semantic",
    "model+recursive",
]
SUBJECTS = {
    "volcano": "The volcano erupted in {n} and its lava reached the coast within {n} hours of the first tremor.",
    "ledger": "Invoice {n} is entered in the ledger before the auditor closes the accounts of quarter {n}.",
    "orchestra": "The orchestra rehearsed symphony {n} with {n} violins under a conductor from Vienna.",
    "tractor": "A tractor of type {n} ploughs {n} hectares of wet clay before its engine needs oil.",
}
FACT = "The lighthouse keeper of Skagen owns exactly 4711 spoons."
QUESTION = "How many spoons does the lighthouse keeper of Skagen own?"


def manual() -> bytes:
    """Prose without headings and paragraphs about one thing after the other, with a fact in the middle."""
    paragraphs = [
        " ".join(sentence.format(n=100 * part + n) for n in range(9))
        for part in range(2)
        for sentence in SUBJECTS.values()
    ]
    paragraphs.insert(4, f"Of curious collections there is much to tell. {FACT}")
    return " ".join(paragraphs).encode()


async def waiting(person: ApiClient, document_id: str, seconds: float = 120.0) -> dict[str, Any]:
    """The document once it waits for its strategy to be confirmed."""
    async with asyncio.timeout(seconds):
        while True:
            document = await person.document(document_id)
            assert document["state"] != "FAILED", document
            if document.get("waiting_reason") == "awaiting_strategy":
                return document
            await asyncio.sleep(0.05)


async def chunks(person: ApiClient, document_id: str, strategy: str = "", **page: Any) -> dict[str, Any]:
    parameters = {"strategy": strategy, **page}
    answer = await person.http.get(f"/documents/{document_id}/chunks", params=parameters)
    answer.raise_for_status()
    return answer.json()  # type: ignore[no-any-return]


async def choose(person: ApiClient, document_id: str, strategy: str) -> httpx.Response:
    return await person.http.post(f"/documents/{document_id}/strategy", json={"strategy": strategy})


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["reason"]


async def test_a_person_looks_at_every_strategy_and_confirms_one(person: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(Rule(Reply(text='{"topics": [4, 7]}'), purpose="chunking"))
    document_id = await person.upload("manual.txt", manual(), review_strategy=True)
    held = await waiting(person, document_id)
    assert (held["state"], held["answering"], held["chunks"]["children"]) == ("PARSED", False, 0)
    assert held["recommended_strategy"].startswith("recursive") and held["strategy_reasons"]
    cuts = {}
    for strategy in ALL:
        seen = await chunks(person, document_id, strategy)
        assert (seen["strategy"], seen["available_strategies"]) == (strategy, ALL)
        assert len(seen["chunks"]) == seen["children_total"] and seen["next_cursor"] is None
        own = [chunk["text"][chunk["repeated_characters"] :] for chunk in seen["chunks"]]
        assert "".join(own) == manual().decode()
        cuts[strategy] = [chunk["text"] for chunk in seen["chunks"]]
    assert cuts["recursive+semantic"] != cuts["recursive"] != cuts["model+recursive"]
    assert (await chunks(person, document_id))["strategy"] == held["recommended_strategy"]

    answer = await choose(person, document_id, "recursive+semantic")
    assert answer.status_code == 200 and answer.json()["strategy"] == "recursive+semantic"
    assert answer.json().get("waiting_reason") != "awaiting_strategy"
    ready = await person.settled(document_id)
    assert (ready["state"], ready["strategy"]) == ("READY", "recursive+semantic")
    assert ready["chunks"]["children"] == len(cuts["recursive+semantic"])
    found = (await person.http.post("/retrieval/search", json={"question": QUESTION})).json()
    assert FACT in found["evidence"][0]["text"]


async def test_pages_of_a_preview_tile_the_document(person: ApiClient) -> None:
    document_id = await person.upload("manual.txt", manual(), review_strategy=True)
    await waiting(person, document_id)
    whole = await chunks(person, document_id, "recursive")
    pieces, cursor = [], ""
    while True:
        page = await chunks(person, document_id, "recursive", limit=3, cursor=cursor)
        pieces += page["chunks"]
        if not (cursor := page["next_cursor"]):
            break
    assert pieces == whole["chunks"]


async def test_another_strategy_never_hides_a_document_nor_doubles_it(person: ApiClient) -> None:
    document_id = await person.upload("manual.txt", manual())
    before = await person.settled(document_id)
    over = asyncio.Event()
    looks = 0

    async def look() -> None:
        nonlocal looks
        while not over.is_set():
            answer = await person.http.post("/retrieval/search", json={"question": QUESTION, "top_k": 10})
            texts = [passage["text"] for passage in answer.json()["evidence"]]
            assert sum(FACT in text for text in texts) == 1, texts
            looks += 1
            await asyncio.sleep(0.05)

    looking = asyncio.create_task(look())
    try:
        for strategy in ("structure+recursive+semantic", "structure+recursive", before["strategy"]):
            answer = await choose(person, document_id, strategy)
            assert answer.status_code == 200, answer.text
            assert answer.json()["answering"] is True
            settled = await person.settled(document_id)
            assert (settled["state"], settled["strategy"]) == ("READY", strategy)
            assert not looking.done()
    finally:
        over.set()
        await looking
    assert looks > 3
    after = await person.document(document_id)
    assert after["chunks"] == before["chunks"]
    log = (await person.http.get(f"/documents/{document_id}/log")).json()["entries"]
    assert sum(entry["stage"] == "parse" for entry in log) == 1, "cutting anew reads no file"


async def test_a_model_without_an_answer_cuts_by_length_and_says_so(person: ApiClient, model: ScriptedModel) -> None:
    model.answer_with(Rule(Reply(text="I see four topics."), purpose="chunking"))
    document_id = await person.upload("manual.txt", manual(), review_strategy=True)
    await waiting(person, document_id)
    refused = await person.http.get(f"/documents/{document_id}/chunks", params={"strategy": "model+recursive"})
    assert refusal(refused) == (503, "invalid_model_topics")
    await choose(person, document_id, "model+recursive")
    assert (await person.settled(document_id))["state"] == "READY"
    log = (await person.http.get(f"/documents/{document_id}/log")).json()["entries"]
    warnings = [entry["message"] for entry in log if entry["level"] == "warning"]
    assert warnings == ["No model said where its topics begin: invalid_model_topics. It is cut by length alone."]


async def test_bad_requests_are_refused_with_their_reasons(people: People) -> None:
    person, stranger = await people(), await people()
    document_id = await person.upload(MARKDOWN.file_name, MARKDOWN.content, is_public=True)
    await person.settled(document_id)
    address = f"/documents/{document_id}/chunks"
    unknown = await person.http.get(address, params={"strategy": "magic"})
    assert refusal(unknown) == (400, "unknown_strategy") and "structure+recursive" in unknown.json()["detail"]
    assert refusal(await choose(person, document_id, "semantic")) == (400, "unknown_strategy")
    assert refusal(await choose(person, document_id, "")) == (400, "unknown_strategy")
    for cursor in ("garbage", "bm9wZQ", "W10"):
        assert refusal(await person.http.get(address, params={"cursor": cursor})) == (400, "invalid_cursor")
    for identifier in (document_id, new_id()):
        assert refusal(await stranger.http.get(f"/documents/{identifier}/chunks")) == (404, "unknown_document")
        assert refusal(await choose(stranger, identifier, "recursive")) == (404, "unknown_document")
    broken = await person.upload("broken.pdf", b"%PDF-1.7 but no more")
    assert (await person.settled(broken))["state"] == "FAILED"
    assert refusal(await person.http.get(f"/documents/{broken}/chunks")) == (409, "not_parsed_yet")
    assert refusal(await choose(person, broken, "recursive")) == (409, "not_parsed_yet")
    # Everybody of this fleet would find it.
    (await person.http.delete(f"/documents/{document_id}")).raise_for_status()


async def test_a_preview_of_ten_megabytes_holds_nobody_up(person: ApiClient) -> None:
    content = "".join(f"{sentence.format(n=n)}\n\n" for n in range(28_000) for sentence in SUBJECTS.values()).encode()[
        : 10 << 20
    ]
    document_id = await person.upload("long.txt", content, review_strategy=True)
    await waiting(person, document_id)
    began = time.monotonic()
    look = asyncio.create_task(chunks(person, document_id, "recursive"))
    served = 0
    while not look.done():
        await person.document(document_id)
        served += 1
        await asyncio.sleep(0.02)
    seen = await look
    took = time.monotonic() - began
    assert seen["children_total"] > 15_000 and len(seen["chunks"]) == 50
    assert served >= 4, "others are served meanwhile"
    began = time.monotonic()
    again = await chunks(person, document_id, "recursive", limit=200, cursor=seen["next_cursor"])
    assert again["chunks"][0]["position"] == 50
    assert time.monotonic() - began < took / 2, "it is not cut again for the next page"
    (await person.http.delete(f"/documents/{document_id}")).raise_for_status()
