"""Uploads: parts in any order, checked, completed once."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from services.ingestion.tests.ingestion_rig import ANNA, BEN, Rig, chunks, ingestion_rig
from superagent_common.errors import Conflict, InvalidInput, NotFound, ServiceError
from superagent_ingestion.application.uploads import NewUpload
from superagent_ingestion.domain.documents import Metadata
from superagent_ingestion.domain.uploads import PART_BYTES, Upload

BIG = bytes(range(256)) * (2 * PART_BYTES // 256) + b"the end"


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def begin(rig: Rig, content: bytes = b"hello", **changes: Any) -> Upload:
    values = {
        "file_name": "a.txt",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "metadata": Metadata(),
        "idempotency_key": "",
        **changes,
    }
    who = values.pop("who", ANNA)
    upload, _ = await rig.uploads.create(who, NewUpload(**values))
    return upload


async def test_parts_come_in_any_order_and_make_the_whole(rig: Rig) -> None:
    upload = await begin(rig, BIG)
    assert upload.parts_total == 3
    for number, received in ((2, [2]), (0, [0, 2]), (1, [0, 1, 2])):
        part = BIG[number * PART_BYTES : (number + 1) * PART_BYTES]
        digest = hashlib.sha256(part).hexdigest()
        _, there = await rig.uploads.put_part(ANNA, upload.upload_id, number, digest, chunks(part))
        assert there == received
    document_id = await rig.uploads.complete(ANNA, upload.upload_id)
    assert rig.objects.objects == {f"documents/{document_id}": BIG}
    assert (await rig.document(document_id)).state == "uploaded"
    assert await rig.topics() == ["uploaded"]


async def test_completing_again_or_at_once_makes_one_document(rig: Rig) -> None:
    upload = await begin(rig)
    await rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(b"hello"))
    ids = await asyncio.gather(*(rig.uploads.complete(ANNA, upload.upload_id) for _ in range(4)))
    assert {*ids, await rig.uploads.complete(ANNA, upload.upload_id)} == {upload.document_id}
    assert await rig.topics() == ["uploaded"]
    assert (await rig.uploads.get(ANNA, upload.upload_id))[0].completed


async def test_an_empty_file_is_a_document_without_parts(rig: Rig) -> None:
    document_id = await rig.upload(b"")
    assert rig.objects.objects[f"documents/{document_id}"] == b""


async def test_the_same_key_gives_the_same_upload_with_its_parts(rig: Rig) -> None:
    first = await begin(rig, idempotency_key="k")
    await rig.uploads.put_part(ANNA, first.upload_id, 0, "", chunks(b"hello"))
    again, received = await rig.uploads.create(ANNA, NewUpload("a.txt", 5, first.sha256, Metadata(), "k"))
    assert (again.upload_id, received) == (first.upload_id, [0])
    assert (await begin(rig, idempotency_key="k", who=BEN)).upload_id != first.upload_id


@pytest.mark.parametrize("other", [{"file_name": "b.txt"}, {"size": 6}, {"sha256": "0" * 64}])
async def test_the_same_key_for_another_file_is_refused(rig: Rig, other: dict[str, Any]) -> None:
    await begin(rig, idempotency_key="k")
    with pytest.raises(Conflict) as refused:
        await begin(rig, idempotency_key="k", **other)
    assert refused.value.reason == "idempotency_key_reused"


async def test_a_part_sent_again_changes_nothing_and_other_bytes_are_refused(rig: Rig) -> None:
    upload = await begin(rig)
    await rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(b"hello"))
    assert (await rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(b"hello")))[1] == [0]
    with pytest.raises(Conflict) as refused:
        await rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(b"HELLO"))
    assert refused.value.reason == "part_differs"


async def test_completing_too_early_names_what_is_missing_and_loses_nothing(rig: Rig) -> None:
    upload = await begin(rig, BIG)
    await rig.uploads.put_part(ANNA, upload.upload_id, 1, "", chunks(BIG[PART_BYTES : 2 * PART_BYTES]))
    with pytest.raises(Conflict) as refused:
        await rig.uploads.complete(ANNA, upload.upload_id)
    assert (refused.value.reason, refused.value.metadata) == ("parts_missing", {"missing": "0, 2"})
    assert (await rig.uploads.get(ANNA, upload.upload_id))[1] == [1]


@pytest.mark.parametrize(
    ("number", "content", "sha256", "reason"),
    [
        (0, b"hell", "", "part_size_mismatch"),
        (0, b"hello!", "", "part_size_mismatch"),
        (0, b"", "", "part_size_mismatch"),
        (0, b"hello", "0" * 64, "part_hash_mismatch"),
        (0, b"hello", "xyz", "invalid_sha256"),
        (1, b"hello", "", "invalid_part_number"),
        (-1, b"hello", "", "invalid_part_number"),
    ],
)
async def test_bad_parts_are_refused_and_not_kept(
    rig: Rig, number: int, content: bytes, sha256: str, reason: str
) -> None:
    upload = await begin(rig)
    with pytest.raises(InvalidInput) as refused:
        await rig.uploads.put_part(ANNA, upload.upload_id, number, sha256, chunks(content))
    assert refused.value.reason == reason
    assert rig.objects.objects == {} and (await rig.uploads.get(ANNA, upload.upload_id))[1] == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"file_name": ""}, "invalid_file_name"),
        ({"file_name": " \t\u3000"}, "invalid_file_name"),
        ({"file_name": "../../etc/passwd"}, "invalid_file_name"),
        ({"file_name": "a\\b.txt"}, "invalid_file_name"),
        ({"file_name": "a\x00.txt"}, "invalid_file_name"),
        ({"file_name": "a\nb.txt"}, "invalid_file_name"),
        ({"file_name": "a\u202etxt.exe"}, "invalid_file_name"),
        ({"file_name": "a\u2067txt.exe"}, "invalid_file_name"),
        ({"file_name": "x" * 256}, "invalid_file_name"),
        ({"file_name": ".."}, "invalid_file_name"),
        ({"size": -1}, "invalid_size"),
        ({"size": 11 * 1024**3}, "too_large"),
        ({"sha256": "beef"}, "invalid_sha256"),
        ({"metadata": Metadata(language="fr")}, "invalid_language"),
        ({"metadata": Metadata(tags=("",))}, "invalid_tags"),
        ({"metadata": Metadata(tags=tuple(map(str, range(33))))}, "invalid_tags"),
        ({"metadata": Metadata(title="a\x07b")}, "invalid_title"),
        ({"metadata": Metadata(title="a\x85b")}, "invalid_title"),
        ({"metadata": Metadata(tags=("a\nb",))}, "invalid_tags"),
        ({"metadata": Metadata(domain_code="x" * 65)}, "invalid_domain_code"),
        ({"metadata": Metadata(org_tag="finance")}, "unknown_org_tag"),
    ],
)
async def test_bad_uploads_are_refused(rig: Rig, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ServiceError) as refused:
        await begin(rig, **changes)
    assert refused.value.reason == reason


async def test_an_org_tag_of_ones_own_is_taken(rig: Rig) -> None:
    assert (await begin(rig, metadata=Metadata(org_tag="sales"))).metadata.org_tag == "sales"


async def test_another_persons_upload_is_as_good_as_unknown(rig: Rig) -> None:
    upload = await begin(rig)
    refusals = set()
    for upload_id in (upload.upload_id, "01990000-0000-7000-8000-000000000000", "../x"):
        for call in (
            rig.uploads.get(BEN, upload_id),
            rig.uploads.put_part(BEN, upload_id, 0, "", chunks(b"hello")),
            rig.uploads.complete(BEN, upload_id),
        ):
            with pytest.raises(NotFound) as refused:
                await call
            refusals.add((refused.value.reason, refused.value.message))
    assert refusals == {("unknown_upload", "There is no such upload.")}


async def test_abandoned_uploads_are_forgotten_with_their_parts(rig: Rig) -> None:
    upload = await begin(rig)
    await rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(b"hello"))
    kept = await rig.upload(b"kept")
    rig.clock.pass_(8 * 86_400)
    await rig.sweeper.clean()
    assert list(rig.objects.objects) == [f"documents/{kept}"]
    with pytest.raises(NotFound):
        await rig.uploads.get(ANNA, upload.upload_id)


async def test_a_part_is_not_counted_while_the_object_store_is_down(rig: Rig) -> None:
    upload = await begin(rig)
    rig.objects.failing = True
    with pytest.raises(ServiceError):
        await rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(b"hello"))
    rig.objects.failing = False
    assert (await rig.uploads.get(ANNA, upload.upload_id))[1] == []
    await rig.uploads.put_part(ANNA, upload.upload_id, 0, "", chunks(b"hello"))
    assert await rig.uploads.complete(ANNA, upload.upload_id)
