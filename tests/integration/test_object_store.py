"""The object store of uploads: the same behaviour on SeaweedFS and in the fake that other tests stand on."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dev.fleet import Fleet
from services.ingestion.tests.upload_fakes import FakeObjects
from superagent_common.errors import NotFound, Unavailable
from superagent_common.ids import new_id
from superagent_common.telemetry import Telemetry
from superagent_ingestion.adapters.minio_objects import MinioObjectStore
from superagent_ingestion.ports import ObjectStore

PART = 5 * 1024 * 1024
"""The smallest that S3 composes, but for the last."""


def seaweed(fleet: Fleet, parts_per_compose: int = 1_000) -> MinioObjectStore:
    where = fleet.environment
    return MinioObjectStore(
        where["S3_ENDPOINT"],
        where["S3_ACCESS_KEY"],
        where["S3_SECRET_KEY"],
        where["S3_BUCKET"],
        Telemetry("test"),
        parts_per_compose=parts_per_compose,
    )


@pytest.fixture(params=["fake", "seaweedfs"])
async def objects(request: pytest.FixtureRequest, fleet_without_model: Fleet) -> ObjectStore:
    return FakeObjects() if request.param == "fake" else seaweed(fleet_without_model)


@pytest.fixture
async def folder(objects: ObjectStore) -> AsyncIterator[str]:
    """A prefix of this test's own, empty again afterwards."""
    prefix = f"test/{new_id()}/"
    yield prefix
    await objects.remove(await objects.sizes(prefix))


