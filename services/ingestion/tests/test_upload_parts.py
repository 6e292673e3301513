"""Map, rows and object store each know which parts are there: whichever is lost is rebuilt from the others."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sqlalchemy import delete

from services.ingestion.tests.ingestion_rig import ANNA, LOG, Rig, chunks, ingestion_rig
from superagent_common.errors import Conflict, NotFound, ServiceError
from superagent_common.redis_client import opened_redis
from superagent_ingestion.adapters import tables
from superagent_ingestion.adapters.redis_merge_lock import RedisMergeLock
from superagent_ingestion.application.uploads import NewUpload
from superagent_ingestion.domain.documents import Metadata
from superagent_ingestion.domain.uploads import PART_BYTES, Upload, part_key

CONTENT = bytes(range(256)) * (3 * PART_BYTES // 256) + b"the end"
PARTS = [CONTENT[start : start + PART_BYTES] for start in range(0, len(CONTENT), PART_BYTES)]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def begin(rig: Rig) -> Upload:
    digest = hashlib.sha256(CONTENT).hexdigest()
    upload, _ = await rig.uploads.create(ANNA, NewUpload("a.txt", len(CONTENT), digest, Metadata()))
    return upload


async def send(rig: Rig, upload: Upload, *numbers: int) -> list[int]:
    received: list[int] = []
    for number in numbers:
        _, received = await rig.uploads.put_part(ANNA, upload.upload_id, number, "", chunks(PARTS[number]))
    return received


async def received(rig: Rig, upload: Upload) -> list[int]:
    return (await rig.uploads.get(ANNA, upload.upload_id))[1]


async def lose_rows(rig: Rig) -> None:
    async with rig.database.write() as connection:
        await connection.execute(delete(tables.upload_parts))


async def lose_map(rig: Rig) -> None:
    rig.part_map.lose()


async def lose_objects(rig: Rig) -> None:
    rig.objects.objects.clear()


async def assert_completes(rig: Rig, upload: Upload) -> None:
    document_id = await rig.uploads.complete(ANNA, upload.upload_id)
    assert rig.objects.objects == {f"documents/{document_id}": CONTENT}
    assert await rig.topics() == ["uploaded"]


@pytest.mark.parametrize(
    "losses",
    [(lose_map,), (lose_rows,), (lose_map, lose_rows)],
    ids=["the map", "the rows", "map and rows"],
)
async def test_whatever_knew_of_the_parts_is_rebuilt(rig: Rig, losses: tuple[Callable[[Rig], object], ...]) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 2)
    for lose in losses:
        await lose(rig)  # type: ignore[misc]
    assert await received(rig, upload) == [0, 2]
    assert await send(rig, upload, 3, 1) == [0, 1, 2, 3]
    await assert_completes(rig, upload)


@pytest.mark.parametrize(
    "losses",
    [(lose_objects,), (lose_objects, lose_rows), (lose_objects, lose_map), (lose_objects, lose_map, lose_rows)],
    ids=["the objects", "objects and rows", "objects and map", "everything"],
)
async def test_parts_whose_bytes_are_lost_are_asked_for_again(
    rig: Rig, losses: tuple[Callable[[Rig], object], ...]
) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)
    for lose in losses:
        await lose(rig)  # type: ignore[misc]
    with pytest.raises(Conflict) as refused:
        await rig.uploads.complete(ANNA, upload.upload_id)
    assert (refused.value.reason, refused.value.metadata["missing"]) == ("parts_missing", "0, 1, 2, 3")
    assert await received(rig, upload) == []
    await send(rig, upload, 0, 1, 2, 3)
    await assert_completes(rig, upload)


async def test_one_lost_object_is_one_missing_part(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)
    del rig.objects.objects[part_key(upload.upload_id, 2, hashlib.sha256(PARTS[2]).hexdigest())]
    with pytest.raises(Conflict) as refused:
        await rig.uploads.complete(ANNA, upload.upload_id)
    assert refused.value.metadata["missing"] == "2"
    assert await received(rig, upload) == [0, 1, 3]
    await send(rig, upload, 2)
    await assert_completes(rig, upload)


async def test_an_object_cut_short_does_not_count(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)
    key = part_key(upload.upload_id, 1, hashlib.sha256(PARTS[1]).hexdigest())
    rig.objects.objects[key] = PARTS[1][:-1]
    with pytest.raises(Conflict) as refused:
        await rig.uploads.complete(ANNA, upload.upload_id)
    assert refused.value.metadata["missing"] == "1"
    await send(rig, upload, 1)
    await assert_completes(rig, upload)


async def test_while_the_map_is_away_the_rows_answer_and_nothing_is_lost(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0)
    rig.part_map.away = True
    assert await send(rig, upload, 2) == [0, 2]
    assert await received(rig, upload) == [0, 2]
    rig.part_map.away = False
    await send(rig, upload, 1, 3)
    await assert_completes(rig, upload)


async def test_a_part_that_the_map_missed_is_entered_when_it_is_sent_again(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0)
    rig.part_map.away = True
    await send(rig, upload, 1)
    rig.part_map.away = False
    stored = dict(rig.objects.objects)
    assert await send(rig, upload, 1) == [0, 1]
    assert rig.objects.objects == stored


async def test_a_map_lost_between_two_parts_does_not_take_the_later_ones_for_all(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1)
    rig.part_map.lose()
    assert await send(rig, upload, 2) == [0, 1, 2]


async def test_other_bytes_are_refused_although_the_row_is_lost(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0)
    await lose_rows(rig)
    with pytest.raises(Conflict) as refused:
        await rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(PARTS[0][::-1]))
    assert refused.value.reason == "part_differs"


async def test_of_two_different_parts_sent_at_once_one_counts_and_the_other_is_refused(rig: Rig) -> None:
    upload = await begin(rig)
    others = [PARTS[0], PARTS[0][::-1]]
    results = await asyncio.gather(
        *(rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(content)) for content in others),
        return_exceptions=True,
    )
    refused = [result for result in results if isinstance(result, Exception)]
    assert [error.reason for error in refused if isinstance(error, Conflict)] == ["part_differs"]
    accepted = others[0 if isinstance(results[1], Exception) else 1]
    assert list(rig.objects.objects.values()) == [accepted]


async def test_a_part_that_two_tabs_send_at_once_is_one_part(rig: Rig) -> None:
    upload = await begin(rig)
    await asyncio.gather(*(send(rig, upload, 0) for _ in range(4)))
    assert len(rig.objects.objects) == 1
    await send(rig, upload, 1, 2, 3)
    await assert_completes(rig, upload)


async def test_completing_at_once_composes_once(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)
    ids = await asyncio.gather(*(rig.uploads.complete(ANNA, upload.upload_id) for _ in range(5)))
    assert set(ids) == {upload.document_id}
    assert rig.objects.composed == [f"documents/{upload.document_id}"]
    assert await rig.topics() == ["uploaded"]


async def test_two_replicas_that_complete_at_once_compose_once(rig: Rig, valkey: str) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)
    async with opened_redis(valkey) as redis:
        replicas = [rig.new_uploads(RedisMergeLock(redis, LOG)) for _ in range(2)]
        ids = await asyncio.gather(*(replica.complete(ANNA, upload.upload_id) for replica in replicas * 2))
    assert set(ids) == {upload.document_id}
    assert rig.objects.composed == [f"documents/{upload.document_id}"]
    assert await rig.topics() == ["uploaded"]


async def test_without_the_lock_completing_at_once_still_makes_one_document(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)
    rig.merging.away = True
    ids = await asyncio.gather(*(rig.uploads.complete(ANNA, upload.upload_id) for _ in range(5)))
    assert set(ids) == {upload.document_id}
    assert await rig.topics() == ["uploaded"]
    assert rig.objects.objects[f"documents/{upload.document_id}"] == CONTENT


async def test_completing_goes_on_when_the_caller_leaves_and_is_waited_for_by_the_next(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)
    composing, go_on = asyncio.Event(), asyncio.Event()

    async def hold(call: str, key: str) -> None:
        if call == "compose":
            composing.set()
            await go_on.wait()

    rig.objects.before = hold
    first = asyncio.create_task(rig.uploads.complete(ANNA, upload.upload_id))
    await composing.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    second = asyncio.create_task(rig.uploads.complete(ANNA, upload.upload_id))
    go_on.set()
    assert await second == upload.document_id
    assert rig.objects.composed == [f"documents/{upload.document_id}"]
    assert await rig.topics() == ["uploaded"]


async def test_what_is_being_completed_when_the_service_stops_can_be_completed_again(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)
    composing = asyncio.Event()

    async def hang(call: str, key: str) -> None:
        if call == "compose":
            composing.set()
            await asyncio.Event().wait()

    rig.objects.before = hang
    caller = asyncio.create_task(rig.uploads.complete(ANNA, upload.upload_id))
    await composing.wait()
    await rig.uploads.close()
    await asyncio.gather(caller, return_exceptions=True)
    rig.objects.before = None
    await assert_completes(rig, upload)


class Killed(Exception):
    """The process is gone: nothing behind this runs."""


@pytest.mark.parametrize("step", ["compose", "size", "remove"])
async def test_whoever_is_killed_while_completing_can_complete_again(rig: Rig, step: str) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)

    async def die(call: str, key: str) -> None:
        if call == step:
            raise Killed

    rig.objects.before = die
    with pytest.raises(Killed):
        await rig.uploads.complete(ANNA, upload.upload_id)
    rig.objects.before = None
    assert await rig.uploads.complete(ANNA, upload.upload_id) == upload.document_id
    # Parts that the killed one was about to remove are found.
    await rig.uploads.expire()
    assert rig.objects.objects == {f"documents/{upload.document_id}": CONTENT}
    assert await rig.topics() == ["uploaded"]


async def test_whoever_is_killed_between_object_and_row_has_lost_nothing(rig: Rig) -> None:
    upload = await begin(rig)
    key = part_key(upload.upload_id, 1, hashlib.sha256(PARTS[1]).hexdigest())
    await rig.objects.put(key, PARTS[1])
    await send(rig, upload, 0, 2, 3)
    # The client may send it again, or, knowing no better, complete.
    await assert_completes(rig, upload)


async def test_a_store_that_does_not_join_all_makes_no_document(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)
    whole = f"documents/{upload.document_id}"

    async def cut(call: str, key: str) -> None:
        if call == "size" and key == whole:
            rig.objects.objects[whole] = CONTENT[:-1]

    rig.objects.before = cut
    with pytest.raises(ServiceError) as refused:
        await rig.uploads.complete(ANNA, upload.upload_id)
    assert refused.value.reason == "compose_incomplete"
    rig.objects.before = None
    await assert_completes(rig, upload)


async def test_parts_that_could_not_be_removed_do_not_hinder_the_document(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)

    async def fail(call: str, key: str) -> None:
        rig.objects.failing = call == "remove"

    rig.objects.before = fail
    assert await rig.uploads.complete(ANNA, upload.upload_id) == upload.document_id
    rig.objects.before, rig.objects.failing = None, False
    await rig.uploads.expire()
    assert list(rig.objects.objects) == [f"documents/{upload.document_id}"]


async def test_an_expired_upload_is_refused_with_its_reason_and_then_forgotten(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0)
    rig.clock.pass_(7 * 86_400 - 1)
    assert await send(rig, upload, 1) == [0, 1]
    rig.clock.pass_(1)
    for call in (
        rig.uploads.get(ANNA, upload.upload_id),
        rig.uploads.put_part(ANNA, upload.upload_id, 2, "", chunks(PARTS[2])),
        rig.uploads.complete(ANNA, upload.upload_id),
        rig.uploads.prove(ANNA, upload.upload_id, "0" * 64),
    ):
        with pytest.raises(Conflict) as refused:
            await call
        assert (refused.value.reason, refused.value.message) == (
            "upload_expired",
            "The upload was not completed within 7 days: begin it anew.",
        )
    # Composed by somebody who died before it became a document.
    rig.objects.objects[f"documents/{upload.document_id}"] = CONTENT
    assert await rig.uploads.expire() == 0
    rig.clock.pass_(3_601)
    assert await rig.uploads.expire() == 1
    assert rig.objects.objects == {}
    assert upload.upload_id not in rig.part_map.parts
    with pytest.raises(NotFound):
        await received(rig, upload)


async def test_the_key_of_an_expired_upload_begins_a_new_one(rig: Rig) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    wanted = NewUpload("a.txt", len(CONTENT), digest, Metadata(), "key")
    first, _ = await rig.uploads.create(ANNA, wanted)
    await send(rig, first, 0)
    rig.clock.pass_(7 * 86_400)
    second, there = await rig.uploads.create(ANNA, wanted)
    assert second.upload_id != first.upload_id and there == []
    await send(rig, second, 0, 1, 2, 3)
    await assert_completes(rig, second)


async def test_what_is_forgotten_while_it_is_composed_makes_no_document(rig: Rig) -> None:
    upload = await begin(rig)
    await send(rig, upload, 0, 1, 2, 3)

    async def forget(call: str, key: str) -> None:
        if call == "size":
            await rig.upload_store.forget(upload.upload_id)

    rig.objects.before = forget
    with pytest.raises(NotFound) as refused:
        await rig.uploads.complete(ANNA, upload.upload_id)
    assert refused.value.reason == "unknown_upload"
    assert await rig.topics() == []
