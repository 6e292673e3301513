"""Documents come through whatever dies on the way: kill -9 of worker, ingestion, retrieval and broker; no broker at all."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from dev.api_client import ApiClient
from dev.fleet import Fleet
from dev.grouping import variable
from tests.support.knowledge import MARKDOWN
from tests.support.scripted_model import Failure, Reply, Rule, ScriptedModel
from tests.support.steadfast import insist, settled_steadfastly, upload_steadfastly
from tests.support.stored_chunks import stored_keywords, stored_vectors
from tests.support.turn_events import TurnStory, assert_whole

_POLL_SECONDS = 0.05
BURST = 10
# Each batch of embeddings takes a moment, so that every stage is there to be hit.
SLOW_EMBEDDINGS = Rule(Reply(first_delay_seconds=0.5), endpoint="embeddings")


def chapters(number: int) -> tuple[str, bytes]:
    """A file of a few dozen chunks, different from the others."""
    parts = [f"# Manual {number}\n"]
    for chapter in range(12 + number):
        parts.append(f"\n## Chapter {chapter}\n")
        parts += [
            f"\nStep {step} of chapter {chapter} in manual {number} turns valve {step * 7 + number} by a quarter.\n"
            for step in range(12)
        ]
    return f"manual-{number}.md", "".join(parts).encode()


STATES = ("UPLOADED", "PARSING", "PARSED", "CONFIRMED", "CHUNKING", "INDEXING", "READY")
FILES = [chapters(number) for number in range(BURST)]


@pytest.fixture
def embedder(endpoint_embedder: ScriptedModel) -> Any:
    """The embedding endpoint, answering at once again after the test."""
    endpoint_embedder.answer_with()
    yield endpoint_embedder
    endpoint_embedder.answer_with()


@pytest.fixture
async def author(fleet_without_model: Fleet) -> AsyncIterator[ApiClient]:
    async with ApiClient(fleet_without_model.base_url) as client:
        yield await client.sign_up()


async def counts(person: ApiClient, documents: list[str]) -> list[tuple[str, int, int]]:
    """(state, children, parents) of each, once all are settled."""
    found = [await settled_steadfastly(person, document_id) for document_id in documents]
    return [(document["state"], document["chunks"]["children"], document["chunks"]["parents"]) for document in found]


async def until(true: Callable[[], Awaitable[bool]], seconds: float = 180.0) -> None:
    async with asyncio.timeout(seconds):
        while True:
            if await true():
                return
            await asyncio.sleep(_POLL_SECONDS)


async def index_totals(fleet: Fleet) -> tuple[int, int]:
    """(vectors, keyword documents) that lie in the two indexes, of whatever document and generation."""
    folder = fleet.data_dir / "retrieval"

    def read() -> tuple[int, int]:
        return len(stored_vectors(folder / "vectors")), len(stored_keywords(folder / "keywords"))

    await fleet.stop("retrieval")
    try:
        return await asyncio.to_thread(read)
    finally:
        await fleet.start("retrieval")


async def test_ten_documents_survive_kills_at_every_stage_without_a_duplicate(
    fleet_without_model: Fleet, author: ApiClient, embedder: ScriptedModel
) -> None:
    fleet = fleet_without_model
    # The undisturbed run.
    calm = [await upload_steadfastly(author, *file) for file in FILES]
    expected = await counts(author, calm)
    assert {state for state, _, _ in expected} == {"READY"}
    assert len({children for _, children, _ in expected}) > 5
    for document_id in calm:
        assert (await author.http.delete(f"/documents/{document_id}")).status_code == 204

    embedder.answer_with(SLOW_EMBEDDINGS)
    documents = await upload_and_kill_at_every_stage(fleet, author)
    assert await counts(author, documents) == expected

    # One person's list holds each file once, and the indexes hold each chunk once.
    listed = (await author.http.get("/documents", params={"limit": 200})).json()["documents"]
    assert sorted(document["id"] for document in listed) == sorted(documents)
    status = (await insist(author, "GET", "/retrieval/status")).json()
    assert status["children"] >= sum(children for _, children, _ in expected) > 0
    # What a death interrupted, and others' deleted documents, may still be cleared away.
    async with asyncio.timeout(180):
        while await index_totals(fleet) != (status["children"], status["parents"]):
            status = (await insist(author, "GET", "/retrieval/status")).json()
    preview = {"question": "Which valve is turned in step 5 of chapter 3?", "top_k": 50}
    shown = (await insist(author, "POST", "/retrieval/preview", json=preview)).json()
    for channel in ("vector", "keyword"):
        parents = [hit["parent_id"] for hit in shown["hits"] if hit["channel"] == channel]
        assert parents
        assert len(parents) == len(set(parents))
    chunks = [child["chunk_id"] for passage in shown["evidence"] for child in passage["children"]]
    assert len(chunks) == len(set(chunks))
    await until(lambda: nothing_waits(fleet, "ingestion"))


async def upload_and_kill_at_every_stage(fleet: Fleet, author: ApiClient) -> list[str]:
    """Uploads the burst in portions and kills one process after the other, each while some document is at a stage.

    Each portion is for one death: what was uploaded before may be READY by the time a killed process is back.
    """

    async def states() -> list[str]:
        answer = await insist(author, "GET", "/documents", params={"limit": 200})
        return [document["state"] for document in answer.json()["documents"]]

    def some(*wanted: str) -> Callable[[], Awaitable[bool]]:
        """One of these, or all are past them already: nobody looks that closely on a busy machine."""

        async def there() -> bool:
            found = await states()
            past = STATES[STATES.index(wanted[-1]) + 1 :]
            return bool(set(wanted) & set(found)) or (len(found) == len(uploads) and set(found) <= set(past))

        return there

    def ready(number: int) -> Callable[[], Awaitable[bool]]:
        async def there() -> bool:
            return (await states()).count("READY") >= number

        return there

    moments: tuple[tuple[int, Callable[[], Awaitable[bool]], tuple[str, ...]], ...] = (
        (2, some("UPLOADED", "PARSING", "PARSED", "CHUNKING", "INDEXING"), ("tansu",)),
        (3, some("PARSING", "PARSED", "CONFIRMED"), ("worker",)),
        (2, some("CHUNKING", "INDEXING"), ("ingestion",)),
        (2, some("INDEXING"), ("worker",)),
        (1, ready(2), ("retrieval",)),
        (0, ready(4), ("tansu", "ingestion", "worker")),
    )
    files = iter(FILES)
    uploads: list[asyncio.Task[str]] = []
    async with asyncio.TaskGroup() as uploading:
        for portion, moment, names in moments:
            for file in itertools.islice(files, portion):
                uploads.append(uploading.create_task(upload_steadfastly(author, *file)))
            await until(moment)
            pids = {name: fleet.kill(name) for name in names}
            for name, pid in pids.items():
                await fleet.replaced(name, pid)
    return [upload.result() for upload in uploads]


async def nothing_waits(fleet: Fleet, service: str) -> bool:
    """Whether all of a service's events have reached the broker."""
    return await unpublished(fleet, service) == 0


