"""Completing an upload: once, whoever dies, leaves or is faster."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.ingestion.tests.ingestion_rig import ANNA, LOG, Rig, chunks, ingestion_rig
from services.ingestion.tests.upload_steps import CONTENT, PARTS, assert_completes, begin, received, send
from superagent_common.errors import Conflict, NotFound, ServiceError
from superagent_common.redis_client import opened_redis
from superagent_ingestion.adapters.redis_merge_lock import RedisMergeLock
from superagent_ingestion.application.uploads import NewUpload
from superagent_ingestion.domain.documents import Metadata
from superagent_ingestion.domain.uploads import part_key


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


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
