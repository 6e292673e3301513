"""Instant uploads whose source is lost, or that break off: parts complete them as any other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.ingestion.tests.ingestion_rig import BEN, Rig, ingestion_rig
from services.ingestion.tests.instant_steps import answer, begin, proved, ready, send_and_complete
from superagent_common.errors import Unavailable
from superagent_common.identity import Principal
from superagent_ingestion.domain.rejection import DocumentRejected


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def test_a_lost_object_falls_back_to_parts_and_is_dropped_after_three_times(rig: Rig) -> None:
    annas = await ready(rig)
    del rig.objects.objects[f"documents/{annas}"]
    for _ in range(3):
        upload = await begin(rig)
        assert upload.challenge is None and not upload.completed
    assert rig.instant_outcomes == ["content_lost"] * 3
    # Now nobody looks for it any more; it goes on answering all the same.
    document_id = await send_and_complete(rig, await begin(rig))
    assert rig.instant_outcomes == ["content_lost"] * 3
    assert (await rig.document(annas)).state == "ready"
    await rig.pipeline().run(document_id)
    assert (await begin(rig, BEN)).instant


async def test_an_object_lost_while_the_proof_is_made_falls_back_to_parts(rig: Rig) -> None:
    annas = await ready(rig)
    upload = await begin(rig)
    del rig.objects.objects[f"documents/{annas}"]
    after, _ = await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge))
    assert (after.completed, after.instant, after.challenge) == (False, False, None)
    assert await send_and_complete(rig, upload)


@pytest.mark.parametrize("step", ["read", "copy"])
async def test_an_object_lost_at_the_last_moment_falls_back_to_parts(rig: Rig, step: str) -> None:
    annas = await ready(rig)
    upload = await begin(rig)

    async def lose(call: str, key: str) -> None:
        if call == step:
            rig.objects.objects.pop(f"documents/{annas}", None)

    rig.objects.before = lose
    after, _ = await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge))
    rig.objects.before = None
    assert (after.completed, after.instant) == (False, False)
    assert await send_and_complete(rig, upload)


async def test_another_copy_of_the_content_serves_when_the_first_is_lost(rig: Rig) -> None:
    annas = await ready(rig)
    upload = await proved(rig)
    await rig.pipeline().run(upload.document_id)
    del rig.objects.objects[f"documents/{upload.document_id}"]
    carl = Principal("carl-id", "carl", ("user",))
    third = await begin(rig, carl)
    done, _ = await rig.uploads.prove(carl, third.upload_id, answer(third.challenge))
    assert (await rig.document(done.document_id)).copied_from == annas


async def test_an_object_store_that_is_down_leaves_the_upload_and_its_challenge(rig: Rig) -> None:
    await ready(rig)
    rig.objects.failing = True
    plain = await begin(rig)
    assert plain.challenge is None
    rig.objects.failing = False
    upload = await begin(rig)
    rig.objects.failing = True
    with pytest.raises(Unavailable):
        await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge))
    rig.objects.failing = False
    assert (await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge)))[0].instant


class Killed(BaseException):
    """The process is gone: nothing behind this runs."""


async def test_whoever_is_killed_while_the_object_is_copied_can_prove_again_or_send_parts(rig: Rig) -> None:
    await ready(rig)
    for go_on in ("proof", "parts"):
        upload = await begin(rig)

        async def die(call: str, key: str) -> None:
            if call == "copy":
                raise Killed

        rig.objects.before = die
        with pytest.raises(Killed):
            await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge))
        rig.objects.before = None
        if go_on == "proof":
            await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge))
        else:
            await send_and_complete(rig, upload)
        assert (await rig.document(upload.document_id)).state == "uploaded"


async def test_two_empty_files_meet_no_challenge(rig: Rig) -> None:
    """An empty document fails, so it never serves."""
    rig.parser.hindrance = DocumentRejected("empty_file", "The file is empty.")
    await rig.pipeline().run(await rig.upload(b""))
    assert (await begin(rig, content=b"")).challenge is None