def part(number: int, size: int = PART) -> bytes:
    return hashlib.sha256(str(number).encode()).digest() * (size // 32)


async def test_an_object_has_its_size_its_bytes_and_its_hash(objects: ObjectStore, folder: str, tmp_path: Path) -> None:
    content = bytes(range(256)) * 10
    await objects.put(f"{folder}a", content)
    assert await objects.size(f"{folder}a") == 2_560
    assert await objects.get(f"{folder}a") == content
    assert await objects.read(f"{folder}a", 250, 260) == content[250:260]
    assert await objects.read(f"{folder}a", 2_550, 2_560) == content[2_550:]
    assert await objects.fetch(f"{folder}a", tmp_path / "a") == hashlib.sha256(content).hexdigest()
    await objects.put(f"{folder}a", b"other")
    assert await objects.get(f"{folder}a") == b"other"


async def test_a_file_is_taken_from_where_it_stands(objects: ObjectStore, folder: str) -> None:
    for size in (0, 1, 3 * PART):
        with tempfile.SpooledTemporaryFile(max_size=PART) as file:
            content = part(size, size + 31)[:size]
            file.write(b"before" + content)
            file.seek(len(b"before"))
            await objects.put_from(f"{folder}{size}", file, size)  # type: ignore[arg-type]
        assert await objects.get(f"{folder}{size}") == content


async def test_what_is_not_there_is_not_found(objects: ObjectStore, folder: str, tmp_path: Path) -> None:
    assert await objects.size(f"{folder}none") is None
    for call in (
        objects.get(f"{folder}none"),
        objects.read(f"{folder}none", 0, 1),
        objects.fetch(f"{folder}none", tmp_path / "none"),
        objects.copy(f"{folder}none", f"{folder}copy"),
        objects.compose(f"{folder}whole", [f"{folder}none"], folder),
        objects.compose(f"{folder}whole", [f"{folder}none", f"{folder}none either"], folder),
    ):
        with pytest.raises(NotFound):
            await call
    await objects.remove([f"{folder}none"])
    assert await objects.sizes(folder) == {}


async def test_a_prefix_lists_what_lies_below_it(objects: ObjectStore, folder: str) -> None:
    for name in ("x/1", "x/2", "x/deep/3", "xy/4"):
        await objects.put(f"{folder}{name}", name.encode())
    assert await objects.sizes(f"{folder}x/") == {f"{folder}x/1": 3, f"{folder}x/2": 3, f"{folder}x/deep/3": 8}
    # Of a part of a name as well.
    assert set(await objects.sizes(f"{folder}x")) == {f"{folder}{name}" for name in ("x/1", "x/2", "x/deep/3", "xy/4")}


async def test_a_copy_stays_when_its_source_goes(objects: ObjectStore, folder: str) -> None:
    await objects.put(f"{folder}a", b"content")
    await objects.copy(f"{folder}a", f"{folder}b")
    await objects.remove([f"{folder}a"])
    assert await objects.sizes(folder) == {f"{folder}b": 7}
    assert await objects.get(f"{folder}b") == b"content"


@pytest.mark.parametrize("number", [0, 1, 3])
async def test_parts_are_joined_in_their_order(objects: ObjectStore, folder: str, number: int) -> None:
    parts = [part(each) for each in range(number)][:-1] + ([b"the end"] if number else [])
    keys = [f"{folder}{each:06d}" for each in range(number)]
    for key, content in zip(keys, parts, strict=True):
        await objects.put(key, content)
    await objects.compose(f"{folder}whole", keys, folder)
    assert await objects.get(f"{folder}whole") == b"".join(parts)
    assert set(await objects.sizes(folder)) == {*keys, f"{folder}whole"}


async def test_a_compose_without_a_part_leaves_what_was_there(objects: ObjectStore, folder: str) -> None:
    await objects.put(f"{folder}whole", b"before")
    await objects.put(f"{folder}0", part(0))
    with pytest.raises(NotFound):
        await objects.compose(f"{folder}whole", [f"{folder}0", f"{folder}gone"], folder)
    assert await objects.get(f"{folder}whole") == b"before"


async def test_what_a_broken_off_compose_left_is_given_up(fleet_without_model: Fleet) -> None:
    objects = seaweed(fleet_without_model)
    key, other = f"test/{new_id()}/whole", f"test/{new_id()}/whole"
    client, bucket = objects._client, fleet_without_model.environment["S3_BUCKET"]

    def begun() -> list[str | None]:
        return [upload.object_name for upload in client._list_multipart_uploads(bucket, prefix="test/").uploads]

    for each in (key, f"{key}-longer", other):
        await asyncio.to_thread(client._create_multipart_upload, bucket, each, {})
    await objects.give_up(key)
    assert set(await asyncio.to_thread(begun)) == {f"{key}-longer", other}
    for each in (f"{key}-longer", other):
        await objects.give_up(each)
    assert await asyncio.to_thread(begun) == []
    await objects.give_up(key)


@pytest.mark.parametrize(("number", "at_once"), [(7, 3), (9, 3), (10, 3), (5, 2)])
async def test_very_many_parts_are_joined_in_segments(
    fleet_without_model: Fleet, tmp_path: Path, number: int, at_once: int
) -> None:
    """More segments than are joined at once are joined in segments themselves."""
    objects = seaweed(fleet_without_model, at_once)
    folder = f"test/{new_id()}/"
    keys = [f"{folder}{each:06d}" for each in range(number)]
    digest = hashlib.sha256()
    for each, key in enumerate(keys):
        content = part(each) if each < number - 1 else b"the end"
        digest.update(content)
        await objects.put(key, content)
    await objects.compose(f"{folder}whole", keys, f"{folder}scratch-")
    assert await objects.size(f"{folder}whole") == PART * (number - 1) + len(b"the end")
    assert await objects.fetch(f"{folder}whole", tmp_path / "whole") == digest.hexdigest()
    # The segments are gone, the parts are not.
    assert set(await objects.sizes(folder)) == {*keys, f"{folder}whole"}
    await objects.remove(await objects.sizes(folder))


async def test_a_store_that_does_not_answer_is_unavailable() -> None:
    nowhere = MinioObjectStore("http://127.0.0.1:1", "key", "secret", "bucket", Telemetry("test"))
    for call in (nowhere.size("a"), nowhere.sizes("a/"), nowhere.read("a", 0, 1), nowhere.copy("a", "b")):
        with pytest.raises(Unavailable):
            await call
