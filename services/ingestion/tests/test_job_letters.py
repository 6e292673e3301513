"""Jobs that were given up: dead letters beside those of events, listed, tried again, discarded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from opentelemetry.trace import NoOpTracer
from prometheus_client import CollectorRegistry

from libs.common.tests.memory_log import MemoryLog, MemorySource
from services.ingestion.tests.ingestion_rig import ANNA, Rig, ingestion_rig
from superagent.ingestion.v1 import ingestion_pb2
from superagent_common.bus import DeadLetters, EventConsumer
from superagent_common.errors import NotFound, Unavailable
from superagent_ingestion.adapters import tables
from superagent_ingestion.adapters.uploaded_events import uploaded_events
from superagent_ingestion.domain.rejection import DocumentRejected


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with ingestion_rig(tmp_path) as made:
        yield made


@pytest.fixture
def letters(rig: Rig) -> DeadLetters:
    return EventConsumer(
        MemorySource(MemoryLog()),
        [uploaded_events(rig.sweeper.tell, rig.clock)],
        rig.database,
        tables.handled_events,
        tables.dead_letters,
        tracer=NoOpTracer(),
        registry=CollectorRegistry(),
    ).dead_letters


async def given_up(rig: Rig, content: bytes = b"text") -> str:
    """A document whose index was away five times."""
    document_id = await rig.upload(content)
    rig.index.hindrance = Unavailable("index_away")
    for _ in range(5):
        assert await rig.pipeline().run(document_id)
        rig.clock.pass_(61)
    rig.index.hindrance = None
    return document_id


async def test_a_job_that_was_tried_five_times_is_a_dead_letter(rig: Rig, letters: DeadLetters) -> None:
    document_id = await given_up(rig)
    document = await rig.document(document_id)
    assert document.state == "failed"
    (letter,) = await letters.list(None, 10)
    assert (letter.topic, letter.key, letter.reason, letter.attempts) == (
        "superagent.document.uploaded.v1",
        document_id,
        "index_away",
        5,
    )
    assert ingestion_pb2.DocumentUploaded.FromString(letter.payload).document_id == document_id
    assert await rig.topics() == ["uploaded", "failed"]


async def test_a_file_that_kills_its_workers_is_a_dead_letter(rig: Rig, letters: DeadLetters) -> None:
    document_id = await rig.upload(b"text")
    for number in range(5):
        assert await rig.claim(document_id, f"killed-{number}")
        rig.clock.pass_(16)
    assert await rig.pipeline().run(document_id)
    assert [letter.reason for letter in await letters.list(None, 10)] == ["unreadable"]


async def test_a_file_that_is_at_fault_is_none(rig: Rig, letters: DeadLetters) -> None:
    document_id = await rig.upload(b"text")
    rig.parser.hindrance = DocumentRejected("encrypted", "The file needs a password.")
    assert await rig.pipeline().run(document_id)
    assert await letters.list(None, 10) == []


async def test_redelivering_makes_the_job_due_anew_with_all_its_attempts(rig: Rig, letters: DeadLetters) -> None:
    document_id = await given_up(rig)
    generation = (await rig.document(document_id)).generation
    await letters.redeliver(document_id)
    assert await letters.list(None, 10) == []
    again = await rig.document(document_id)
    assert (again.state, again.failure, again.waiting_reason, again.progress) == ("uploaded", None, "queued", 5)
    assert {stage.name: stage.state for stage in again.stages}["index"] == "pending"
    await rig.sweeper.hint()
    assert len(rig.hints.take()) == 1
    job = await rig.claim(document_id, "worker")
    assert job is not None
    assert job.attempts == 1
    await rig.jobs.release(["worker"])
    assert await rig.pipeline().run(document_id)
    ready = await rig.document(document_id)
    assert (ready.state, ready.generation) == ("ready", generation)
    assert rig.parser.parsed == 1, "what was read is kept"
    messages = [entry.message for entry in await rig.documents.log(ANNA, document_id)]
    assert "An administrator has it tried again." in messages


async def test_a_job_that_is_given_up_again_is_one_dead_letter_again(rig: Rig, letters: DeadLetters) -> None:
    document_id = await given_up(rig)
    await letters.redeliver(document_id)
    rig.index.hindrance = Unavailable("embedder_down")
    for _ in range(5):
        assert await rig.pipeline().run(document_id)
        rig.clock.pass_(61)
    assert [(each.key, each.reason) for each in await letters.list(None, 10)] == [(document_id, "embedder_down")]


async def test_a_deleted_document_takes_its_dead_letter_along(rig: Rig, letters: DeadLetters) -> None:
    document_id = await given_up(rig)
    other = await given_up(rig, b"other")
    await rig.documents.delete(ANNA, document_id)
    assert [letter.key for letter in await letters.list(None, 10)] == [other]


async def test_redelivering_while_it_is_deleted_says_so_and_discarding_works(rig: Rig, letters: DeadLetters) -> None:
    document_id = await given_up(rig)
    rig.index.hindrance = Unavailable("index_away")
    await rig.documents.delete(ANNA, document_id)
    with pytest.raises(NotFound) as gone:
        await letters.redeliver(document_id)
    assert gone.value.reason == "unknown_document"
    assert len(await letters.list(None, 10)) == 1
    await letters.discard(document_id)
    assert await letters.list(None, 10) == []
    with pytest.raises(NotFound):
        await letters.discard(document_id)


async def test_a_document_that_came_through_otherwise_has_no_dead_letter(rig: Rig, letters: DeadLetters) -> None:
    document_id = await given_up(rig)
    async with rig.database.write() as connection:
        due = tables.jobs.update().where(tables.jobs.c.document_id == document_id)
        await connection.execute(due.values(available_at=rig.clock(), attempts=0))
    assert await rig.pipeline().run(document_id)
    assert (await rig.document(document_id)).state == "ready"
    assert await letters.list(None, 10) == []
