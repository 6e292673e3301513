"""A content that is there needs no parts: at once for its owner, by proof of possession for everybody else."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from services.ingestion.tests.ingestion_rig import ANNA, BEN, Rig, ingestion_rig
from services.ingestion.tests.instant_steps import CONTENT, answer, begin, proved, ready, send_and_complete
from superagent_common.errors import Conflict, Forbidden, InvalidInput, NotFound, Unavailable, Unimplemented
from superagent_common.identity import Principal
from superagent_ingestion.adapters import tables
from superagent_ingestion.application.uploads import NewUpload
from superagent_ingestion.domain.documents import Metadata
from superagent_ingestion.domain.rejection import DocumentRejected


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


async def test_whoever_proves_to_hold_a_content_gets_a_document_without_sending_it(rig: Rig) -> None:
    annas = await ready(rig)
    upload = await begin(rig)
    assert not upload.completed and not upload.instant
    done, received = await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge))
    assert done.completed and done.instant and done.challenge is None
    assert (done.document_id, received) == (upload.document_id, [0])
    assert rig.objects.objects[f"documents/{upload.document_id}"] == CONTENT
    assert rig.instant_outcomes == ["proved"]
    assert await rig.topics() == ["uploaded", "indexed", "uploaded"]

    embedded = rig.index.embedded
    await rig.pipeline().run(upload.document_id)
    document = await rig.document(upload.document_id)
    assert document.state == "ready" and document.copied_from == annas
    assert rig.index.embedded == embedded and rig.parser.parsed == 1
    assert rig.index.chunks[upload.document_id] == rig.index.chunks[annas]
    assert document.stage("index").counts == {
        "children": document.children,
        "embedded": 0,
        "copied": document.children,
    }
    assert {stage.state for stage in document.stages} == {"completed"}


async def test_what_was_taken_over_is_looked_at_and_cut_anew_without_reading_the_file(rig: Rig) -> None:
    await ready(rig)
    document_id = (await proved(rig)).document_id
    await rig.pipeline().run(document_id)
    assert (await rig.strategies.preview(BEN, document_id, "recursive", 0, "")).children
    await rig.strategies.confirm(BEN, document_id, "recursive")
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.state, document.strategy, document.copied_from) == ("ready", "recursive", "")
    assert rig.parser.parsed == 1


async def test_nothing_of_what_the_other_owner_said_comes_along(rig: Rig) -> None:
    annas = await rig.document(await ready(rig))
    upload = await proved(rig, metadata=Metadata(title="Mine", tags=("my-tag",)))
    await rig.pipeline().run(upload.document_id)
    document = await rig.document(upload.document_id)
    assert (document.owner_id, document.file_name) == (BEN.user_id, "mine.txt")
    assert document.metadata == Metadata(title="Mine", tags=("my-tag",))
    # The content's own comes along.
    for own in ("found_title", "found_language", "pages", "children", "parents", "recommended_strategy"):
        assert getattr(document, own) == getattr(annas, own)
    log = await rig.documents.log(BEN, document.document_id)
    shown = repr((document, log)).lower()
    assert "secret" not in shown and "sales" not in shown


async def test_ones_own_content_is_a_document_at_once(rig: Rig) -> None:
    annas = await ready(rig)
    upload = await begin(rig, ANNA)
    assert upload.completed and upload.instant and upload.challenge is None
    assert await rig.uploads.complete(ANNA, upload.upload_id) == upload.document_id != annas
    await rig.pipeline().run(upload.document_id)
    assert (await rig.document(upload.document_id)).state == "ready"
    assert rig.instant_outcomes == ["own"]


async def test_repeating_the_beginning_gives_the_same_instant_upload(rig: Rig) -> None:
    await ready(rig)
    mine = await begin(rig, ANNA, idempotency_key="k")
    assert await begin(rig, ANNA, idempotency_key="k") == replace(mine, idempotency_key="k")
    bens = await begin(rig, idempotency_key="k")
    assert await begin(rig, idempotency_key="k") == bens and bens.challenge is not None
    assert (await rig.uploads.get(BEN, bens.upload_id))[0] == bens


async def test_knowing_the_hash_is_not_enough(rig: Rig) -> None:
    await ready(rig)
    upload = await begin(rig)
    for other in (b"", CONTENT[:-1] + b"!", hashlib.sha256(CONTENT).digest()):
        assert answer(upload.challenge, other) != answer(upload.challenge)
    with pytest.raises(Forbidden) as refused:
        await rig.uploads.prove(BEN, upload.upload_id, hashlib.sha256(CONTENT).hexdigest())
    assert refused.value.reason == "possession_not_proved"
    assert f"documents/{upload.document_id}" not in rig.objects.objects
    assert (await rig.uploads.get(BEN, upload.upload_id))[0].completed is False
    assert rig.instant_outcomes == ["not_proved"]
    # It is worth one answer only, also the right one.
    with pytest.raises(Conflict) as again:
        await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge))
    assert again.value.reason == "no_challenge"
    # By parts it goes on as ever.
    document_id = await send_and_complete(rig, upload)
    await rig.pipeline().run(document_id)
    document = await rig.document(document_id)
    assert (document.state, document.copied_from) == ("ready", "")


async def test_each_challenge_is_another(rig: Rig) -> None:
    await ready(rig)
    first, second = await begin(rig), await begin(rig)
    with pytest.raises(Forbidden):
        await rig.uploads.prove(BEN, second.upload_id, answer(first.challenge))


async def test_proving_again_after_success_changes_nothing(rig: Rig) -> None:
    await ready(rig)
    upload = await begin(rig)
    right = answer(upload.challenge)
    results = await asyncio.gather(*(rig.uploads.prove(BEN, upload.upload_id, right) for _ in range(4)))
    assert {(done.instant, done.document_id) for done, _ in results} == {(True, upload.document_id)}
    assert await rig.topics() == ["uploaded", "indexed", "uploaded"]


async def test_a_proof_comes_too_late_after_ten_minutes(rig: Rig) -> None:
    await ready(rig)
    upload = await begin(rig)
    rig.clock.pass_(599)
    assert (await rig.uploads.get(BEN, upload.upload_id))[0].challenge == upload.challenge
    rig.clock.pass_(1)
    assert (await rig.uploads.get(BEN, upload.upload_id))[0].challenge is None
    with pytest.raises(Conflict) as refused:
        await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge))
    assert refused.value.reason == "challenge_expired"
    assert await send_and_complete(rig, upload)


async def test_bad_proofs_are_refused(rig: Rig) -> None:
    await ready(rig)
    upload = await begin(rig)
    plain = await begin(rig, content=b"nobody has this")
    assert plain.challenge is None
    for who, upload_id, digest, kind, reason in (
        (BEN, upload.upload_id, "xyz", InvalidInput, "invalid_digest"),
        (BEN, upload.upload_id, "", InvalidInput, "invalid_digest"),
        (ANNA, upload.upload_id, answer(upload.challenge), NotFound, "unknown_upload"),
        (BEN, "no-upload", "0" * 64, NotFound, "unknown_upload"),
        (BEN, plain.upload_id, "0" * 64, Conflict, "no_challenge"),
    ):
        with pytest.raises(kind) as refused:
            await rig.uploads.prove(who, upload_id, digest)
        assert refused.value.reason == reason
    # None of that was the one answer.
    assert (await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge)))[0].instant


async def test_an_upload_completed_with_parts_has_nothing_to_prove(rig: Rig) -> None:
    await ready(rig)
    upload = await begin(rig)
    await send_and_complete(rig, upload)
    with pytest.raises(Conflict) as refused:
        await rig.uploads.prove(BEN, upload.upload_id, answer(upload.challenge))
    assert refused.value.reason == "no_challenge"


async def test_only_what_was_verified_serves(rig: Rig) -> None:
    unfinished = await rig.upload(CONTENT)
    assert (await begin(rig)).challenge is None
    rig.parser.hindrance = DocumentRejected("unreadable", "The file cannot be read.")
    await rig.pipeline().run(unfinished)
    assert (await rig.document(unfinished)).state == "failed"
    assert (await begin(rig)).challenge is None
    # A hash that is not the content's own.
    rig.parser.hindrance = None
    lie = NewUpload("lie.txt", 3, hashlib.sha256(b"yes").hexdigest(), Metadata())
    upload, _ = await rig.uploads.create(ANNA, lie)
    await rig.pipeline().run(await send_and_complete(rig, upload, ANNA, b"no!"))
    failure = (await rig.document(upload.document_id)).failure
    assert failure is not None and failure.reason == "hash_mismatch"
    assert (await begin(rig, content=b"yes")).challenge is None


async def test_a_document_that_is_being_deleted_serves_nobody(rig: Rig) -> None:
    annas = await ready(rig)
    rig.index.hindrance = Unavailable("retrieval_unavailable")
    await rig.documents.delete(ANNA, annas)
    assert (await begin(rig)).challenge is None


async def test_the_other_owner_deleting_hurts_nobody(rig: Rig) -> None:
    annas = await ready(rig)
    upload = await proved(rig)
    await rig.pipeline().run(upload.document_id)
    await rig.documents.delete(ANNA, annas)
    assert rig.objects.objects == {key: content for key, content in rig.objects.objects.items() if annas not in key}
    assert rig.objects.objects[f"documents/{upload.document_id}"] == CONTENT
    assert list(rig.index.chunks) == [upload.document_id]
    # And it serves the next one.
    carl = Principal("carl-id", "carl", ("user",))
    third = await begin(rig, carl)
    assert (await rig.uploads.prove(carl, third.upload_id, answer(third.challenge)))[0].instant


async def test_a_source_deleted_before_its_chunks_are_taken_over_costs_only_the_work(rig: Rig) -> None:
    annas = await ready(rig)
    upload = await proved(rig)
    await rig.documents.delete(ANNA, annas)
    await rig.pipeline().run(upload.document_id)
    document = await rig.document(upload.document_id)
    assert (document.state, document.copied_from) == ("ready", "")
    assert document.stage("index").counts == {"children": document.children, "embedded": document.children}


@pytest.mark.parametrize("error", [NotFound("unknown_document"), Unimplemented("not_implemented")], ids=["lost", "old"])
async def test_without_the_sources_vectors_it_is_processed_like_any_other(rig: Rig, error: Exception) -> None:
    await ready(rig)
    upload = await proved(rig)
    rig.index.copy_hindrance = error
    await rig.pipeline().run(upload.document_id)
    document = await rig.document(upload.document_id)
    assert (document.state, document.copied_from) == ("ready", "")
    assert rig.parser.parsed == 2


async def test_taking_over_is_tried_again_with_the_same_generation(rig: Rig) -> None:
    await ready(rig)
    upload = await proved(rig)
    rig.index.hindrance = Unavailable("retrieval_unavailable")
    await rig.pipeline().run(upload.document_id)
    waiting = await rig.document(upload.document_id)
    assert (waiting.state, waiting.waiting_reason) == ("uploaded", "retrieval_unavailable")
    rig.index.hindrance = None
    rig.clock.pass_(10)
    await rig.pipeline().run(upload.document_id)
    document = await rig.document(upload.document_id)
    assert document.state == "ready" and document.copied_from
    assert rig.index.generations[upload.document_id] == [waiting.generation]


async def test_a_person_who_wants_to_see_the_strategy_first_gets_it_measured(rig: Rig) -> None:
    await ready(rig)
    upload = await proved(rig, review_strategy=True)
    await rig.pipeline().run(upload.document_id)
    assert rig.parser.parsed == 2
    assert (await rig.document(upload.document_id)).copied_from == ""


async def test_under_a_name_of_another_ending_it_is_read_anew(rig: Rig) -> None:
    await ready(rig)
    upload = await proved(rig, file_name="mine.md")
    await rig.pipeline().run(upload.document_id)
    assert rig.parser.parsed == 2
    assert (await rig.document(upload.document_id)).copied_from == ""


async def test_a_strategy_that_the_other_owner_chose_is_not_taken_over(rig: Rig) -> None:
    annas = await ready(rig)
    async with rig.database.write() as connection:
        await connection.execute(
            update(tables.documents)
            .where(tables.documents.c.document_id == annas)
            .values(chosen_strategy="recursive", recommended_strategy="structure+recursive")
        )
    upload = await proved(rig)
    await rig.pipeline().run(upload.document_id)
    assert rig.parser.parsed == 2
    assert (await rig.document(upload.document_id)).chosen_strategy == ""
