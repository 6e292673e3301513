"""The same data folder under both groupings: a process for each service, and what a restart keeps."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import pytest

from dev.api_client import ApiClient, SseEvent
from dev.fleet import Fleet, fleet
from dev.grouping import SERVICES
from tests.conftest import ROOMY_LIMITS, embedder_ready
from tests.support.knowledge import MARKDOWN, WORD, Sample
from tests.support.turn_events import TurnStory, assert_whole

ACCOUNT = ("survivor", "a password that is kept")


@dataclass(frozen=True)
class Before:
    """What was done before the restart."""

    document_id: str
    refresh_token: str
    events: list[SseEvent]
    administrators: int


@dataclass(frozen=True)
class Restarted:
    before: Before
    fleet: Fleet


async def main_job(person: ApiClient, sample: Sample, conversation_id: str | None = None) -> tuple[str, list[SseEvent]]:
    """Uploads, waits, asks; checks the citation and gives the document's id and the turn."""
    document_id = await person.upload(sample.file_name, sample.content)
    document = await person.settled(document_id)
    assert document["state"] == "READY", document.get("failure")
    events = await person.ask(sample.question, conversation_id)
    assert_whole(events)
    story = TurnStory(events)
    assert sample.fact in story.text
    assert {story.sources[number]["document_id"] for number in story.cited} >= {document_id}
    assert (await person.trace(story.turn_id))["stages"]
    return document_id, events


@pytest.fixture(scope="module")
async def restarted(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Restarted]:
    """A fleet with a process for each service, on the data of one that ran grouped and was stopped."""
    data_dir: Path = tmp_path_factory.mktemp("restarted")
    async with fleet(data_dir, environment=ROOMY_LIMITS) as first, ApiClient(first.base_url) as person:
        await embedder_ready(first)
        await person.sign_up(*ACCOUNT)
        document_id, events = await main_job(person, MARKDOWN)
        login = {"username": ACCOUNT[0], "password": ACCOUNT[1]}
        session = (await person.http.post("/auth/login", json=login)).json()
        before = Before(document_id, session["refresh_token"], events, int(first.administrator is not None))
    async with fleet(data_dir, processes="separate", environment=ROOMY_LIMITS) as second:
        yield Restarted(before, second)


@pytest.fixture
async def survivor(restarted: Restarted) -> AsyncIterator[ApiClient]:
    async with ApiClient(restarted.fleet.base_url) as client:
        yield await client.log_in(*ACCOUNT)


async def test_each_service_has_a_process_of_its_own(restarted: Restarted) -> None:
    assert set(restarted.fleet.pids) == {*SERVICES, "worker", "valkey", "seaweedfs", "tansu"}
    assert len(set(restarted.fleet.pids.values())) == len(restarted.fleet.pids)


async def test_accounts_and_sessions_survive(restarted: Restarted, survivor: ApiClient) -> None:
    renewed = await survivor.http.post("/auth/refresh", json={"refresh_token": restarted.before.refresh_token})
    assert renewed.status_code == 200
    assert restarted.before.administrators == 1
    assert restarted.fleet.administrator is None


async def test_documents_still_answer(restarted: Restarted, survivor: ApiClient) -> None:
    assert (await survivor.document(restarted.before.document_id))["state"] == "READY"
    await embedder_ready(restarted.fleet)
    found = (await survivor.http.post("/retrieval/search", json={"question": MARKDOWN.question})).json()
    assert found["evidence"][0]["document_id"] == restarted.before.document_id
    assert found["retrieval_mode"] == "HYBRID"


async def test_conversations_turns_and_their_events_are_still_there(restarted: Restarted, survivor: ApiClient) -> None:
    story = TurnStory(restarted.before.events)
    turns = (await survivor.http.get(f"/conversations/{story.conversation_id}/turns")).json()["turns"]
    assert [(turn["turn_id"], turn["answer"]) for turn in turns] == [(story.turn_id, story.text)]
    assert {source["citation_id"] for source in turns[0]["sources"]} == set(story.sources)
    again = [event async for event in survivor.turn_events(story.turn_id)]
    assert again == restarted.before.events
    traced = await survivor.trace(story.turn_id)
    assert [stage["name"] for stage in traced["stages"]] == story.stages


async def test_the_main_job_runs_in_an_old_conversation(restarted: Restarted, survivor: ApiClient) -> None:
    await embedder_ready(restarted.fleet)
    conversation_id = TurnStory(restarted.before.events).conversation_id
    _, events = await main_job(survivor, WORD, conversation_id)
    plan = TurnStory(events).plan
    assert [turn["question"] for turn in plan["memory"]["recent_turns"]] == [MARKDOWN.question]


async def test_what_is_answered_while_memory_is_down_is_in_the_conversation_afterwards(
    restarted: Restarted, survivor: ApiClient
) -> None:
    running = restarted.fleet
    seen: list[SseEvent] = []
    try:
        # Nothing is answered until memory is gone.
        running.kill("agent-executor", signal.SIGSTOP)
        async with aclosing(survivor.chat(MARKDOWN.question)) as events:
            async for event in events:
                seen.append(event)
                if event.event == "plan":
                    await running.stop("memory")
                    running.kill("agent-executor", signal.SIGCONT)
        assert_whole(seen)
        story = TurnStory(seen)
        assert story.finish_reason == "stop" and MARKDOWN.fact in story.text
        (archive,) = (stage for stage in story.all("stage") if stage["name"] == "archive")
        assert archive["state"] == "FAILED" and "kept" in archive["detail"]["reason"]
        refused = await survivor.http.post("/chat", json={"message": MARKDOWN.question})
        assert (refused.status_code, refused.json()["reason"]) == (503, "memory_unavailable")
    finally:
        running.kill("agent-executor", signal.SIGCONT)
        await running.start("memory")
    async with asyncio.timeout(120):
        while not (
            turns := (await survivor.http.get(f"/conversations/{story.conversation_id}/turns")).json().get("turns")
        ):
            await asyncio.sleep(0.1)
    assert [(turn["turn_id"], turn["answer"]) for turn in turns] == [(story.turn_id, story.text)]
