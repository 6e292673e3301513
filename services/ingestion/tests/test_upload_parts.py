"""Map, rows and object store each know which parts are there: whichever is lost is rebuilt from the others."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sqlalchemy import delete

from services.ingestion.tests.ingestion_rig import ANNA, Rig, chunks, ingestion_rig
from services.ingestion.tests.upload_steps import (
    PARTS,
    SMALL,
    assert_completes,
    begin,
    begin_small,
    received,
    send,
    send_small,
)
from superagent_common.errors import Conflict, Unavailable
from superagent_ingestion.adapters import tables
from superagent_ingestion.domain.uploads import part_key


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def lose_rows(rig: Rig) -> None:
    async with rig.database.write() as connection:
        await connection.execute(delete(tables.upload_parts))


async def lose_map(rig: Rig) -> None:
    rig.part_map.lose()


async def lose_objects(rig: Rig) -> None:
    rig.objects.objects.clear()


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


async def test_an_only_part_becomes_the_document_without_a_list_of_what_lies_in_the_store(rig: Rig) -> None:
    upload = await begin_small(rig)
    await send_small(rig, upload)

    async def no_list(call: str, key: str) -> None:
        assert call != "sizes"

    rig.objects.before = no_list
    document_id = await rig.uploads.complete(ANNA, upload.upload_id)
    assert rig.objects.objects == {f"documents/{document_id}": SMALL}


@pytest.mark.parametrize("left", [None, SMALL[:-1]], ids=["lost", "cut short"])
async def test_an_only_part_whose_object_is_not_what_it_was_is_asked_for_again(rig: Rig, left: bytes | None) -> None:
    upload = await begin_small(rig)
    key = await send_small(rig, upload)
    if left is None:
        del rig.objects.objects[key]
    else:
        rig.objects.objects[key] = left
    with pytest.raises(Conflict) as refused:
        await rig.uploads.complete(ANNA, upload.upload_id)
    assert (refused.value.reason, refused.value.metadata["missing"]) == ("parts_missing", "0")
    assert await received(rig, upload) == []
    assert await rig.topics() == []
    await send_small(rig, upload)
    document_id = await rig.uploads.complete(ANNA, upload.upload_id)
    assert rig.objects.objects == {f"documents/{document_id}": SMALL}


async def test_an_only_part_whose_row_is_lost_is_found_in_the_store(rig: Rig) -> None:
    upload = await begin_small(rig)
    await send_small(rig, upload)
    await lose_rows(rig)
    document_id = await rig.uploads.complete(ANNA, upload.upload_id)
    assert rig.objects.objects == {f"documents/{document_id}": SMALL}


@pytest.mark.parametrize("step", ["compose", "size"])
async def test_whoever_is_overtaken_with_an_only_part_makes_no_second_document(rig: Rig, step: str) -> None:
    upload = await begin_small(rig)
    await send_small(rig, upload)
    rig.merging.away = True

    async def overtake(call: str, key: str) -> None:
        if call == step:
            rig.objects.before = None
            await rig.new_uploads(rig.merging).complete(ANNA, upload.upload_id)

    rig.objects.before = overtake
    assert await rig.uploads.complete(ANNA, upload.upload_id) == upload.document_id
    assert rig.objects.objects == {f"documents/{upload.document_id}": SMALL}
    assert await rig.topics() == ["uploaded"]
    assert await received(rig, upload) == [0]


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


async def test_a_part_for_which_there_is_no_room_is_refused_for_now(
    rig: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = await begin(rig)
    with monkeypatch.context() as full:
        full.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
        with pytest.raises(Unavailable) as refused:
            await send(rig, upload, 0)
    assert refused.value.reason == "no_room_for_parts"
    assert await send(rig, upload, 0) == [0]