async def something_waits(fleet: Fleet, service: str) -> bool:
    return await unpublished(fleet, service) > 0


async def unpublished(fleet: Fleet, service: str) -> float:
    """How many of a service's events wait for the broker, as it says itself."""
    async with httpx.AsyncClient(trust_env=False, timeout=120) as http:
        address = fleet.environment[variable(service, "METRICS_LISTEN")]
        text = (await http.get(f"http://{address}/metrics")).text
    (figure,) = (
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "outbox_unpublished"
    )
    return figure


@asynccontextmanager
async def started_without_broker(fleet: Fleet) -> AsyncIterator[None]:
    """Everything that speaks to the broker starts while there is none."""
    await fleet.stop("tansu")
    try:
        for name in ("ingestion", "edge"):
            await fleet.replaced(name, fleet.kill(name))
        yield
    finally:
        await fleet.start("tansu")


async def test_without_a_broker_at_start_all_works_and_events_arrive_when_it_comes(
    fleet_without_model: Fleet, author: ApiClient
) -> None:
    fleet = fleet_without_model
    async with started_without_broker(fleet):
        assert (await insist(author, "GET", "/readyz")).status_code == 200
        document_id = await author.upload(MARKDOWN.file_name, MARKDOWN.content)
        # Without the event it is the sweeper that finds the job.
        assert (await author.settled(document_id))["state"] == "READY"
        events = await author.ask(MARKDOWN.question)
        assert_whole(events)
        story = TurnStory(events)
        assert MARKDOWN.fact in story.text
        assert (await author.trace(story.turn_id))["stages"]
        for service in ("ingestion", "orchestrator"):
            await until(lambda service=service: something_waits(fleet, service))  # type: ignore[misc]

    async def told() -> bool:
        listed = (await author.http.get("/traces/turns")).json()["turns"]
        return [turn["turn_id"] for turn in listed] == [story.turn_id]

    await until(told)
    for service in ("ingestion", "orchestrator"):
        await until(lambda service=service: nothing_waits(fleet, service))  # type: ignore[misc]


async def test_an_embedder_that_fails_leaves_keyword_search_and_documents_that_wait(
    fleet_without_model: Fleet, author: ApiClient, embedder: ScriptedModel
) -> None:
    await author.settled(await author.upload(MARKDOWN.file_name, MARKDOWN.content))
    embedder.answer_with(Rule(Reply(failure=Failure("status", status=500)), endpoint="embeddings"))
    story = TurnStory(await author.ask(MARKDOWN.question))
    assert story.degraded == ["text_only", "extractive"]
    sources = story.only("sources")
    assert sources["retrieval_mode"] == "TEXT_ONLY"
    assert MARKDOWN.fact in story.text
    # A citation without a matching child opens all the same.
    (source, *_) = sources["sources"]
    path = f"/documents/{source['document_id']}/passages"
    opened = (await author.http.get(path, params={"chunk_id": source["child_ids"]})).json()
    assert opened["passages"][0]["heading_path"] == source["heading_path"]
    assert story.finish_reason == "stop"

    waiting = await author.upload("later.md", b"# Later\n\nThe embedder comes back in the end.\n")

    async def waits() -> bool:
        return (await author.document(waiting)).get("waiting_reason") == "embedder_down"

    await until(waits)
    assert (await author.document(waiting))["state"] != "FAILED"
    embedder.answer_with()
    assert (await author.settled(waiting))["state"] == "READY"
