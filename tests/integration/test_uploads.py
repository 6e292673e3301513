"""Uploads through the whole fleet, on the real Redis, database and object store."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import pytest

from bench.uploads import ABOVE_IDLE_MIB, LargeFile, resident
from bench.uploads import send as send_large
from dev.api_client import ApiClient
from dev.fleet import Fleet
from superagent_common.ids import new_id
from tests.support.steadfast import insist
from tests.support.upload_steps import Truths, begin, complete, part_of, prove, received, send

PART = 5 * 1024 * 1024


def big_file(parts: int) -> bytes:
    """Bytes of some parts, unlike any other; refused by their type once they are there, so that nobody reads them."""
    line = f"{new_id()} is the number of this line, which goes on and on.\n".encode()
    return (b"MZ\x90\x00" + line * ((parts - 1) * PART // len(line) + 2))[: (parts - 1) * PART + 1_000]


async def stop_processing(person: ApiClient, document_id: str) -> None:
    assert (await person.http.delete(f"/documents/{document_id}")).status_code == 204


@pytest.fixture
def truths(fleet_without_model: Fleet) -> Truths:
    return Truths(fleet_without_model)


async def assert_completes(person: ApiClient, truths: Truths, upload: dict[str, Any], content: bytes) -> None:
    """The document holds the very bytes, and nothing is left of the parts."""
    answer = await complete(person, upload)
    assert answer.status_code == 202, answer.text
    document_id = answer.json()["document_id"]
    stored = await truths.objects.get(f"documents/{document_id}")
    assert hashlib.sha256(stored).hexdigest() == hashlib.sha256(content).hexdigest()
    assert await truths.parts(upload["upload_id"]) == []
    await stop_processing(person, document_id)


@pytest.mark.parametrize("losses", [("map",), ("rows",), ("map", "rows")], ids="+".join)
async def test_what_knew_of_the_parts_is_rebuilt(
    person_without_model: ApiClient, truths: Truths, losses: tuple[str, ...]
) -> None:
    person, content = person_without_model, big_file(3)
    upload = await begin(person, content, file_name="big.exe")
    assert await send(person, upload, content, 2, 0) == [0, 2]
    for loss in losses:
        await getattr(truths, f"lose_{loss}")(upload["upload_id"])
    assert await received(person, upload) == [0, 2]
    assert await send(person, upload, content, 1) == [0, 1, 2]
    await assert_completes(person, truths, upload, content)


@pytest.mark.parametrize("losses", [("objects",), ("objects", "rows"), ("objects", "map")], ids="+".join)
async def test_lost_bytes_are_asked_for_again(
    person_without_model: ApiClient, truths: Truths, losses: tuple[str, ...]
) -> None:
    person, content = person_without_model, big_file(2)
    upload = await begin(person, content, file_name="big.exe")
    await send(person, upload, content, 0, 1)
    for loss in losses:
        await getattr(truths, f"lose_{loss}")(upload["upload_id"])
    refused = await complete(person, upload)
    assert (refused.status_code, refused.json()["reason"]) == (409, "parts_missing"), refused.text
    assert await received(person, upload) == []
    await send(person, upload, content, 0, 1)
    await assert_completes(person, truths, upload, content)


async def test_an_upload_goes_on_without_redis(
    fleet_without_model: Fleet, person_without_model: ApiClient, truths: Truths
) -> None:
    person, content = person_without_model, big_file(3)
    upload = await begin(person, content, file_name="big.exe")
    assert await send(person, upload, content, 0) == [0]
    await fleet_without_model.stop("valkey")
    try:
        assert await send(person, upload, content, 1) == [0, 1]
        assert await received(person, upload) == [0, 1]
    finally:
        await fleet_without_model.start("valkey")
    # What came meanwhile the map does not know; sending it again is no harm.
    there = await received(person, upload)
    assert 0 in there and 2 not in there
    assert await send(person, upload, content, 1, 2) == [0, 1, 2]
    await assert_completes(person, truths, upload, content)


async def test_an_upload_is_completed_without_redis(
    fleet_without_model: Fleet, person_without_model: ApiClient, truths: Truths
) -> None:
    person, content = person_without_model, big_file(2)
    upload = await begin(person, content, file_name="big.exe")
    await send(person, upload, content, 0, 1)
    await fleet_without_model.stop("valkey")
    try:
        answers = await asyncio.gather(*(complete(person, upload) for _ in range(3)))
        assert {answer.status_code for answer in answers} == {202}
        assert len({answer.json()["document_id"] for answer in answers}) == 1
    finally:
        await fleet_without_model.start("valkey")
    await assert_one_document(person, truths, upload, content)


async def test_two_tabs_that_complete_at_once_make_one_document(
    person_without_model: ApiClient, truths: Truths
) -> None:
    person, content = person_without_model, big_file(3)
    upload = await begin(person, content, file_name="big.exe")
    await asyncio.gather(*(send(person, upload, content, number) for number in (0, 1, 2, 0, 1, 2)))
    answers = await asyncio.gather(*(complete(person, upload) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["document_id"] for answer in answers}) == 1
    await assert_one_document(person, truths, upload, content)


async def assert_one_document(person: ApiClient, truths: Truths, upload: dict[str, Any], content: bytes) -> None:
    listed = (await person.http.get("/documents")).json()["documents"]
    assert len(listed) == 1
    assert (await person.http.get(f"/documents/{listed[0]['id']}/log")).json()["entries"][0]["message"] == "Uploaded."
    await assert_completes(person, truths, upload, content)


async def test_an_upload_survives_the_death_of_ingestion_at_any_step(
    fleet_without_model: Fleet, person_without_model: ApiClient, truths: Truths
) -> None:
    fleet, person, content = fleet_without_model, person_without_model, big_file(4)
    upload = await begin(person, content, file_name="big.exe")
    address = f"/uploads/{upload['upload_id']}"

    async def steadily(number: int) -> None:
        answer = await insist(person, "PUT", f"{address}/parts/{number}", content=part_of(upload, content, number))
        assert answer.status_code == 200, answer.text

    await send(person, upload, content, 0)
    sending = asyncio.gather(steadily(1), steadily(2))
    pid = fleet.kill("ingestion")
    await sending
    await fleet.replaced("ingestion", pid)
    assert set(await received(person, upload)) >= {0, 1, 2}
    await steadily(3)
    completing = asyncio.create_task(insist(person, "POST", f"{address}/complete"))
    merging = asyncio.create_task(truths.merging(upload["upload_id"]))
    # It may be over before anybody has seen it.
    await asyncio.wait((merging, completing), return_when=asyncio.FIRST_COMPLETED)
    pid = fleet.kill("ingestion")
    merging.cancel()
    await fleet.replaced("ingestion", pid)
    assert (await completing).status_code == 202
    await assert_completes_after_sweep(person, truths, upload, content)


async def assert_completes_after_sweep(
    person: ApiClient, truths: Truths, upload: dict[str, Any], content: bytes
) -> None:
    answer = await complete(person, upload)
    stored = await truths.objects.get(f"documents/{answer.json()['document_id']}")
    assert stored == content
    # Parts of one who died behind the commit are left for the next sweep, which comes with a start.
    async with asyncio.timeout(120):
        while await truths.parts(upload["upload_id"]):
            await asyncio.sleep(0.2)
    await stop_processing(person, answer.json()["document_id"])


async def test_parts_of_a_wrong_size_hash_or_number_and_other_bytes_are_refused(
    person_without_model: ApiClient, truths: Truths
) -> None:
    person, content = person_without_model, big_file(2)
    upload = await begin(person, content, file_name="big.exe")
    address = f"/uploads/{upload['upload_id']}"
    first, last = content[:PART], content[PART:]
    wrong = "sha-256=:" + "A" * 43 + "=:"
    for number, body, headers, status, reason in (
        (0, first[:-1], {}, 400, "part_size_mismatch"),
        (0, last, {}, 400, "part_size_mismatch"),
        (1, last + b"!", {}, 400, "part_size_mismatch"),
        (1, first, {}, 400, "part_size_mismatch"),
        (1, b"", {}, 400, "part_size_mismatch"),
        (1, last, {"content-digest": wrong}, 400, "part_hash_mismatch"),
        (2, last, {}, 400, "invalid_part_number"),
        (2**31 - 1, last, {}, 400, "invalid_part_number"),
    ):
        answer = await person.http.put(f"{address}/parts/{number}", content=body, headers=headers)
        assert (answer.status_code, answer.json()["reason"]) == (status, reason), (number, answer.text)
    assert await received(person, upload) == [] and await truths.parts(upload["upload_id"]) == []

    early = await complete(person, upload)
    assert (early.status_code, early.json()["reason"]) == (409, "parts_missing")
    assert "0, 1" in early.json()["detail"]
    await send(person, upload, content, 1, 0)
    differs = await person.http.put(f"{address}/parts/1", content=last[::-1])
    assert (differs.status_code, differs.json()["reason"]) == (409, "part_differs")
    assert await send(person, upload, content, 0) == [0, 1]
    document_id = (await complete(person, upload)).json()["document_id"]
    # Also behind the end.
    differs = await person.http.put(f"{address}/parts/1", content=last[::-1])
    assert (differs.status_code, differs.json()["reason"]) == (409, "part_differs")
    assert await send(person, upload, content, 1) == [0, 1]
    assert await truths.objects.get(f"documents/{document_id}") == content
    assert await truths.parts(upload["upload_id"]) == []
    await stop_processing(person, document_id)


async def test_an_expired_upload_says_so_and_its_key_begins_anew(
    person_without_model: ApiClient, truths: Truths
) -> None:
    person, content = person_without_model, big_file(2)
    headers = {"idempotency-key": new_id()}
    wanted = {"file_name": "big.exe", "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    upload = (await person.http.post("/uploads", json=wanted, headers=headers)).json()
    await send(person, upload, content, 0)
    week = 7 * 86_400 * 1_000_000
    await truths.sql(
        "UPDATE uploads SET created_at = created_at - ? WHERE upload_id = ?", week + 1_000_000, upload["upload_id"]
    )
    address = f"/uploads/{upload['upload_id']}"
    for answer in (
        await person.http.get(address),
        await person.http.put(f"{address}/parts/1", content=content[PART:]),
        await complete(person, upload),
        await prove(person, upload, "0" * 64),
    ):
        assert (answer.status_code, answer.json()["reason"]) == (409, "upload_expired"), answer.text
    again = (await person.http.post("/uploads", json=wanted, headers=headers)).json()
    assert again["upload_id"] != upload["upload_id"] and again["parts_received"] == []
    assert await truths.parts(upload["upload_id"]) == []
    assert (await person.http.get(address)).json()["reason"] == "unknown_upload"


async def test_a_large_upload_leaves_the_memory_flat(
    fleet_without_model: Fleet, person_without_model: ApiClient, truths: Truths
) -> None:
    """128 MiB here; `make bench-uploads` does the same with a gibibyte."""
    person = person_without_model
    # What is loaded with the first upload is no growth.
    await send_large(person, LargeFile(12, seed=1), 1)
    file = LargeFile(128)
    pids = {name: fleet_without_model.pids[name] for name in ("edge", "ingestion")}
    async with resident(pids) as grown:
        _, _, document_id = await send_large(person, file, 4)
    assert {name: most for name, most in grown.items() if most > ABOVE_IDLE_MIB} == {}
    assert await truths.objects.size(f"documents/{document_id}") == file.size
    await stop_processing(person, document_id)
